//! `SimGrid`'s replay of time-independent traces, on hosts of which no two are in the way of others. Benchmarks use this, too.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::Command;

/// Neither corrections for real networks nor waiting senders: a message takes the latency and its bytes.
const SETTINGS: [&str; 7] = [
    "smpi/lat-factor:0:1",
    "smpi/bw-factor:0:1",
    "network/crosstraffic:0",
    "network/TCP-gamma:0",
    "smpi/async-small-thresh:1000000000",
    "smpi/send-is-detached-thresh:1000000000",
    "smpi/display-timing:yes",
];

const PLATFORM: &str = "platform.xml";
const HOSTS: &str = "hosts";

/// Writes into a folder what a replay by so many ranks needs beside their traces.
pub fn prepare(folder: &Path, ranks: u32) -> io::Result<()> {
    let hosts: Vec<String> = (0..ranks).map(|host| format!("h{host}")).collect();
    std::fs::write(folder.join(HOSTS), hosts.join("\n") + "\n")?;
    std::fs::write(folder.join(PLATFORM), platform(ranks))
}

/// One link of 10 us and 1 GB/s that never fills up, between all hosts.
fn platform(ranks: u32) -> String {
    let mut text = String::from(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n\
         <zone id=\"z\" routing=\"Full\">\n",
    );
    for host in 0..ranks {
        let _ = writeln!(text, "<host id=\"h{host}\" speed=\"1Gf\"/>");
    }
    text += "<link id=\"l\" bandwidth=\"1GBps\" latency=\"10us\" sharing_policy=\"FATPIPE\"/>\n";
    for (one, other) in (0..ranks).flat_map(|one| (one + 1..ranks).map(move |other| (one, other))) {
        let _ = writeln!(text, "<route src=\"h{one}\" dst=\"h{other}\"><link_ctn id=\"l\"/></route>");
    }
    text + "</zone></platform>\n"
}

/// Seconds that it predicts for the traces of a list, in a folder that was prepared; or why it does not.
pub fn replay(folder: &Path, list: &Path, ranks: u32, more: &[&str]) -> Result<f64, String> {
    let mut command = Command::new("smpirun");
    command.arg("-np").arg(ranks.to_string()).arg("-platform").arg(folder.join(PLATFORM));
    command.arg("-hostfile").arg(folder.join(HOSTS)).arg("-replay").arg(list);
    command.args(SETTINGS.iter().chain(more).map(|setting| format!("--cfg={setting}")));
    let output =
        command.current_dir(folder).output().map_err(|error| format!("smpirun does not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    let after = text.split("Simulated time: ").nth(1).and_then(|rest| rest.split_whitespace().next());
    after.and_then(|word| word.parse().ok()).ok_or_else(|| format!("smpirun says no time:\n{text}"))
}
