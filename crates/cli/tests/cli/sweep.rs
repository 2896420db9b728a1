//! `panto sweep`: many settings from one trace.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::{command, panto, stderr, stdout, stencil, succeeds};

/// Runs `panto sweep` in a folder with `stencil.panto`, so that file names are short.
fn sweep(folder: &Path, line: &str) -> Output {
    let arguments = ["sweep", "stencil.panto"].into_iter().chain(line.split_whitespace());
    command().args(arguments).current_dir(folder).output().expect("the binary starts")
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = stencil::write(folder.path(), 2, 10);
    (folder, trace)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("it is there");
    text.lines().map(json).collect()
}

const GRID: &str = "--machine infiniband,ethernet10g --vary link.latency=1us,100us --processors 2,4 --map wrap,block \
                    --speed 1,2 --network fast,traffic";

/// How fast an old machine computes decides the order of the rows, so it is stated.
#[test]
fn the_speed_of_old_machines_is_stated() {
    let (folder, _) = folder();
    let found = sweep(folder.path(), "--machine cm5,infiniband");
    let notes = stderr(&found);
    assert!(
        notes.contains("although cm5 is slower: the speed of the traced computer is not in the trace"),
        "{notes}"
    );
    assert!(!notes.contains("infiniband"), "{notes}");
    let given = stderr(&sweep(folder.path(), "--machine cm5,infiniband --speed 1"));
    assert!(!given.contains("slower"), "{given}");
}

/// The row of each setting equals the output of `panto simulate` for it.
#[test]
fn each_row_is_a_prediction() {
    let (folder, trace) = folder();
    let swept = json(&succeeds(&sweep(folder.path(), &format!("{GRID} --format json"))));
    let rows = swept["settings"].as_array().expect("rows");
    assert_eq!((rows.len(), &swept["ranks"], &swept["complete"]), (64, &4.into(), &true.into()));
    for row in rows.iter().step_by(7) {
        let of = |name: &str| row["settings"][name].as_str().unwrap_or_else(|| panic!("no {name} in {row}"));
        let latency = format!("link.latency={}", of("link.latency"));
        let mut arguments: Vec<&OsStr> = vec!["simulate".as_ref(), trace.as_os_str()];
        arguments.extend(["--format", "json", "--set", &latency].map(OsStr::new));
        let options =
            ["machine", "processors", "map", "speed", "sharing"].map(|name| (format!("--{name}"), of(name)));
        arguments.extend(options.iter().flat_map(|(option, value)| [OsStr::new(option), OsStr::new(value)]));
        let single = json(&succeeds(&panto(arguments)));
        assert_eq!(row["time_s"], single["time_s"], "{row}");
        for name in ["scaled_speedup", "mean_utilisation"] {
            let (a, b) = (row[name].as_f64().unwrap(), single[name].as_f64().unwrap());
            assert!((a - b).abs() < 1e-9 * b, "{name}: {a} {b}");
        }
    }
}

/// Options that are not varied have the defaults of `panto simulate`.
#[test]
fn what_is_not_varied_is_as_in_a_single_prediction() {
    let (folder, trace) = folder();
    let swept = json(&succeeds(&sweep(folder.path(), "--machine infiniband --format json")));
    let arguments = ["simulate".as_ref(), trace.as_os_str()];
    let more = ["--machine", "infiniband", "--format", "json"].map(OsStr::new);
    let single = json(&succeeds(&panto(arguments.into_iter().chain(more))));
    assert_eq!(swept["settings"][0]["time_s"], single["time_s"], "{swept}");
}

#[test]
fn people_get_a_table_and_programs_a_csv() {
    let (folder, _) = folder();
    let words = "--machine infiniband --vary link.latency=100us,1us --processors 2,4";
    let text = succeeds(&sweep(folder.path(), &format!("{words} --sort time --plot time.svg")));
    assert!(text.starts_with("stencil.panto: 4 ranks, 4 settings; machine infiniband\n"), "{text}");
    assert!(text.contains("link.latency  processors"), "{text}");
    let first = text.lines().find(|line| line.trim_start().starts_with("1us")).expect("a row");
    assert!(text.find(first) < text.find("100us"), "the fastest first: {text}");
    assert!(text.contains("\nfastest: link.latency 1us, processors 4 ("), "{text}");
    let svg = std::fs::read_to_string(folder.path().join("time.svg")).expect("a picture");
    assert!(svg.contains("Predicted time by link.latency"), "{svg}");
    let csv = succeeds(&sweep(folder.path(), &format!("{words} --format csv")));
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some(
            "machine,link.latency,processors,time_s,scaled_speedup,mean_utilisation,waiting_share,used_processors,error,cost,low_s,high_s,limited_by"
        )
    );
    assert!(lines.next().is_some_and(|line| line.starts_with("infiniband,100us,2,0.")), "{csv}");
    assert_eq!(lines.count(), 3);
}

#[test]
fn a_list_has_settings_of_its_own() {
    let (folder, _) = folder();
    let list = "# two machines\n--machine infiniband --rules puppet # as it was\n\n--machine 'ethernet10g' --vary link.latency=1us,2us\n";
    std::fs::write(folder.path().join("settings.txt"), list).expect("written");
    let text = succeeds(&sweep(
        folder.path(),
        "--list settings.txt --noise none --noise random:100us,1us --format json",
    ));
    let swept = json(&text);
    let rows = swept["settings"].as_array().expect("rows");
    let names: Vec<String> = rows.iter().map(|row| row["settings"]["machine"].to_string()).collect();
    assert_eq!(names.len(), 6, "{text}");
    assert_eq!((names[0].as_str(), names[5].as_str()), ("\"infiniband\"", "\"ethernet10g\""));
    assert!(rows[1]["time_s"].as_f64() > rows[0]["time_s"].as_f64(), "noise takes time: {text}");
    for (line, says) in [
        ("--machine infiniband --bad", "settings.txt:1: unexpected argument '--bad'"),
        ("--noise none", "`noise` is given twice"),
        ("# nothing", "has no settings"),
    ] {
        std::fs::write(folder.path().join("settings.txt"), line).expect("written");
        let output = sweep(folder.path(), "--list settings.txt --noise random:1ms,1us");
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
    }
}

#[test]
fn repeating_the_command_continues_the_sweep() {
    let (folder, _) = folder();
    let path = folder.path().join("sweep.jsonl");
    let run = |latencies: &str| {
        let words =
            format!("--machine infiniband --vary link.latency={latencies} -o sweep.jsonl --format json");
        let output = sweep(folder.path(), &words);
        (json(&succeeds(&output)), stderr(&output))
    };
    let (first, said) = run("1us,2us");
    assert!(!said.contains("already") && lines(&path).len() == 2, "{said}");
    let (second, said) = run("1us,2us,3us");
    assert!(said.contains("2 of 3 settings are already in the file"), "{said}");
    assert_eq!((lines(&path).len(), &second["settings"][1]), (3, &first["settings"][1]));
    let mut last = lines(&path)[2].clone();
    let checksum = last.as_object_mut().and_then(|row| row.remove("crc"));
    assert!(checksum.is_some_and(|checksum| checksum.as_str().is_some_and(|digits| digits.len() == 8)));
    assert_eq!(last, second["settings"][2]);
    // A killed run leaves an incomplete last line.
    let whole = std::fs::read(&path).expect("it is there");
    std::fs::write(&path, &whole[..whole.len() - 10]).expect("written");
    let (third, said) = run("1us,2us,3us");
    assert!(said.contains("2 of 3"), "{said}");
    assert_eq!((third, lines(&path).len()), (second, 3));
}

#[test]
fn what_cannot_be_is_a_row_with_its_error() {
    let (folder, _) = folder();
    let output =
        sweep(folder.path(), "--machine infiniband,nowhere --map wrap,[0,99] --processors 4 -o sweep.jsonl");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(
        text.contains("Failed:\n- machine infiniband, map 0,99: the map puts rank 1 on processor 99"),
        "{text}"
    );
    assert!(stderr(&output).contains("3 of 4 settings failed"), "{}", stderr(&output));
    let kept = lines(&folder.path().join("sweep.jsonl"));
    assert_eq!(kept.iter().filter(|line| line["error"].is_string()).count(), 3);
    assert_eq!(sweep(folder.path(), "--machine infiniband,nowhere --format csv").status.code(), Some(1));
}

#[test]
fn a_wrong_command_runs_nothing() {
    let (folder, _) = folder();
    std::fs::write(folder.path().join("notes"), "mine\n").expect("written");
    for (words, says) in [
        ("--machine infinibrand", "infinibrand"),
        ("--processors 2", "--machine"),
        ("--machine infiniband --vary link.latency", "KEY=VALUE"),
        ("--machine infiniband --vary link.latncy=1us,2us", "latncy"),
        ("--machine infiniband --network fast,slow,,", "a value is missing"),
        ("--machine infiniband --plot x.svg", "--plot needs several settings"),
        ("--machine infiniband -o notes", "notes:1: not a line of `panto sweep`"),
        ("--machine infiniband --list nowhere.txt", "cannot read nowhere.txt"),
    ] {
        let output = sweep(folder.path(), words);
        assert_eq!(output.status.code(), Some(2), "{words}: {}", stderr(&output));
        assert!(stderr(&output).contains(says), "{words}: {}", stderr(&output));
        assert!(stdout(&output).is_empty(), "{words}");
    }
}

#[test]
fn ctrl_c_keeps_what_was_done() {
    let folder = tempfile::tempdir().expect("a folder");
    stencil::write(folder.path(), 8, 500);
    let latencies: Vec<String> = (1..=10_000).map(|number| format!("{number}ns")).collect();
    let path = folder.path().join("sweep.jsonl");
    let child = command()
        .args(
            "sweep stencil.panto --machine infiniband --network traffic -o sweep.jsonl --vary"
                .split_whitespace(),
        )
        .arg(format!("link.latency={}", latencies.join(",")))
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    while std::fs::read_to_string(&path).map_or(0, |text| text.lines().count()) < 3 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let done = lines(&path).len();
    assert!(
        stderr(&output)
            .contains(&format!("stopped after {done} of 10000 settings; repeat the command to resume"))
    );
    assert_eq!(stdout(&output).matches('\n').count(), done + 6, "a row for each:\n{}", stdout(&output));
}

#[test]
fn machines_of_a_group_are_ranked_with_limits_and_cost() {
    let (folder, _) = folder();
    let line = "-m @bluegene --sort time --price 2,bgq=4 --ranks-per-node 4 --plot bars.svg";
    let text = succeeds(&sweep(folder.path(), line));
    for part in ["limited by", "cost", "bgl", "bgp", "bgq", "from", "to"] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    let svg = std::fs::read_to_string(folder.path().join("bars.svg")).expect("a plot");
    assert!(svg.contains("limited by") && svg.contains("bgq") && svg.contains("Whiskers"), "{svg}");
    let text = succeeds(&sweep(folder.path(), "-m @bluegene --format json --price 2"));
    for row in json(&text)["settings"].as_array().expect("rows") {
        let (time, own) = (row["time_s"].as_f64().expect("a time"), &row["assessment"]);
        let end = |name: &str| own[name].as_f64().expect("an end");
        assert!(end("low_s") <= time && time <= end("high_s"), "{row:#}");
        let cost = row["cost"].as_f64().expect("a cost");
        let processors = row["processors"].as_f64().expect("a number");
        assert!((cost - 2.0 * processors * time / 3600.0).abs() < 1e-12, "{row:#}");
    }
    let output = sweep(folder.path(), "-m @bluegen");
    assert!(stderr(&output).contains("did you mean `bluegene`?"), "{}", stderr(&output));
    let output = sweep(folder.path(), "-m bgl,bgp --price hdr=2");
    assert!(stderr(&output).contains("the sweep has no machine `hdr`"), "{}", stderr(&output));
}

/// Without costs of messages computation is the limit; with a slow link it is bandwidth.
#[test]
fn what_limits_a_program_depends_on_the_machine() {
    let (folder, _) = folder();
    let limit = |set: &str| {
        let line = format!("-m bgq --limits --format json {set}");
        let found = json(&succeeds(&sweep(folder.path(), &line)));
        found["settings"][0]["assessment"]["limited_by"].as_str().expect("a word").to_owned()
    };
    assert_eq!(limit("--set link.bandwidth=1KB/s"), "bandwidth");
    assert_eq!(limit("--set overhead.send=1s --set overhead.receive=1s"), "latency");
    assert_eq!(limit("--speed 0.00001"), "computation");
}
