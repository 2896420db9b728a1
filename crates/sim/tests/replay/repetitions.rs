//! Calls that repeat are skipped, and become the same program as if each had been read.
//!
//! Repetitions end with a block of the trace. So the same calls in blocks of one event each, where
//! nothing repeats, are the reference.

use panto_sim::replay::{Options, Replay};
use panto_trace::{Action, CallForm, Collective, CompletionKind, Peer, Slot};
use proptest::prelude::*;

use crate::support::{Writer, assert_same, collective, complete, receive, send, tried};

/// A part of the calls of all ranks, each of which exchanges messages with its neighbours.
#[derive(Debug, Clone)]
enum Part {
    /// An exchange with blocking calls.
    Blocking(u64),
    /// An exchange with requests, which are completed together.
    Started(u64),
    /// A receive that is started before the next part, and completed after it.
    Around(Box<Part>),
    Sum(u64),
    /// A broadcast, of which some ranks only receive one message.
    Broadcast,
    Barrier,
    /// A message whose request is freed, which is never skipped.
    Freed,
    /// A poll that finds nothing, and counts as a loop that waits.
    Poll,
    Loop(Vec<Part>, u32),
}

fn part() -> impl Strategy<Value = Part> {
    let leaf = prop_oneof![
        (0_u64..3).prop_map(Part::Blocking),
        (0_u64..3).prop_map(Part::Started),
        (1_u64..3).prop_map(Part::Sum),
        Just(Part::Broadcast),
        Just(Part::Barrier),
        Just(Part::Freed),
        Just(Part::Poll),
    ];
    leaf.prop_recursive(3, 40, 4, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 1..4), 1_u32..7)
                .prop_map(|(parts, times)| Part::Loop(parts, times)),
            inner.prop_map(|part| Part::Around(Box::new(part))),
        ]
    })
}

/// Writes calls; `next` is the lowest free slot.
struct Calls<'a> {
    w: &'a mut Writer,
    /// Whether each call has a block of its own.
    is_apart: bool,
    /// Counts calls, so that computations differ.
    count: u64,
    slot: u32,
}

impl Calls<'_> {
    fn call(&mut self, name: &str, action: &Action<'_>) {
        self.count += 1;
        self.w.after(self.count * 37 % 11, name, action);
        if self.is_apart {
            self.w.seal();
        }
    }

    fn far(&self) -> (i32, i32) {
        let (own, last) = (self.w.rank as i32, self.w.ranks as i32 - 1);
        (if own == last { -last } else { 1 }, if own == 0 { last } else { -1 })
    }

    fn isend(&mut self, bytes: u64, slot: u32) {
        let (next, _) = self.far();
        self.call("MPI_Isend", &send(CallForm::Immediate, next, bytes, Some(Slot(slot))));
    }

    fn irecv(&mut self, slot: u32) {
        let (_, before) = self.far();
        self.call("MPI_Irecv", &receive(CallForm::Immediate, Peer::Relative(before), Some(Slot(slot))));
    }

    fn wait_all(&mut self, slots: &[i64]) {
        let completed: Vec<i64> = (0..slots.len() as i64).collect();
        self.call("MPI_Waitall", &complete(CompletionKind::WaitAll, slots, &completed, &[]));
    }

    fn part(&mut self, part: &Part) {
        let first = self.slot;
        match part {
            Part::Blocking(bytes) => {
                let (next, before) = self.far();
                self.call("MPI_Send", &send(CallForm::Blocking, next, *bytes, None));
                self.call("MPI_Recv", &receive(CallForm::Blocking, Peer::Relative(before), None));
            }
            Part::Started(bytes) => {
                self.irecv(first);
                self.isend(*bytes, first + 1);
                self.wait_all(&[first.into(), (first + 1).into()]);
            }
            Part::Around(part) => {
                self.irecv(first);
                self.slot += 1;
                self.part(part);
                self.slot -= 1;
                self.isend(8, first + 1);
                self.wait_all(&[(first + 1).into(), first.into()]);
            }
            Part::Sum(bytes) => {
                self.call("MPI_Allreduce", &collective(Collective::Allreduce, Peer::Null, 8 * bytes));
            }
            Part::Broadcast => {
                let root = Peer::Relative(-(self.w.rank as i32));
                self.call("MPI_Bcast", &collective(Collective::Broadcast, root, 8));
            }
            Part::Barrier => self.call("MPI_Barrier", &collective(Collective::Barrier, Peer::Null, 0)),
            Part::Freed => {
                let request = Some(Slot(first));
                self.call("MPI_Isend", &send(CallForm::Immediate, self.far().0, 8, request));
                self.call("MPI_Request_free", &Action::Free { request });
                self.call("MPI_Recv", &receive(CallForm::Blocking, Peer::Relative(self.far().1), None));
            }
            Part::Poll => self.call("MPI_Testall", &complete(CompletionKind::TestAll, &[], &[], &[])),
            Part::Loop(parts, times) => {
                for part in (0..*times).flat_map(|_| parts) {
                    self.part(part);
                }
            }
        }
    }
}

fn replay(ranks: u32, parts: &[Part], is_apart: bool) -> Result<Replay, String> {
    let write = |w: &mut Writer| {
        let mut calls = Calls { w, is_apart, count: 0, slot: 0 };
        for part in parts {
            calls.part(part);
        }
    };
    tried(ranks, Options::default(), write).map_err(|error| error.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn skipped_calls_become_the_same_program(
        ranks in 1_u32..4,
        parts in prop::collection::vec(part(), 1..5),
        times in 1_u32..60,
    ) {
        let parts = [Part::Loop(parts, times)];
        let (skipped, read) = (replay(ranks, &parts, false), replay(ranks, &parts, true));
        assert_same(&skipped.expect("a program"), &read.expect("a program"));
    }
}

/// An error among repeated calls names the same call.
#[test]
fn errors_are_found_at_the_same_call() {
    let write = |is_apart: bool| {
        move |w: &mut Writer| {
            let rank = w.rank;
            let mut calls = Calls { w, is_apart, count: 0, slot: 0 };
            let parts = [Part::Sum(1), Part::Blocking(8)];
            calls.part(&Part::Loop(parts.to_vec(), 100));
            // One rank makes more calls than the other.
            if rank == 1 {
                calls.part(&Part::Loop(vec![Part::Sum(1)], 100));
            }
        }
    };
    let error = |is_apart| tried(2, Options::default(), write(is_apart)).unwrap_err().to_string();
    assert_eq!(error(false), error(true));
    assert!(error(false).contains("rank 1, call 300 (MPI_Allreduce)"), "{}", error(false));
    let unsent = |is_apart: bool| {
        move |w: &mut Writer| {
            let mut calls = Calls { w, is_apart, count: 0, slot: 0 };
            let (_, before) = calls.far();
            for _ in 0..50 {
                calls.call("MPI_Recv", &receive(CallForm::Blocking, Peer::Relative(before), None));
                calls.call("MPI_Barrier", &collective(Collective::Barrier, Peer::Null, 0));
            }
        }
    };
    let error = |is_apart| tried(2, Options::default(), unsent(is_apart)).unwrap_err().to_string();
    assert_eq!(error(false), error(true));
    assert!(error(false).contains("call 98 (MPI_Recv)"), "{}", error(false));
}
