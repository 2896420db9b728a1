//! The calls of one rank.

use panto_trace::{Action, Builder, Comm, Communicator, Datatype, Metadata, Peer, Ranks, Slot, Type};
use rustc_hash::FxHashMap;

use super::requests::Requests;
use super::verify::{CommId, RankMatching};
use crate::call::{Collective, What};
use crate::comms::position;
use crate::computation::Last;
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::number::Place;
use crate::program::{Call, Program};
use crate::series::{Series, Step};
use crate::who::Who;

/// Makes the calls of one rank.
pub struct Emitter<'p> {
    program: &'p Program,
    grid: &'p Grid,
    rank: u32,
    builder: Builder,
    requests: Requests,
    types: FxHashMap<(i64, i64, bool), Type>,
    /// The members of communicators that were made, and this rank's number in them.
    comms: Vec<Option<Members>>,
    matching: RankMatching,
}

#[derive(Debug, Clone)]
struct Members {
    ranks: Ranks,
    own: u32,
}

/// A call with its numbers.
struct Made<'c> {
    call: &'c Call,
    partners: [Option<u32>; 2],
    numbers: Vec<i64>,
    request: Option<Slot>,
}

impl<'p> Emitter<'p> {
    pub fn new(program: &'p Program, grid: &'p Grid, world: &Ranks, rank: u32) -> Self {
        let builder = Builder::with_metadata(rank, world, 1, &program.metadata());
        let predefined = [(world.clone(), rank), (std::iter::once(rank).collect(), 0)];
        let comms = predefined.map(|(ranks, own)| Some(Members { ranks, own })).to_vec();
        Self {
            program,
            grid,
            rank,
            builder,
            requests: Requests::default(),
            types: FxHashMap::default(),
            comms,
            matching: RankMatching::default(),
        }
    }

    pub fn rank(&self) -> u32 {
        self.rank
    }

    pub fn ranks(&self) -> u32 {
        self.grid.ranks()
    }

    pub fn calls(&self) -> u64 {
        self.builder.calls()
    }

    /// Returns whether the rank meets a condition.
    pub fn is_called(&self, who: Who) -> bool {
        who.holds(self.grid, self.rank)
    }

    /// Returns the stream, the number of calls, and what was sent and received.
    pub fn finish(self) -> (Vec<u8>, u64, RankMatching) {
        let calls = self.builder.calls();
        (self.builder.finish(&Metadata::default()), calls, self.matching)
    }

    /// Returns a number of this rank.
    pub fn number(&self, series: &Series, partner: Option<u32>, step: Step) -> Result<i64> {
        let place = Place { grid: self.grid, rank: self.rank, partner };
        series.at(&place, step).ok_or_else(|| {
            let (rank, ranks) = (self.rank, self.ranks());
            Error::Unmatched(format!("the rule {series} gives nothing for rank {rank} of {ranks}"))
        })
    }

    /// Adds a call. `last` is what was executed before it.
    pub fn call(&mut self, call: &'p Call, step: Step, last: Last) -> Result<()> {
        let shape = &self.program.shapes[call.shape as usize];
        if let Some(part) = call.computation.after(last) {
            self.builder.compute(part.at(
                self.grid,
                self.rank,
                if last == Last::Outside { step.execution } else { step.position },
            ));
        }
        let partner = |place: usize| {
            call.partners.get(place).and_then(|rule| rule.partner(self.grid, self.rank, step.iteration))
        };
        let mut partners = [partner(0), partner(1)];
        let numbers = call.numbers.iter().map(|series| self.number(series, partners[0], step));
        let numbers = numbers.collect::<Result<Vec<i64>>>()?;
        if shape.moves {
            partners[0] = self.moving(shape.comm, &numbers)?;
        }
        let taken = self.requests.take(&call.takes, shape.what);
        let uses_requests = matches!(shape.what, What::Start | What::Complete { .. } | What::Free);
        if uses_requests && taken.is_empty() {
            return Ok(());
        }
        let what = shape.what;
        let request =
            what.makes_request().then(|| Slot(self.requests.make(call.class, what.is_persistent())));
        self.emit(&Made { call, partners, numbers, request }, &taken)
    }

    /// Returns the partner that is the last of the numbers of a call.
    fn moving(&self, comm: Option<u32>, numbers: &[i64]) -> Result<Option<u32>> {
        let members = self.comms.get(comm.unwrap_or(0) as usize).and_then(Option::as_ref);
        let place = numbers.last().and_then(|place| u32::try_from(*place).ok());
        let partner = members.zip(place).and_then(|(members, place)| members.ranks.get(place));
        partner.map(Some).ok_or_else(|| {
            let (rank, ranks) = (self.rank, self.ranks());
            Error::Unmatched(format!(
                "a moving partner is outside of its communicator on rank {rank} of {ranks}"
            ))
        })
    }

    fn emit(&mut self, made: &Made<'_>, taken: &[i64]) -> Result<()> {
        let shape = &self.program.shapes[made.call.shape as usize];
        match shape.what {
            What::Initialise { threads } => self.record(made, &Action::Initialise { threads }),
            What::Finalise => self.record(made, &Action::Finalise {}),
            What::Control { level } => self.record(made, &Action::Control { level }),
            What::Start => self.record(made, &Action::Start { requests: taken }),
            What::Free => {
                let request = taken.first().map(|slot| Slot(*slot as u32));
                self.record(made, &Action::Free { request });
            }
            What::Complete { until } => {
                let completed: Vec<i64> = (0..taken.len() as i64).collect();
                let action =
                    Action::Complete { until, requests: taken, completed: &completed, outcomes: &[] };
                self.record(made, &action);
            }
            What::Release { comm } => self.record(made, &Action::Release { comm: Some(Comm(comm)) }),
            What::Communicator { made: number, .. } => self.communicator(made, number),
            What::Send { .. } | What::Receive { .. } | What::SendReceive { .. } => self.message(made)?,
            What::Collective(collective) => self.collective(made, collective)?,
        }
        Ok(())
    }

    fn record(&mut self, made: &Made<'_>, action: &Action<'_>) {
        self.builder.call(&self.program.shapes[made.call.shape as usize].function, action);
    }

    fn comm(&self, made: &Made<'_>) -> Result<(Comm, &Members, CommId)> {
        let number = self.program.shapes[made.call.shape as usize].comm.unwrap_or(0);
        let members = self.comms.get(number as usize).and_then(Option::as_ref);
        let members = members.ok_or_else(|| {
            Error::Unmatched(format!("rank {} uses communicator {number} before it is made", self.rank))
        })?;
        Ok((Comm(number), members, (number, members.ranks.get(0).unwrap_or(0))))
    }

    /// Returns a partner as its distance in a communicator.
    fn peer(&self, made: &Made<'_>, partner: Option<u32>) -> Result<Peer> {
        let Some(partner) = partner else { return Ok(Peer::Null) };
        let (_, members, _) = self.comm(made)?;
        let far = position(&members.ranks, partner).map(|at| i64::from(at) - i64::from(members.own));
        far.and_then(|far| i32::try_from(far).ok()).map(Peer::Relative).ok_or_else(|| {
            let function = &self.program.shapes[made.call.shape as usize].function;
            let rank = self.rank;
            Error::Unmatched(format!(
                "the partner {partner} of {function} on rank {rank} is in another communicator"
            ))
        })
    }

    fn datatype(&mut self, size: i64, extent: i64, is_derived: bool) -> Type {
        let recorder = self.builder.recorder();
        let size = size.max(1);
        let new = || recorder.datatype(&Datatype { size: size as u64, extent, is_derived });
        *self.types.entry((size, extent, is_derived)).or_insert_with(new)
    }

    fn message(&mut self, made: &Made<'_>) -> Result<()> {
        let shape = &self.program.shapes[made.call.shape as usize];
        let (comm, _, id) = self.comm(made)?;
        let (own, numbers, request) = (self.rank, &made.numbers, made.request);
        let first = self.peer(made, made.partners[0])?;
        let datatype = self.datatype(numbers[2], numbers[3], shape.is_derived[0]);
        let (bytes, tag) = (numbers[0], numbers[1]);
        match shape.what {
            What::Send { mode, form } => {
                if let Some(to) = made.partners[0] {
                    self.matching.send(id, (own, to), tag, bytes);
                }
                let bytes = bytes as u64;
                self.record(
                    made,
                    &Action::Send { mode, form, comm, to: first, datatype, bytes, tag, request },
                );
            }
            What::Receive { form, any_source, any_tag } => {
                if let Some(from) = made.partners[0] {
                    self.matching.receive(id, (from, own), tag, bytes);
                }
                let wildcard = self.wildcard(made, 0, any_source, any_tag)?;
                let [source, got_tag, got_bytes] = wildcard.found(tag, numbers[4]);
                let (from, bytes) = (if any_source { Peer::Any } else { first }, bytes as u64);
                let tag = if any_tag { -1 } else { tag };
                let action = Action::Receive {
                    form,
                    comm,
                    from,
                    datatype,
                    bytes,
                    tag,
                    request,
                    source,
                    got_tag,
                    got_bytes,
                };
                self.record(made, &action);
            }
            What::SendReceive { replace, any_source, any_tag, .. } => {
                if let Some(to) = made.partners[0] {
                    self.matching.send(id, (own, to), tag, bytes);
                }
                let (receive_bytes, want_tag) = (numbers[4], numbers[5]);
                if let Some(from) = made.partners[1] {
                    self.matching.receive(id, (from, own), want_tag, receive_bytes);
                }
                let receive_type = self.datatype(numbers[6], numbers[7], shape.is_derived[1]);
                let second = self.peer(made, made.partners[1])?;
                let wildcard = self.wildcard(made, 1, any_source, any_tag)?;
                let [source, got_tag, got_bytes] = wildcard.found(want_tag, numbers[8]);
                let action = Action::SendReceive {
                    comm,
                    to: first,
                    from: if any_source { Peer::Any } else { second },
                    datatype,
                    receive_type,
                    replace,
                    bytes: bytes as u64,
                    tag,
                    receive_bytes: receive_bytes as u64,
                    want_tag: if any_tag { -1 } else { want_tag },
                    source,
                    got_tag,
                    got_bytes,
                    request,
                };
                self.record(made, &action);
            }
            _ => {}
        }
        Ok(())
    }

    fn wildcard(&self, made: &Made<'_>, place: usize, any_source: bool, any_tag: bool) -> Result<Wildcard> {
        if !any_source && !any_tag {
            return Ok(Wildcard(None));
        }
        let (_, members, _) = self.comm(made)?;
        let source = made.partners[place].and_then(|partner| position(&members.ranks, partner));
        Ok(Wildcard(Some(source.map_or(-1, i64::from))))
    }

    fn collective(&mut self, made: &Made<'_>, collective: Collective) -> Result<()> {
        let shape = &self.program.shapes[made.call.shape as usize];
        let (comm, members, id) = self.comm(made)?;
        let size = members.ranks.len();
        let numbers = &made.numbers;
        self.matching.collective(id, (collective.kind, collective.form, made.partners[0]));
        let root = self.peer(made, made.partners[0])?;
        let [datatype, receive_type] = [0, 1].map(|place| {
            let (element, extent) = (numbers[3 * place + 1], numbers[3 * place + 2]);
            collective.has_type[place].then(|| self.datatype(element, extent, shape.is_derived[place]))
        });
        let place = Place { grid: self.grid, rank: self.rank, partner: None };
        let [send_sizes, receive_sizes] = [0, 1].map(|side: usize| {
            made.call.lists[side].as_ref().and_then(|list| list.at(&place, size)).unwrap_or_default()
        });
        let action = Action::Collective {
            pattern: collective.kind,
            form: collective.form,
            comm,
            root,
            datatype,
            receive_type,
            commutes: collective.commutes,
            in_place: collective.in_place,
            bytes: numbers[0] as u64,
            receive_bytes: numbers[3] as u64,
            request: made.request,
            send_sizes: &send_sizes,
            receive_sizes: &receive_sizes,
        };
        self.record(made, &action);
        Ok(())
    }

    fn communicator(&mut self, made: &Made<'_>, number: Option<u32>) {
        let parent = Comm(self.program.shapes[made.call.shape as usize].comm.unwrap_or(0));
        if let Some(number) = number {
            self.define(number);
        }
        let (comm, request) = (number.map(Comm), made.request);
        self.record(made, &Action::Communicator { parent, comm, request });
    }

    /// Defines communicators up to this one.
    fn define(&mut self, number: u32) {
        while self.comms.len() <= number as usize {
            let rule = &self.program.comms[self.comms.len()];
            let ranks = rule.members.of(self.grid, self.rank);
            let own = position(&ranks, self.rank).unwrap_or(0);
            let recorder = self.builder.recorder();
            let made_by = recorder.name(&rule.made_by);
            recorder.communicator(&Communicator {
                made_by,
                parent: rule.parent.map(Comm),
                ordinal: rule.ordinal,
                tag: rule.tag,
                rank: own,
                members: ranks.clone(),
                others: None,
                sources: Ranks::default(),
                destinations: Ranks::default(),
            });
            self.comms.push(Some(Members { ranks, own }));
        }
    }
}

/// What a receive with wildcards matched: the source's number in the communicator.
struct Wildcard(Option<i64>);

impl Wildcard {
    /// Returns source, tag and bytes as they are recorded.
    fn found(&self, tag: i64, bytes: i64) -> [i64; 3] {
        self.0.map_or([-1; 3], |source| [source, tag, bytes])
    }
}
