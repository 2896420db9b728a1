//! The same work on `SimGrid` and on Panto, on equivalent machines.
//!
//! Needs `smpirun` (Debian: libsimgrid-dev). Where it is not installed the test is passed over, unless `PANTO_TEST_SIMGRID` is set.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use panto_convert::ti;
use panto_trace::Trace;
use panto_units::Time;

use crate::support::{ends, folder, from_ti, plain, program};

const RANKS: usize = 4;

/// Neither corrections for real networks nor waiting senders: a message takes the latency and its bytes. The collectives are those that
/// MPICH's rules choose.
const SETTINGS: [&str; 9] = [
    "smpi/lat-factor:0:1",
    "smpi/bw-factor:0:1",
    "network/crosstraffic:0",
    "network/TCP-gamma:0",
    "smpi/async-small-thresh:1000000000",
    "smpi/send-is-detached-thresh:1000000000",
    "smpi/allreduce:rdb",
    "smpi/bcast:binomial_tree",
    "smpi/display-timing:yes",
];

/// Hosts that are all connected with each other, in a way that no message is in the way of another.
fn platform() -> String {
    let mut text = String::from(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n\
         <zone id=\"z\" routing=\"Full\">\n",
    );
    for host in 0..RANKS {
        let _ = writeln!(text, "<host id=\"h{host}\" speed=\"1Gf\"/>");
    }
    text += "<link id=\"l\" bandwidth=\"1GBps\" latency=\"10us\" sharing_policy=\"FATPIPE\"/>\n";
    for (one, other) in (0..RANKS).flat_map(|one| (one + 1..RANKS).map(move |other| (one, other))) {
        let _ = writeln!(text, "<route src=\"h{one}\" dst=\"h{other}\"><link_ctn id=\"l\"/></route>");
    }
    text + "</zone></platform>\n"
}

/// A ring with computation that differs from rank to rank, and collectives that both carry out in the same way.
fn work(rank: usize) -> String {
    let (next, before) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
    let mut text = format!("{rank} init\n");
    for round in 0..10 {
        let flops = 20_000 * (1 + (rank + round) % 3);
        let bytes = 1_000 << round;
        let _ = write!(
            text,
            "{rank} compute {flops}\n{rank} irecv {before} {round} {bytes}\n{rank} isend {next} {round} {bytes}\n\
             {rank} compute 5000\n{rank} wait {before} {rank} {round}\n{rank} wait {rank} {next} {round}\n\
             {rank} allreduce 8 0\n{rank} bcast 1000 0\n"
        );
    }
    text + &format!("{rank} finalize\n")
}

/// Seconds that `SimGrid` predicts.
fn simgrid(folder: &Path, list: &Path) -> f64 {
    let path = |name: &str| folder.join(name);
    std::fs::write(path("platform.xml"), platform()).expect("a file");
    let hosts: Vec<String> = (0..RANKS).map(|host| format!("h{host}")).collect();
    std::fs::write(path("hosts"), hosts.join("\n") + "\n").expect("a file");
    let mut command = Command::new("smpirun");
    command.arg("-np").arg(RANKS.to_string()).arg("-platform").arg(path("platform.xml"));
    command.arg("-hostfile").arg(path("hosts")).arg("-replay").arg(list);
    command.args(SETTINGS.map(|setting| format!("--cfg={setting}")));
    let output = command.current_dir(folder).output().expect("smpirun starts");
    let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    let after = text.split("Simulated time: ").nth(1).and_then(|rest| rest.split_whitespace().next());
    after.and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("smpirun says no time:\n{text}"))
}

#[test]
fn simgrid_predicts_the_same() {
    if Command::new("smpirun").arg("-help").output().is_err() {
        assert!(
            std::env::var_os("PANTO_TEST_SIMGRID").is_none(),
            "PANTO_TEST_SIMGRID is set, and smpirun is not installed; apt-get install libsimgrid-dev"
        );
        eprintln!("smpirun is not installed (apt-get install libsimgrid-dev): passed over");
        return;
    }
    let folder = folder();
    let text: String = (0..RANKS).map(work).collect();
    let (path, _) = from_ti(folder.path(), &text);
    let list = folder.path().join("exported.ti");
    ti::write(&Trace::open(&path).expect("a trace"), ti::FLOPS, &list)
        .unwrap_or_else(|error| panic!("{error}"));
    let theirs = simgrid(folder.path(), &list);
    let machine = plain(RANKS as u64, Time::from_nanos(10_000), 1e9);
    let ends = ends(&program(&path, &machine).program, &machine);
    let ours = ends.into_iter().max().expect("ranks").as_secs();
    println!("SimGrid predicts {theirs:.6} s, Panto {ours:.6} s: {:+.2} %", (ours / theirs - 1.0) * 100.0);
    assert!((ours / theirs - 1.0).abs() < 0.03, "SimGrid predicts {theirs} s, Panto {ours} s");
}
