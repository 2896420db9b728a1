//! `SimGrid`'s replay of time-independent traces, on hosts without contention. Also used by
//! benchmarks.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::Command;

/// No correction factors of real networks, and detached sends: a message takes the latency plus its
/// bytes.
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

/// Writes the host file and the platform for a replay by `ranks` ranks.
pub fn prepare(folder: &Path, ranks: u32) -> io::Result<()> {
    let hosts: Vec<String> = (0..ranks).map(|host| format!("h{host}")).collect();
    std::fs::write(folder.join(HOSTS), hosts.join("\n") + "\n")?;
    std::fs::write(folder.join(PLATFORM), platform(ranks))
}

/// Returns a platform with one link of 10 us and 1 GB/s between all hosts, never shared
/// (`FATPIPE`).
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

/// Returns the time in seconds that `SimGrid` predicts for the traces of a list, or an error
/// message.
pub fn replay(folder: &Path, list: &Path, ranks: u32, more: &[&str]) -> Result<f64, String> {
    let mut command = Command::new("smpirun");
    command.arg("-np").arg(ranks.to_string()).arg("-platform").arg(folder.join(PLATFORM));
    command.arg("-hostfile").arg(folder.join(HOSTS)).arg("-replay").arg(list);
    command.args(SETTINGS.iter().chain(more).map(|setting| format!("--cfg={setting}")));
    let output =
        command.current_dir(folder).output().map_err(|error| format!("cannot start smpirun: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    let after = text.split("Simulated time: ").nth(1).and_then(|rest| rest.split_whitespace().next());
    after.and_then(|word| word.parse().ok()).ok_or_else(|| format!("smpirun printed no time:\n{text}"))
}
