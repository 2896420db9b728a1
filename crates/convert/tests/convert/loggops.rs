//! The machine `loggops` gives the times of the `LogGOPS` model, but for what its document says.

use panto_machine::Machine;
use panto_units::Time;

use crate::support::{ends, folder, from_goal, program};

/// When each rank of a schedule ends, in nanoseconds.
fn nanos(text: &str, overrides: &[&str]) -> Vec<u64> {
    let folder = folder();
    let (path, _) = from_goal(folder.path(), text);
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let machine = Machine::load("loggops", &overrides).unwrap_or_else(|error| panic!("{error}"));
    let ends = ends(&program(&path, &machine).program, &machine);
    ends.into_iter().map(|end: Time| end.as_picos() / 1_000).collect()
}

const O: u64 = 1_500;
const L: u64 = 2_500;

#[test]
fn a_message_takes_o_and_l_and_its_bytes_and_o() {
    let text = "num_ranks 2\nrank 0 {\na: calc 100\nb: send 10b to 1\nb requires a\n}\nrank 1 {\na: recv 10b from 0\nb: calc 50\nb \
                requires a\n}\n";
    assert_eq!(nanos(text, &[]), [100 + O, 100 + O + L + 9 * 6 + O + 50]);
}

#[test]
fn messages_of_a_rank_leave_with_a_gap() {
    let text = "num_ranks 4\nrank 0 {\nsend 1b to 1\nsend 1b to 2\nsend 1b to 3\n}\nrank 1 {\nrecv 1b from 0\n}\nrank 2 {\nrecv 1b from \
                0\n}\nrank 3 {\nrecv 1b from 0\n}\n";
    let arrival = |left: u64| left + L + O;
    // Where o is more than g, the processor is what keeps the next message back,
    assert_eq!(nanos(text, &[]), [3 * O, arrival(O), arrival(2 * O), arrival(3 * O)]);
    // else the network.
    let short = nanos(text, &["overhead.send=200ns"]);
    assert_eq!(short, [600, arrival(200), arrival(200 + 1_000), arrival(200 + 2_000)]);
}

#[test]
fn bytes_cost_the_processor_where_the_model_says_so() {
    let text = "num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nrecv 1000b from 0\n}\n";
    let set = ["overhead.send.latency=1.5us", "overhead.send.per-byte=1ns"];
    let plain = nanos(text, &[]);
    let dear = nanos(text, &set);
    assert_eq!(dear[0] - plain[0], 1_000);
}

/// `LogGOPSim` charges nothing for the request and the grant.
#[test]
fn above_s_a_request_and_a_grant_take_l_each() {
    let send = |bytes: u64| {
        format!("num_ranks 2\nrank 0 {{\nsend {bytes}b to 1\n}}\nrank 1 {{\nrecv {bytes}b from 0\n}}\n")
    };
    let eager = 65_535;
    assert_eq!(nanos(&send(eager), &[]), [O, O + L + (eager - 1) * 6 + O]);
    let long = eager + 1;
    assert_eq!(nanos(&send(long), &[])[1], O + L + L + L + (long - 1) * 6 + O);
}
