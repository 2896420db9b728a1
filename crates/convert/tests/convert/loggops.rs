//! The machine `loggops` produces the times of the `LogGOPS` model, except where its documentation
//! says otherwise.

use panto_machine::Model;
use panto_trace::Trace;
use panto_units::Time;

use crate::loggopsim::{self, Schedule};
use crate::patterns;
use crate::support::{ends, folder, from_goal, program};

/// Returns the end of each rank of a schedule, in nanoseconds.
fn nanos(text: &str, overrides: &[&str]) -> Vec<u64> {
    let folder = folder();
    let (path, _) = from_goal(folder.path(), text);
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let ranks = Trace::open(&path).expect("a trace").ranks().len();
    let model = Model::load("loggops", &overrides).unwrap_or_else(|error| panic!("{error}"));
    let (machine, _) = model.for_ranks(ranks).unwrap_or_else(|error| panic!("{error}"));
    let ends = ends(&program(&path, &machine).program, &machine);
    ends.into_iter().map(|end: Time| end.as_picos() / 1_000).collect()
}

const O: u64 = 1_500;
const L: u64 = 2_500;

#[test]
fn a_message_takes_o_plus_l_plus_bytes_plus_o() {
    let text = "num_ranks 2\nrank 0 {\na: calc 100\nb: send 10b to 1\nb requires a\n}\nrank 1 {\na: recv 10b from 0\nb: calc 50\nb \
                requires a\n}\n";
    assert_eq!(nanos(text, &[]), [100 + O, 100 + O + L + 9 * 6 + O + 50]);
}

#[test]
fn consecutive_sends_are_separated_by_the_gap() {
    let text = "num_ranks 4\nrank 0 {\nsend 1b to 1\nsend 1b to 2\nsend 1b to 3\n}\nrank 1 {\nrecv 1b from 0\n}\nrank 2 {\nrecv 1b from \
                0\n}\nrank 3 {\nrecv 1b from 0\n}\n";
    let arrival = |left: u64| left + L + O;
    // Where o is larger than g, the processor limits the message rate.
    assert_eq!(nanos(text, &[]), [3 * O, arrival(O), arrival(2 * O), arrival(3 * O)]);
    // Otherwise the network does.
    let short = nanos(text, &["overhead.send=200ns"]);
    assert_eq!(short, [2_000 + 200, arrival(200), arrival(200 + 1_000), arrival(200 + 2_000)]);
}

#[test]
fn overhead_per_byte_is_charged() {
    let text = "num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nrecv 1000b from 0\n}\n";
    let set = ["overhead.send.latency=1.5us", "overhead.send.per-byte=1ns"];
    let plain = nanos(text, &[]);
    let dear = nanos(text, &set);
    assert_eq!(dear[0] - plain[0], 1_000);
}

/// `LogGOPSim` charges no time for the request to send and the clear to send, and completes the
/// send when the first byte is matched.
#[test]
fn rendezvous_completes_the_send_at_the_match() {
    let send = |bytes: u64| {
        format!(
            "num_ranks 2\nrank 0 {{\nsend {bytes}b to 1\n}}\nrank 1 {{\na: calc 9000\nb: recv {bytes}b from 0\nb requires a\n}}\n"
        )
    };
    let eager = 65_535;
    assert_eq!(nanos(&send(eager), &[]), [O, 9_000 + (eager - 1) * 6 + O]);
    let long = eager + 1;
    assert_eq!(nanos(&send(long), &[]), [9_000, 9_000 + (long - 1) * 6 + O]);
}

/// Asserts that each rank ends when `LogGOPSim` says, to the nanosecond.
fn assert_equals_loggopsim(name: &str, schedule: &Schedule) {
    let expected = loggopsim::simulate(schedule, loggopsim::DEFAULTS);
    let ends = nanos(&loggopsim::goal(schedule), &[]);
    let differ: Vec<usize> = (0..ends.len()).filter(|rank| ends[*rank] != expected[*rank]).collect();
    let show = |rank: &usize| format!("rank {rank}: {}, expected {}", ends[*rank], expected[*rank]);
    let count = differ.len();
    assert!(count == 0, "{name}, {count} of {} ranks differ: {:?}", ends.len(), differ.first().map(show));
}

#[test]
fn patterns_equal_loggopsim() {
    for bytes in [8, 1 << 10, 1 << 20] {
        assert_equals_loggopsim("ring", &patterns::ring(64, bytes));
        assert_equals_loggopsim("2-D halo", &patterns::halo(&[8, 8], bytes));
        assert_equals_loggopsim("3-D halo", &patterns::halo(&[4, 4, 4], bytes));
        assert_equals_loggopsim("wavefront", &patterns::wavefront(8, bytes));
        assert_equals_loggopsim("dissemination", &patterns::dissemination(64, bytes));
        assert_equals_loggopsim("dissemination", &patterns::dissemination(37, bytes));
        assert_equals_loggopsim("binomial", &patterns::binomial(64, bytes));
        assert_equals_loggopsim("binomial", &patterns::binomial(45, bytes));
        assert_equals_loggopsim("alltoall", &patterns::alltoall(24, bytes));
        assert_equals_loggopsim("sparse", &patterns::sparse(64, bytes, 1, 5_000));
    }
    assert_equals_loggopsim("3-D halo", &patterns::halo(&[8, 8, 8], 1 << 10));
}

/// 4,096 ranks; an alltoall among all of them would be 17 million messages, so it has fewer. Random
/// times of up to 5 ms hardly ever coincide: where events of several ranks happen in the same
/// nanosecond, their order is open, and some ranks end at other times.
#[test]
fn large_patterns_equal_loggopsim() {
    let kilobyte = 1 << 10;
    assert_equals_loggopsim("ring", &patterns::ring(4_096, kilobyte));
    assert_equals_loggopsim("2-D halo", &patterns::halo(&[64, 64], kilobyte));
    assert_equals_loggopsim("3-D halo", &patterns::halo(&[16, 16, 16], kilobyte));
    assert_equals_loggopsim("wavefront", &patterns::wavefront(64, kilobyte));
    assert_equals_loggopsim("dissemination", &patterns::dissemination(4_096, kilobyte));
    assert_equals_loggopsim("binomial", &patterns::binomial(4_096, kilobyte));
    assert_equals_loggopsim("alltoall", &patterns::alltoall(128, kilobyte));
    for bytes in [8, 1 << 20] {
        assert_equals_loggopsim("sparse", &patterns::sparse(4_096, bytes, 3, 5_000_000));
    }
}

/// With times that coincide, the makespan is the same within 0.1 %.
#[test]
fn ties_hardly_change_the_makespan() {
    let schedule = patterns::sparse(4_096, 8, 3, 5_000);
    let makespan = |ends: &[u64]| ends.iter().copied().max().unwrap_or_default() as f64;
    let expected = loggopsim::simulate(&schedule, loggopsim::DEFAULTS);
    let ends = nanos(&loggopsim::goal(&schedule), &[]);
    let ratio = makespan(&ends) / makespan(&expected);
    assert!((ratio - 1.0).abs() < 0.001, "{ratio}");
    let differ = ends.iter().zip(&expected).filter(|(end, expected)| end != expected).count();
    assert!(differ < 41, "{differ} of 4,096 ranks differ");
}

#[test]
fn random_patterns_equal_loggopsim() {
    for seed in 0..200 {
        for bytes in [8, 1 << 10, 1 << 20] {
            assert_equals_loggopsim("sparse", &patterns::sparse(3 + seed as usize % 7, bytes, seed, 5_000));
        }
    }
}
