//! Calls that become known one by one take as long as those of a complete trace, in whatever order
//! ranks tell them.

use panto_machine::Machine;
use panto_random::SplitMix64;
use panto_schedule::Collective;
use panto_sim::observe::NoObserver;
use panto_sim::ordered;
use panto_sim::replay::{self, Inquiry, Matched, Online, Options, TestKind};
use panto_sim::{RunConfig, Sharing};
use panto_trace::{
    Action, CallForm, CompletionKind, Name, Peer, ProbeKind, Recorder, SendMode, Slot, Tables, Trace, Type,
    WindowOrFileId,
};
use panto_units::Time;

use crate::support::{
    DOUBLE, Together, WORLD, Writer, collective, complete, plain, receive, send, streams, with_trace,
};

/// Returns the definitions of a rank as the tracer tells them.
fn definitions(tables: &Tables) -> Vec<u8> {
    let mut recorder = Recorder::new(false);
    for name in (0..).map_while(|name| tables.name(Name(name))) {
        recorder.name(name);
    }
    for datatype in (0..).map_while(|number| tables.datatype(Type(number))) {
        recorder.datatype(datatype);
    }
    for comm in tables.comms() {
        recorder.communicator(comm);
    }
    for window in (0..).map_while(|number| tables.window_or_file(WindowOrFileId(number))) {
        recorder.window_or_file(window);
    }
    recorder.new_definitions().to_vec()
}

/// A run of real ranks, as the tests drive it.
struct Told<'a> {
    online: Online<'a>,
    names: Vec<Vec<String>>,
}

impl<'a> Told<'a> {
    fn new(trace: &Trace, config: RunConfig<'a>) -> Self {
        let mut online = Online::new(config, trace.size());
        let mut names = Vec::new();
        for rank in trace.ranks() {
            let tables = rank.tables().expect("definitions");
            online.define(rank.rank(), &definitions(&tables)).expect("definitions");
            names.push((0..).map_while(|name| tables.name(Name(name))).map(str::to_owned).collect());
        }
        Self { online, names }
    }

    fn call(&mut self, rank: u32, name: &str, action: &Action<'_>, before: u64) {
        let number = self.names[rank as usize].iter().position(|known| known == name).expect("a name");
        let before = Time::from_nanos(before);
        self.online.call(rank, Name(number as u32), action, before).expect("a call");
    }
}

/// Tells the calls of a trace in an order that a seed determines, asks for the time now and then,
/// and returns the end of each rank.
fn told_ends(trace: &Trace, config: RunConfig<'_>, seed: u64) -> Vec<Time> {
    let ranks = trace.size();
    let mut told = Told::new(trace, config);
    let mut random = SplitMix64::new(seed);
    let mut events: Vec<_> = trace.ranks().iter().map(|rank| Some(rank.events())).collect();
    let mut asks = vec![false; ranks as usize];
    while !told.online.is_done() {
        let rank = (random.next_u64() % u64::from(ranks)) as u32;
        if let Some(of_rank) = &mut events[rank as usize]
            && !asks[rank as usize]
        {
            if let Some(event) = of_rank.next().expect("an event") {
                let action = event.action().expect("an action");
                told.call(rank, event.name(), &action, event.before());
            } else {
                events[rank as usize] = None;
                told.online.end(rank);
            }
            if events[rank as usize].is_some() && random.next_u64().is_multiple_of(4) {
                told.online.ask(rank, &Inquiry::Clock).expect("a question");
                asks[rank as usize] = true;
            }
        }
        told.online.run().expect("a run");
        while let Some((rank, reply)) = told.online.next_reply() {
            assert_eq!(reply.clock, told.online.clock(rank));
            asks[rank as usize] = false;
        }
        assert!(told.online.deadlock().is_none(), "{}", told.online.deadlock().expect("one"));
    }
    (0..ranks).map(|rank| told.online.clock(rank)).collect()
}

/// A program with messages in several forms, and collectives of all kinds; with helpers if some of
/// them are non-blocking.
fn program(w: &mut Writer, with_helpers: bool) {
    let (rank, ranks) = (w.rank as i32, w.ranks as i32);
    let (right, left) = ((rank + 1) % ranks - rank, (rank + ranks - 1) % ranks - rank);
    for step in 0..6_u64 {
        w.irecv(Peer::Relative(left), 0);
        w.irecv(Peer::Relative(right), 1);
        w.isend(right, 100 + 10_000 * step, 2);
        w.isend(left, 64, 3);
        w.after(700 + 300 * (rank as u64 % 3), "MPI_Waitall", &complete(WAIT_ALL, &[0, 1, 2, 3], &ALL, &[]));
        for pattern in Collective::ALL {
            let root = if pattern.rooted() { Peer::Relative(step as i32 % ranks - rank) } else { Peer::Null };
            w.after(rank as u64 * 10, "MPI_Collective", &collective(pattern, root, 800));
        }
        let started = Together {
            form: CallForm::Immediate,
            request: Some(0),
            ..Together::new(Collective::Allreduce, 4_096)
        };
        if with_helpers {
            w.call("MPI_Iallreduce", &started.action());
        }
        if rank % 2 == 0 {
            w.send(right, 2_000);
        } else {
            w.receive(left);
        }
        if with_helpers {
            w.after(50, "MPI_Wait", &complete(CompletionKind::Wait, &[0], &[0], &[]));
        }
    }
}

const WAIT_ALL: CompletionKind = CompletionKind::WaitAll;
const ALL: [i64; 4] = [0, 1, 2, 3];

/// Helpers have other numbers than in a trace, which decide ties on shared links.
#[test]
fn the_order_of_telling_does_not_matter() {
    for (with_helpers, sharings) in
        [(true, &[Sharing::None, Sharing::Endpoints][..]), (false, &[Sharing::Endpoints, Sharing::Links])]
    {
        any_order_gives_the_same(with_helpers, sharings);
    }
}

fn any_order_gives_the_same(with_helpers: bool, sharings: &[Sharing]) {
    with_trace(&streams(6, |w| program(w, with_helpers)), |trace| {
        for name in ["infiniband", "ethernet10", "cm5"] {
            let machine =
                panto_machine::Model::load(name, &[]).expect("a model").for_ranks(6).expect("room").0;
            for &sharing in sharings {
                let config = RunConfig { machine: &machine, sharing, compute_scales: &[], noise: None };
                let replay = replay::program(trace, &machine, &Options::default()).expect("a program");
                let whole = ordered::run(&replay.program, &config, &mut NoObserver).expect("an end");
                for seed in 0..4 {
                    assert_eq!(
                        told_ends(trace, config, seed),
                        whole[..6],
                        "{name}, {sharing:?}, seed {seed}"
                    );
                }
            }
        }
    });
}

fn on(machine: &Machine) -> RunConfig<'_> {
    RunConfig { machine, sharing: Sharing::None, compute_scales: &[], noise: None }
}

/// The streams of ranks that only define what they will use.
fn defining(w: &mut Writer) {
    for name in ["MPI_Recv", "MPI_Send", "MPI_Irecv", "MPI_Wait", "MPI_Probe", "MPI_Iprobe"] {
        w.call(name, &Action::Control { level: 9 });
    }
}

fn with_ranks(ranks: u32, test: impl FnOnce(&mut Told<'_>)) {
    let machine = plain(ranks);
    with_trace(&streams(ranks, defining), |trace| test(&mut Told::new(trace, on(&machine))));
}

/// A message of `bytes` from another rank to rank 0, sent at `at` nanoseconds.
fn sends(told: &mut Told<'_>, from: u32, bytes: u64, at: u64) {
    let to = Peer::Relative(-(from as i32));
    let action = Action::Send {
        mode: SendMode::Standard,
        form: CallForm::Blocking,
        comm: WORLD,
        to,
        datatype: DOUBLE,
        bytes,
        tag: 7,
        request: None,
    };
    told.call(from, "MPI_Send", &action, at);
}

#[test]
fn a_wildcard_matches_the_first_in_virtual_time() {
    with_ranks(3, |told| {
        told.call(0, "MPI_Recv", &receive(CallForm::Blocking, Peer::Any, None), 0);
        told.online.ask(0, &Inquiry::Clock).expect("a question");
        // Rank 2 tells first, but sends later.
        sends(told, 2, 8, 900);
        told.online.run().expect("a run");
        assert!(told.online.next_reply().is_none(), "rank 1 may be earlier");
        sends(told, 1, 16, 100);
        told.online.run().expect("a run");
        assert!(told.online.next_reply().is_none(), "rank 1 may send again");
        told.online.end(1);
        told.online.end(2);
        told.online.run().expect("a run");
        let (rank, reply) = told.online.next_reply().expect("a reply");
        assert_eq!((rank, reply.received), (0, Some(Matched { source: 1, tag: 7, bytes: 16 })));
        assert_eq!(reply.clock, Time::from_nanos(100 + 1_000 + 16));
    });
}

#[test]
fn a_test_finds_what_is_complete_by_its_clock() {
    with_ranks(2, |told| {
        told.call(0, "MPI_Irecv", &receive(CallForm::Immediate, Peer::Any, Some(Slot(4))), 0);
        sends(told, 1, 0, 500);
        told.online.end(1);
        let test = |told: &mut Told<'_>, before: u64| {
            told.online.compute(0, Time::from_nanos(before));
            told.online.ask(0, &Inquiry::Test(TestKind::TestAny, vec![4])).expect("a question");
            told.online.run().expect("a run");
            told.online.next_reply().expect("a reply").1
        };
        let early = test(told, 1_000);
        assert_eq!((early.completed, early.matches), (vec![], vec![]));
        let late = test(told, 1_000);
        assert_eq!(late.completed, [0]);
        assert_eq!(late.matches, [(4, Matched { source: 1, tag: 7, bytes: 0 })]);
    });
}

fn probe_call(look: ProbeKind, found: bool) -> Action<'static> {
    let (comm, from, tag, message) = (WORLD, Peer::Any, -1, None);
    Action::Probe { look, comm, from, tag, found, source: -1, got_tag: -1, got_bytes: -1, message }
}

/// Polls until there is a message; returns when it was found, and the number of polls.
fn poll(told: &mut Told<'_>) -> (Time, usize) {
    let probe = Inquiry::Probe { comm: WORLD, from: Peer::Any, tag: -1 };
    let mut polls = 0;
    loop {
        told.online.ask(0, &probe).expect("a question");
        told.online.run().expect("a run");
        let reply = told.online.next_reply().expect("a reply").1;
        told.call(0, "MPI_Iprobe", &probe_call(ProbeKind::Iprobe, reply.probed.is_some()), 0);
        polls += 1;
        assert!(polls < 2_000, "{polls} polls, at {:?}", reply.clock);
        if reply.probed.is_some() {
            return (reply.clock, polls);
        }
    }
}

#[test]
fn a_polling_loop_ends() {
    with_ranks(2, |told| {
        sends(told, 1, 0, 1_000_000_000);
        told.online.end(1);
        let late = poll(told).0.as_secs() - 1.000_001;
        assert!((0.0..0.016).contains(&late), "{late} s");
    });
}

/// The time between two tests depends on the current loop, not on those before.
#[test]
fn each_polling_loop_begins_anew() {
    with_ranks(2, |told| {
        const MESSAGES: usize = 400;
        (0..MESSAGES).for_each(|_| sends(told, 1, 0, 10_000));
        told.online.end(1);
        for number in 1..=MESSAGES {
            let late = poll(told).0.as_secs() * 1e6 - (10 * number + 1) as f64;
            assert!((0.0..0.3).contains(&late), "message {number} is found {late} us too late");
            told.call(0, "MPI_Recv", &receive(CallForm::Blocking, Peer::Relative(1), None), 0);
        }
    });
}

#[test]
fn a_probe_names_the_message() {
    with_ranks(2, |told| {
        told.call(0, "MPI_Probe", &probe_call(ProbeKind::Probe, true), 0);
        told.online.ask(0, &Inquiry::Clock).expect("a question");
        sends(told, 1, 24, 0);
        told.online.end(1);
        told.online.run().expect("a run");
        let reply = told.online.next_reply().expect("a reply").1;
        assert_eq!(reply.probed, Some(Matched { source: 1, tag: 7, bytes: 24 }));
    });
}

#[test]
fn ranks_that_wait_for_each_other_are_named() {
    with_ranks(2, |told| {
        told.call(0, "MPI_Recv", &receive(CallForm::Blocking, Peer::Relative(1), None), 0);
        told.online.run().expect("a run");
        assert!(told.online.deadlock().is_none(), "rank 1 may send");
        told.call(1, "MPI_Recv", &receive(CallForm::Blocking, Peer::Relative(-1), None), 0);
        told.online.run().expect("a run");
        let error = told.online.deadlock().expect("a deadlock").to_string();
        let waits = "rank 0 waits in call 1 for a message from rank 1; rank 1 waits in call 1 for a message from rank 0";
        assert_eq!(error, format!("deadlock: {waits}"));
    });
}

/// A rank that waits in a call which is not known yet bounds the time of others, until they
/// overtake it; then it continues where they are.
#[test]
fn a_held_rank_is_overtaken() {
    with_ranks(2, |told| {
        told.online.hold(1);
        told.online.compute(0, Time::from_nanos(5_000));
        let probe = Inquiry::Probe { comm: WORLD, from: Peer::Any, tag: -1 };
        told.online.ask(0, &probe).expect("a question");
        told.online.run().expect("a run");
        assert!(told.online.next_reply().is_none(), "rank 1 may send");
        assert_eq!(told.online.held(), Some(1));
        assert!(told.online.deadlock().is_none());
        assert!(told.online.overtake_held());
        told.online.run().expect("a run");
        assert_eq!(told.online.next_reply().expect("a reply").1.probed, None);
        assert!(told.online.has_starved(), "rank 0 may call");
        assert!(!told.online.overtake_held(), "it is overtaken");
        sends(told, 1, 8, 100);
        assert_eq!(told.online.held(), None);
        told.online.end(1);
        let found = poll(told).0;
        assert!(found >= Time::from_nanos(5_000 + 100 + 1_008), "{found:?}");
    });
}

#[test]
fn a_call_that_cannot_be_simulated_is_named() {
    with_ranks(2, |told| {
        let unknown = send(CallForm::Blocking, 5, 8, None);
        let error = told.online.call(0, Name(1), &unknown, Time::ZERO).expect_err("an error").to_string();
        assert!(error.contains("rank 0, call 1"), "{error}");
    });
}
