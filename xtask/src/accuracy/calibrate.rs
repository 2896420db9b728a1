//! The machine as it is: what messages take, where sends begin to wait, how fast both cores compute at once.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::bench::{Mpi, Source};
use crate::failure::{Failure, Result};
use crate::shell;

const EAGER: Source = Source { name: "eager", text: include_str!("eager.c") };
const PACE: Source = Source { name: "pace", text: include_str!("pace.c") };

/// Sizes that are measured; between them times are on a line.
const SIZES: &str = "0,8,64,256,1024,4096,8192,16384,32768,65536,131072,262144,524288,1048576,4194304";

/// Measures, and writes a model file.
pub fn machine(mpi: &Mpi, panto: &Path, folder: &Path) -> Result<PathBuf> {
    let number = |source: &Source| -> Result<f64> {
        let program = mpi.compile(source, folder)?;
        let printed = shell::capture(&mut mpi.command(&program))?;
        let wrong = || Failure::failed(format!("{} printed no number: {printed}", source.name));
        printed.trim().parse().map_err(|_| wrong())
    };
    let (limit, pace) = (number(&EAGER)?, number(&PACE)?);
    let times = echo(mpi, panto)?;
    let text = model(mpi, &times, limit as u64, pace);
    let path = folder.join(format!("{}.toml", mpi.folder));
    fs::write(&path, &text)
        .map_err(|error| Failure::failed(format!("cannot write {}: {error}", path.display())))?;
    println!(
        "{}: 8 bytes take {:.0} ns, 1 MiB {:.1} us; sends wait above {limit} bytes; a core computes {:.3} times as fast while the other one does",
        mpi.name,
        at(&times, 8),
        at(&times, 1 << 20) / 1e3,
        pace
    );
    Ok(path)
}

/// Sizes with half round trips in nanoseconds.
type Times = Vec<(u64, f64)>;

fn at(times: &Times, bytes: u64) -> f64 {
    times.iter().find(|(size, _)| *size == bytes).map_or(f64::NAN, |(_, time)| *time)
}

fn echo(mpi: &Mpi, panto: &Path) -> Result<Times> {
    let mut command = mpi.command(panto);
    command.args(["bench", "comet/echo", "-t", "15s", "--format", "json", "--sizes", SIZES]);
    let printed = shell::capture(&mut command)?;
    let start = printed.find('{').unwrap_or(0);
    let wrong = || Failure::failed(format!("panto printed other JSON than expected:\n{printed}"));
    let value: Value = serde_json::from_str(&printed[start..]).map_err(|_| wrong())?;
    let between_two = |point: &&Value| point["params"]["distance"] != "itself";
    let time =
        |point: &Value| Some((point["params"]["bytes"].as_u64()?, point["summary"]["median_ns"].as_f64()?));
    let points = value["points"].as_array().ok_or_else(wrong)?.iter().filter(between_two);
    let mut times: Times = points.map(time).collect::<Option<_>>().ok_or_else(wrong)?;
    times.sort_by_key(|(bytes, _)| *bytes);
    if times.len() < 2 { Err(wrong()) } else { Ok(times) }
}

/// A complete network of two whose messages take what was measured.
fn model(mpi: &Mpi, times: &Times, limit: u64, pace: f64) -> String {
    let mut text = format!(
        "name = \"this host with {}\"\n[network]\ntopology = \"complete\"\nprocessors = 2\nswitching = \"packet\"\n",
        mpi.name
    );
    let ask = 2.0 * times[0].1;
    let rules = if mpi.folder == "openmpi" { "openmpi" } else { "mpich" };
    text += "[network.link]\n";
    let lines = lines(times, limit, ask);
    if let Some((_, latency, per_byte)) = lines.last() {
        let _ = writeln!(text, "latency = \"{latency:.3}ns\"\nper-byte = \"{per_byte:.6}ns\"\npieces = [");
    }
    for (up_to, latency, per_byte) in &lines {
        let _ = writeln!(
            text,
            "    {{ up-to = \"{up_to}B\", latency = \"{latency:.3}ns\", per-byte = \"{per_byte:.6}ns\" }},"
        );
    }
    let _ = write!(
        text,
        "]\n[send]\nstandard = \"eager\"\nlimit = \"{limit}B\"\n[processor]\nspeed = {pace}\n[collectives]\nrules = \"{rules}\"\n"
    );
    text
}

/// Lines through neighbouring points. Messages that wait for their receive ask first, and that is a part of what was measured.
fn lines(times: &Times, limit: u64, ask: f64) -> Vec<(u64, f64, f64)> {
    let own = |(bytes, time): (u64, f64)| (time - if bytes > limit { ask } else { 0.0 }).max(1.0);
    let mut lines = Vec::new();
    for pair in times.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let line = |up_to: u64, low: f64, high: f64| {
            let per_byte = ((high - low) / (to.0 - from.0) as f64).max(0.0);
            (up_to, (high - per_byte * to.0 as f64).max(0.0), per_byte)
        };
        if (from.0..to.0).contains(&limit) {
            // The switch lies between two points: each side goes on as it was measured.
            let below = (from.1 - 0.0, from.1 + (to.1 - from.1).min(from.1));
            lines.push(line(limit, below.0, below.1));
            lines.push(line(to.0, own(to), own(to)));
        } else {
            lines.push(line(to.0, own(from), own(to)));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_through_the_points() {
        let lines = lines(&vec![(0, 100.0), (10, 200.0), (20, 400.0)], 1000, 200.0);
        assert_eq!(lines, [(10, 100.0, 10.0), (20, 0.0, 20.0)]);
    }

    #[test]
    fn asking_is_not_counted_twice() {
        let lines = lines(&vec![(0, 100.0), (10, 500.0), (20, 600.0)], 5, 200.0);
        assert_eq!(lines.last(), Some(&(20, 200.0, 10.0)));
    }
}
