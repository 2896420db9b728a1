//! Results printed in every output format.

use std::process::Command;

use super::{line, measured, stderr, stencil, succeeds};

const QUICK: &str = "bench comet/echo --ranks 2 --hops 1 --sizes 8,64K -t 1s --format";

#[test]
fn a_table_says_what_was_measured() {
    let text = succeeds(&line(&format!("{QUICK} table")));
    for word in ["comet/echo", "one way", "median", "95%", "min", "p95", "8B", "64KiB", "bandwidth"] {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
}

#[test]
fn json_is_json() {
    let text = succeeds(&line(&format!("{QUICK} json")));
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let points = value["points"].as_array().expect("points");
    assert_eq!(points.len(), 2);
    assert!(points.iter().all(|point| point["summary"]["median_ns"].as_f64() > Some(0.0)));
    assert_eq!(value["manifest"]["transport"], "threads");
    assert!(value["findings"].is_array());
}

#[test]
fn csv_has_a_row_a_point() {
    let text = succeeds(&line(&format!("{QUICK} csv")));
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 3);
    assert!(rows[0].starts_with("kernel,ranks,"));
    assert!(rows[1..].iter().all(|row| fields(row) == fields(rows[0])));
}

/// Returns the number of fields of a CSV row, some of which are quoted.
fn fields(row: &str) -> usize {
    let outside = row.split('"').step_by(2);
    1 + outside.map(|text| text.matches(',').count()).sum::<usize>()
}

#[test]
fn the_layouts_of_osu_and_imb() {
    let osu = succeeds(&line(&format!("{QUICK} osu")));
    assert!(osu.contains("# OSU MPI Latency Test"), "{osu}");
    assert!(osu.lines().any(|line| line.starts_with("65536 ")), "{osu}");
    let imb = succeeds(&line(&format!("{QUICK} imb")));
    assert!(imb.contains("# Benchmarking PingPong"), "{imb}");
    assert!(imb.contains("t[usec]   Mbytes/sec"), "{imb}");
}

/// In `panto ... 2>&1 | true` the reader closes both streams.
#[test]
fn a_pipe_of_both_streams_that_is_closed_is_no_crash() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = measured(directory.path());
    let shell = super::shell::Shell::new();
    let history = format!("panto history {} --plot history.svg", path.display());
    for command in [history.as_str(), "panto reproduce ipsc860 --html published.html", "panto bench --list"] {
        let script = format!("{{ {command}; echo $? > code; }} 2>&1 | true; sleep 0.1; cat code");
        let output = shell.run(&script);
        assert_eq!(super::stdout(&output).trim(), "0", "{command}: {output:?}");
    }
    for file in ["history.svg", "published.html"] {
        assert!(shell.folder().join(file).exists(), "{file} is written all the same");
    }
}

/// In `panto ... | true` the reader closes the pipe, which must not cause a panic.
#[test]
fn a_closed_pipe_is_no_crash() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = measured(directory.path());
    let info = format!("info {} --format csv", path.display());
    let folder = directory.path().display();
    let history = format!("history {} --plot {folder}/history.svg", path.display());
    let reproduce = format!("reproduce ipsc860 --html {folder}/published.html");
    for arguments in ["completions bash", &info, "bench barrier --ranks 2 -t 100ms", &history, &reproduce] {
        let mut child = super::command()
            .args(arguments.split_whitespace())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the binary starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert!(!stderr(&output).contains("panicked"), "{arguments}: {}", stderr(&output));
        assert!(matches!(output.status.code(), Some(0 | 130)), "{arguments}: {:?}", output.status);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let output = super::command().args(["bench", "--list"]).stdout(full).output().expect("the binary starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot write to standard output"));
}

#[cfg(target_os = "linux")]
#[test]
fn any_file_name_will_do() {
    use std::os::unix::ffi::OsStrExt;
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(std::ffi::OsStr::from_bytes(b"n\xff\xfe.jsonl"));
    let words = "bench barrier --ranks 2 -t 100ms -o".split_whitespace().map(Into::into);
    succeeds(&super::panto(words.chain([path.clone().into_os_string()])));
    assert!(path.exists());
}

#[test]
fn a_saved_result_is_shown_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = measured(directory.path());
    let table = succeeds(&line(&format!("info {}", path.display())));
    assert!(table.contains("comet/echo") && table.contains("comet/barrier"), "{table}");
    let csv = succeeds(&line(&format!("info {} --format csv", path.display())));
    assert_eq!(csv.lines().count(), 1 + 4 + 1);
}

#[test]
fn launches_can_be_added_to_a_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = measured(directory.path());
    succeeds(&line(&format!("bench barrier --ranks 2 -t 1s --append -o {}", path.display())));
    let csv = succeeds(&line(&format!("info {} --format csv", path.display())));
    assert_eq!(csv.lines().count(), 1 + 4 + 2);
}

#[test]
fn a_plot_a_kernel() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = measured(directory.path());
    succeeds(&line(&format!("info {} --plot {}", path.display(), directory.path().display())));
    for name in ["comet-echo.svg", "comet-barrier.svg"] {
        let svg = std::fs::read_to_string(directory.path().join(name)).expect("written");
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
    }
}

#[test]
fn the_list_explains_each_kernel() {
    let text = succeeds(&line("bench --list"));
    for kernel in panto_bench::Kernel::ALL {
        assert!(text.contains(kernel.name()) && text.contains(kernel.info().summary));
    }
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let script = succeeds(&line(&format!("completions {shell}")));
        for name in ["quickstart", "infiniband", "comet/echo", "threads"] {
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
}

/// What a user of bash gets for Tab.
#[test]
fn bash_completes_commands_machines_kernels_and_files() {
    let folder = tempfile::tempdir().expect("a directory");
    let script = folder.path().join("panto.bash");
    std::fs::write(&script, succeeds(&line("completions bash"))).expect("written");
    let completed = |words: &str| {
        let last = words.split(' ').count() - 1;
        let command = format!(
            "shopt -s progcomp; . {}; COMP_WORDS=({words}); COMP_CWORD={last}; _panto panto \"${{COMP_WORDS[{last}]}}\" \
             \"${{COMP_WORDS[{last} - 1]}}\"; echo \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let output = Command::new("bash").args(["--norc", "-c", &command]).output().expect("bash starts");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    assert_eq!(completed("panto quicks"), "quickstart");
    assert_eq!(completed("panto simulate app.panto -m infinib"), "infiniband");
    assert_eq!(completed("panto bench --on ipsc"), "ipsc860");
    assert_eq!(completed("panto bench comet/ech"), "comet/echo");
    // No name begins like this: bash completes the names of files.
    assert_eq!(completed("panto simulate app.panto -m my-mod"), "");
    assert!(succeeds(&line("completions bash")).contains("-o bashdefault -o default panto"));
}

/// Notes go to standard error, and `--quiet` turns them off. Results and errors remain.
#[test]
fn quiet_leaves_results_and_errors() {
    let folder = tempfile::tempdir().expect("a directory");
    stencil::write(folder.path(), 2, 10);
    let predict = |options: &str| {
        let file = |name| folder.path().join(name).display().to_string();
        let (trace, timeline) = (file("stencil.panto"), file("a.ptl"));
        line(&format!("simulate {trace} -m infiniband --timeline {timeline} {options}"))
    };
    let loud = predict("");
    assert!(stderr(&loud).contains("wrote"), "{}", stderr(&loud));
    let quiet = predict("--quiet");
    assert_eq!(stderr(&quiet), "");
    assert_eq!(succeeds(&quiet), succeeds(&loud));
    assert!(stderr(&line("-q info no-such-file.jsonl")).contains("no-such-file.jsonl"));
}

#[test]
fn every_command_has_examples() {
    for command in ["", "bench", "info", "quickstart", "completions"] {
        let text = succeeds(&line(&format!("{command} --help")));
        assert!(text.contains("Example"), "{command}");
    }
}
