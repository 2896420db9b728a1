//! How close messages can follow each other: `LogGP`'s g and G (P16).

use panto_transport::{Mode, Result as Passed, Transport, Want};

use super::{SUITE, tag, ways};
use crate::comet::echo::Role;
use crate::comet::pair::{TESTER, partner};
use crate::error::Result;
use crate::kernel::{About, Pattern};
use crate::measure::{Checked, Lab, Metric, Operation, Timing};
use crate::pattern;
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

/// One to compare with, and rows in which the first and the last count less and less.
const MESSAGES: [u64; 3] = [1, 8, 64];
/// In longer rows than this many bytes nothing new is seen, and they take seconds on a slow network.
const LONGEST: u64 = 8 << 20;
/// Fewer than an echo has: rows take long.
const SIZES: [u64; 11] = [0, 1, 8, 64, 512, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// Time of several messages in a row, answered once, by number and size: Kielmann's PRTT(n, 0, s).
#[derive(Debug, Clone, Copy)]
pub struct Gap;

impl Pattern for Gap {
    fn about(&self) -> About {
        About {
            suite: SUITE,
            name: "gap",
            line: "time of messages in a row that are answered once, by number and message size",
            axis: param::BYTES,
            least_ranks: 2,
            needs: None,
        }
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let usual = || SIZES.into_iter().filter(|&bytes| bytes <= settings.calibrate.largest).collect();
        let sizes: Vec<u64> = settings.sizes.clone().unwrap_or_else(usual);
        let mut points = Vec::new();
        for way in ways(settings)? {
            for messages in MESSAGES {
                let point = way.clone().with(param::MESSAGES, messages);
                let sizes = sizes.iter().filter(|&&bytes| messages <= 8 || messages * bytes <= LONGEST);
                points.extend(sizes.map(|&bytes| point.clone().with(param::BYTES, bytes)));
            }
        }
        Ok(points)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let (messages, bytes) = (point.get(param::MESSAGES), point.get(param::BYTES));
        let role = Role::of(lab.transport.rank(), TESTER, partner(lab, point)?);
        let mut operation = Row {
            transport: lab.transport,
            role,
            messages,
            data: vec![0; if role == Role::Idle { 0 } else { bytes }],
            round: 0,
        };
        let samples = lab.measure(Timing::batched(Metric::on(TESTER)), &mut operation)?;
        Ok(samples.map(|samples| Record {
            moved: Some((messages * bytes) as u64),
            messages: Some(messages as u64),
            ..Record::new(&self.about().full_name(), point, samples)
        }))
    }
}

/// Messages in a row, and the answer.
struct Row<'a, T> {
    transport: &'a T,
    role: Role,
    messages: usize,
    data: Vec<u8>,
    round: u64,
}

impl<T: Transport> Operation for Row<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        match self.role {
            Role::Tester(_) => pattern::fill(&mut self.data, TESTER, round),
            _ => self.data.fill(0),
        }
    }

    fn run(&mut self) -> Passed<()> {
        let Self { transport, messages, data, .. } = self;
        match self.role {
            Role::Tester(partner) => {
                for _ in 0..*messages {
                    transport.send(Mode::Standard, data, partner, tag::DATA)?;
                }
                transport.receive(&mut [], Want::new(partner, tag::ANSWER)).map(drop)
            }
            Role::Partner(tester) => {
                for _ in 0..*messages {
                    transport.receive(data, Want::new(tester, tag::DATA))?;
                }
                transport.send(Mode::Standard, &[], tester, tag::ANSWER)
            }
            Role::Alone | Role::Idle => Ok(()),
        }
    }

    fn verify(&mut self) -> Checked {
        match self.role {
            Role::Partner(tester) => pattern::check(&self.data, tester, self.round),
            _ => Ok(()),
        }
    }
}
