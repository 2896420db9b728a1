//! The gap between messages: `LogGP`'s g and G (P16).

use panto_results::{Metric, Point, Record, kernel, param};
use panto_transport::{Result as Passed, Selector, SendMode, Transport};

use super::Options;
use super::{pair_points, tag};
use crate::comet::echo::Role;
use crate::comet::pair::{TESTER, partner};
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab, Operation, Timing};
use crate::pattern;
use crate::settings::Settings;

/// Messages in a row: one to compare with, and rows in which the first and the last count less and
/// less.
const MESSAGES: [u64; 3] = [1, 8, 64];
/// Longest row in bytes: longer ones show nothing new, and take seconds on a slow network.
const LONGEST: u64 = 8 << 20;
/// Default sizes in bytes; fewer than the echo's, since rows take long.
const SIZES: [u64; 11] = [0, 1, 8, 64, 512, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// Time of several messages in a row with one reply, by number and size: Kielmann's PRTT(n, 0, s).
#[derive(Debug, Clone, Copy)]
pub struct Gap;

impl Pattern for Gap {
    fn name(&self) -> &'static str {
        kernel::calibrate::GAP
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let largest = settings.options.get::<Options>().largest;
        let usual = || SIZES.into_iter().filter(|&bytes| bytes <= largest).collect();
        let sizes: Vec<u64> = settings.sizes.clone().unwrap_or_else(usual);
        let mut points = Vec::new();
        for pair in pair_points(settings)? {
            for messages in MESSAGES {
                let point = pair.clone().with(param::MESSAGES, messages);
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
            ..Record::new(self.name(), point, samples)
        }))
    }
}

/// Messages in a row, and the reply.
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
                    transport.send(SendMode::Standard, data, partner, tag::DATA)?;
                }
                transport.receive(&mut [], Selector::new(partner, tag::ANSWER)).map(drop)
            }
            Role::Partner(tester) => {
                for _ in 0..*messages {
                    transport.receive(data, Selector::new(tester, tag::DATA))?;
                }
                transport.send(SendMode::Standard, &[], tester, tag::ANSWER)
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
