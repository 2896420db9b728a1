//! The classic benchmarks, parsed as scripts for OSU's and Intel's output parse them.

use std::collections::BTreeMap;

use super::{line, stderr, succeeds};

/// A parsed table: its comments and its rows of numbers.
#[derive(Debug, Default)]
struct Read {
    comments: Vec<String>,
    /// The words of the last comment before the first row: the names of the columns.
    head: Vec<String>,
    rows: Vec<Vec<f64>>,
}

/// Parses OSU's layout: a title begins a test, `#` begins a comment, every other line is a row of
/// numbers that begins with the size.
fn osu(text: &str) -> BTreeMap<String, Read> {
    let (mut tests, mut current) = (BTreeMap::<String, Read>::new(), String::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(title) = line.strip_prefix("# OSU ") {
            let (title, version) = title.split_once(" Test v").expect("a version");
            assert!(version.split('.').all(|part| part.parse::<u32>().is_ok()), "{line}");
            // Further tables of a test get a number after its title.
            let known = tests.keys().filter(|name| name.starts_with(&format!("{title} "))).count();
            current = format!("{title} {}", known + 1);
            tests.insert(current.clone(), Read::default());
        } else if let Some(comment) = line.strip_prefix('#') {
            let Some(table) = tests.get_mut(&current) else { continue };
            table.comments.push(comment.trim().into());
            if table.rows.is_empty() {
                table.head = comment
                    .split("  ")
                    .map(str::trim)
                    .filter(|word| !word.is_empty())
                    .map(Into::into)
                    .collect();
            }
        } else {
            let row = line.split_whitespace().map(|word| word.parse().unwrap_or_else(|_| panic!("{line}")));
            tests.get_mut(&current).expect("a title comes first").rows.push(row.collect());
        }
    }
    tests
}

/// Parses Intel's layout: `# Benchmarking NAME ` with a trailing space, the processes, the names of
/// the columns, and rows with as many numbers.
fn imb(text: &str) -> BTreeMap<String, Read> {
    let (mut tests, mut current) = (BTreeMap::<String, Read>::new(), String::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(name) = line.strip_prefix("# Benchmarking ") {
            name.strip_suffix(' ').expect("a blank").clone_into(&mut current);
            tests.entry(current.clone()).or_default();
        } else if line.trim_start().starts_with("#bytes") {
            tests.get_mut(&current).expect("a name").head = line.split_whitespace().map(Into::into).collect();
        } else if let Some(comment) = line.strip_prefix('#') {
            if let Some(table) = tests.get_mut(&current) {
                table.comments.push(comment.trim().into());
            }
        } else {
            let table = tests.get_mut(&current).expect("a name comes first");
            let row: Vec<f64> = line
                .split_whitespace()
                .map(|word| word.parse().unwrap_or_else(|_| panic!("{line}")))
                .collect();
            assert_eq!(row.len(), table.head.len(), "{line}");
            table.rows.push(row);
        }
    }
    tests
}

const QUICK: &str = "--ranks 4 --sizes 8,1K --window 16 -t 1s --format";
const ALL: &str = "classic/latency classic/bandwidth classic/bidirectional classic/multi-latency \
    classic/multi-bandwidth classic/sendrecv classic/exchange classic/halo-2d";

#[test]
fn scripts_for_osu_read_every_test() {
    let text = succeeds(&line(&format!("bench {ALL} {QUICK} osu")));
    let tests = osu(&text);
    let cases: [(&str, &[&str]); 5] = [
        ("MPI Latency 1", &["Size", "Avg Latency(us)"]),
        ("MPI Bandwidth 1", &["Size", "Bandwidth (MB/s)"]),
        ("MPI Bi-Directional Bandwidth 1", &["Size", "Bandwidth (MB/s)"]),
        ("MPI Multi Latency 1", &["Size", "Avg Latency(us)"]),
        ("MPI Multiple Bandwidth / Message Rate 1", &["Size", "MB/s", "Messages/s"]),
    ];
    assert_eq!(tests.len(), cases.len(), "{text}");
    for (name, head) in cases {
        let table = tests.get(name).unwrap_or_else(|| panic!("no {name} in {text}"));
        assert_eq!(table.head, head, "{text}");
        let sizes: Vec<u64> = table.rows.iter().map(|row| row[0] as u64).collect();
        assert_eq!(sizes, [8, 1024], "{name}");
        assert!(
            table
                .rows
                .iter()
                .all(|row| row.len() == head.len() && row[1..].iter().all(|figure| *figure > 0.0))
        );
    }
    let multiple = &tests["MPI Multiple Bandwidth / Message Rate 1"];
    assert!(multiple.comments.contains(&"[ pairs: 2 ] [ window size: 16 ]".into()), "{multiple:?}");
    // Both rates come from the same time. They are printed with two decimals, so that the relative
    // rounding error of a slow machine's bandwidth is large.
    for row in &multiple.rows {
        let rounded = 0.005 / row[1];
        assert!((row[1] * 1e6 / row[0] / row[2] - 1.0).abs() < 0.01 + rounded, "{row:?}");
    }
    for kernel in ["classic/sendrecv", "classic/halo-2d"] {
        assert!(text.contains(&format!("# {kernel} has no counterpart in OSU's")), "{text}");
    }
}

#[test]
fn columns_have_the_widths_of_osu() {
    let text = succeeds(&line("bench classic/multi-bandwidth --ranks 2 --sizes 8 -t 300ms --format osu"));
    assert!(text.contains("\n# Size                  MB/s        Messages/s\n"), "{text}");
    let row = text.lines().find(|line| line.starts_with("8 ")).expect("a row");
    assert_eq!(row.len(), 10 + 18 + 18, "{row}");
}

#[test]
fn scripts_for_imb_read_every_benchmark() {
    let text = succeeds(&line(&format!("bench {ALL} {QUICK} imb")));
    let tests = imb(&text);
    let wide = ["#bytes", "#repetitions", "t_min[usec]", "t_max[usec]", "t_avg[usec]", "Mbytes/sec"];
    let rate = ["#bytes", "#repetitions", "Mbytes/sec", "Msg/sec"];
    let cases: [(&str, &[&str], usize); 6] = [
        ("PingPong", &["#bytes", "#repetitions", "t[usec]", "Mbytes/sec"], 2),
        // One pair, then all pairs: two tables of two sizes each.
        ("Uniband", &rate, 4),
        ("Biband", &rate, 2),
        ("Multi-PingPong", &wide, 2),
        ("Sendrecv", &wide, 2),
        ("Exchange", &wide, 2),
    ];
    assert_eq!(tests.len(), cases.len(), "{text}");
    for (name, head, rows) in cases {
        let table = tests.get(name).unwrap_or_else(|| panic!("no {name} in {text}"));
        assert_eq!(
            (table.head.as_slice(), table.rows.len()),
            (&head.iter().map(ToString::to_string).collect::<Vec<_>>()[..], rows)
        );
    }
    assert!(tests["Exchange"].comments.contains(&"#processes = 4".into()), "{text}");
    assert!(tests["PingPong"].comments.contains(&"#processes = 2".into()), "{text}");
    // Each rank sends to and receives from two neighbours: four messages in the mean time.
    for row in &tests["Exchange"].rows {
        // The rate is printed with two decimals.
        let rate = 4.0 * row[0] / row[4];
        assert!((row[5] - rate).abs() < 0.01 * rate + 0.006, "{row:?}");
    }
}

#[test]
fn the_table_has_a_column_for_messages() {
    let text =
        succeeds(&line("bench classic/multi-bandwidth --on infiniband --ranks 2 --sizes 8,64K -t 500ms"));
    for word in ["messages", "bandwidth", "window 64", "best message rate"] {
        assert!(text.contains(word), "no `{word}` in {text}");
    }
    let text = succeeds(&line("bench classic/latency --ranks 2 --sizes 8 -t 200ms"));
    assert!(!text.contains("messages"), "{text}");
}

#[test]
fn the_suite_says_what_it_leaves_out() {
    let output = line("bench classic --ranks 2 --sizes 8 --dims 4 -t 2s");
    let text = succeeds(&output);
    for kernel in ["latency", "bandwidth", "bidirectional", "sendrecv", "exchange", "halo-2d", "halo-3d"] {
        assert!(text.contains(&format!("classic/{kernel}")), "{kernel}: {text}");
    }
    let notes = stderr(&output);
    for kernel in ["put-latency", "get-latency", "accumulate-latency", "put-bandwidth", "get-bandwidth"] {
        assert!(notes.contains(&format!("skipped: classic/{kernel} needs one-sided")), "{kernel}: {notes}");
    }
}

#[test]
fn on_a_simulated_machine_it_is_the_same_each_time() {
    let run = || {
        succeeds(&line(
            "bench classic/bandwidth classic/halo-3d --on cm5 --ranks 8 --sizes 8,4K --dims 4 --format csv",
        ))
    };
    let first = run();
    assert!(first.lines().count() == 4 && first.contains("cm5"), "{first}");
    assert_eq!(run(), first);
}

#[test]
fn what_cannot_be_is_named_with_what_can() {
    let cases: [(&str, &[&str]); 9] = [
        ("bench classic/multi-bandwidth --ranks 5", &["5 is an odd number", "--ranks 4 or 6"]),
        ("bench classic/multi-latency --ranks 2,3", &["3 is an odd number", "--ranks 2 or 4"]),
        ("bench classic/bandwidth --window 0", &["at least 1 message", "--window 1"]),
        ("bench classic --window -3", &["-3"]),
        ("bench classic/halo-2d --ranks 4 --grid 3x2", &["3x2", "6 places", "--ranks 6", "2x2"]),
        ("bench classic/halo-3d --grid 2x2x2x2", &["2x2x2x2", "2x2x2"]),
        ("bench classic/halo-2d --ranks 2 --dims 0", &["at least 1 cell", "--dims"]),
        ("bench classic/put-latency --ranks 2", &["one-sided", "mpirun"]),
        ("bench classic/put-latency --sync wish", &["wish", "fence, lock, flush, pscw"]),
    ];
    for (command, words) in cases {
        let output = line(command);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{command}: {message}");
        assert!(output.stdout.is_empty(), "{command} printed something");
        for word in words {
            assert!(message.contains(word), "{command}: no `{word}` in: {message}");
        }
    }
}
