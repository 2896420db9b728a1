//! Paje exports, as read by `pj_dump` of `PajeNG` and by `ViTE`.
//!
//! Where one of them is not installed its test is skipped, unless `PANTO_TEST_PAJE` is set.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use panto_convert::paje;
use panto_timeline::Timeline;

use crate::support::folder;
use crate::timelines::{extremes, halo, small};

fn write(timeline: &Timeline, folder: &Path) -> PathBuf {
    let target = folder.join("out.trace");
    paje::write(timeline, &target).unwrap_or_else(|error| panic!("{error}"));
    target
}

/// Runs a reader; returns `None` if it is not installed.
fn read(program: &str, arguments: &[&str], path: &Path) -> Option<Output> {
    let mut command = Command::new(program);
    // ViTE needs a display even to write an image; Qt's offscreen platform provides one.
    command.args(arguments).arg(path).env("QT_QPA_PLATFORM", "offscreen").env("HOME", path.parent()?);
    let output = command.output().ok();
    if output.is_none() {
        let is_wanted = std::env::var_os("PANTO_TEST_PAJE").is_some();
        assert!(
            !is_wanted,
            "PANTO_TEST_PAJE is set and {program} is not installed: apt-get install vite pajeng"
        );
        eprintln!("{program} is not installed (apt-get install vite pajeng): skipped");
    }
    output
}

/// Returns the rows of `pj_dump`, which rejects malformed traces.
fn dumped(timeline: &Timeline, folder: &Path) -> Option<Vec<Vec<String>>> {
    let output = read("pj_dump", &["--float-precision=12"], &write(timeline, folder))?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    let text = String::from_utf8(output.stdout).expect("text");
    Some(text.lines().map(|line| line.split(", ").map(str::to_owned).collect()).collect())
}

#[test]
fn pajeng_output_matches_the_timeline() {
    let folder = folder();
    let timeline = halo(folder.path(), 3, 5);
    let Some(rows) = dumped(&timeline, folder.path()) else { return };
    let (states, messages) = timeline.counts();
    let count =
        |kind: &str, of: &str| rows.iter().filter(|row| row[0] == kind && row[2] == of).count() as u64;
    assert_eq!(count("State", "State"), states);
    assert_eq!(count("State", "Call"), 9 * 5 * 3);
    assert_eq!(count("Link", "Message"), messages);
    assert_eq!(count("Container", "Rank"), 9);
    for (rank, sum) in timeline.summary().expect("a valid timeline").ranks().enumerate() {
        let name = format!("rank {rank}");
        let waits = rows.iter().filter(|row| row[0] == "State" && row[1] == name && row[7] == "wait");
        let time: f64 = waits.map(|row| row[5].parse::<f64>().expect("seconds")).sum();
        assert!((time - sum.wait.as_secs()).abs() < 1e-9, "rank {rank} waits {time}");
    }
}

/// Returns the names of containers, except the root.
fn containers(rows: &[Vec<String>]) -> Vec<&str> {
    let containers = rows.iter().filter(|row| row[0] == "Container" && row[2] != "0");
    let mut names: Vec<&str> = containers.filter_map(|row| row.last()).map(String::as_str).collect();
    names.sort_unstable();
    names
}

#[test]
fn pajeng_reads_helpers_and_extreme_timelines() {
    let folder = folder();
    let Some(rows) = dumped(&small(folder.path()), folder.path()) else { return };
    assert_eq!(containers(&rows), ["program", "rank 0", "rank 1", "rank 1 helper 1"]);
    let links = rows.iter().filter(|row| row[0] == "Link").count();
    assert_eq!(links, 4, "identical messages included: {rows:?}");
    for timeline in extremes(folder.path()) {
        let rows = dumped(&timeline, folder.path()).expect("it was there before");
        assert_eq!(containers(&rows).len(), timeline.ranks() as usize + 1);
    }
}

#[test]
fn vite_draws_the_export() {
    let folder = folder();
    for timeline in [small(folder.path()), halo(folder.path(), 2, 3)] {
        let trace = write(&timeline, folder.path());
        let picture = folder.path().join("out.svg");
        let Some(output) = read("vite", &["-e", &picture.to_string_lossy()], &trace) else { return };
        let said =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let drawn = std::fs::read_to_string(&picture).unwrap_or_else(|error| panic!("{error}: {said}"));
        assert!(drawn.contains("rank 1") && drawn.contains("<rect"), "{said}");
    }
}
