//! The suite `swap` on the command line.

use serde_json::Value;

use super::{line, panto, stderr, succeeds};

/// The command line of a whole experiment on a simulated machine.
const SIMULATED: &str = "bench swap/swap --on ipsc860 --ranks 2 --volumes 8K --cache warm";

#[test]
fn the_summary_says_which_protocol_to_write() {
    let text = succeeds(&line(SIMULATED));
    for words in [
        "swap/swap, simulated ipsc860, 8KiB, basic loop, warm, between 0-1: bandwidth of both directions",
        "statistics of COMMTEST",
        "fastest protocol at each message size",
        "Recommended protocol",
        "(0,3) irecv-isend",
        "(1,10) ordered-ssend",
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
}

/// Options keep their old names.
#[test]
fn old_names_of_options_are_accepted() {
    succeeds(&line("bench swap/swap --on ipsc860 --ranks 2 --volumes 8K --ways warm --protocol (0,3)"));
    succeeds(&line("bench cm5/exchange --on cm5 --ranks 4 --sizes 64 --rivals pex,rex"));
}

#[test]
fn what_is_missing_is_explained_and_no_figure_repeated() {
    let text = succeeds(&line(&format!("{SIMULATED} --loops prepost --protocol (0,0),(0,2),(0,6)")));
    assert!(text.contains("(0,0): nothing is posted or started: the same as the basic loop"), "{text}");
    assert!(text.contains("(0,6): nothing is posted or started"), "{text}");
    let text = succeeds(&line(&format!("{SIMULATED} --loops basic --protocol native-sendrecv,(0,2)")));
    let absent = "(0,6): the message layer has no send-receive call of its own, only those of (0,3)";
    assert!(text.contains(absent), "{text}");
    let text = succeeds(&line(&format!("{SIMULATED} --loops basic --protocol (0,6)")));
    assert!(text.contains(absent) && text.contains("(0,6) native-sendrecv  absent"), "{text}");
    let text = succeeds(&line(
        "bench swap/swap --on cm5 --ranks 2 --volumes 8K --cache cold,warm --protocol (0,2),(0,8) --loops basic",
    ));
    assert!(text.contains("(0,8): a synchronous send is a standard one here: the same as (0,2)"), "{text}");
    assert!(text.contains("no caches: the same as warm"), "{text}");
}

#[test]
fn findings_and_both_times_are_in_the_json() {
    let text = succeeds(&line(&format!("{SIMULATED} --protocol (0,3),(1,0) --format json")));
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let labels: Vec<&str> = value["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter_map(|finding| finding["label"].as_str())
        .collect();
    for label in [
        "latency, (0,3) irecv-isend, basic, warm, 8KiB, 0-1",
        "idle bandwidth, (1,0) ordered-send, basic, warm, 8KiB, 0-1",
    ] {
        assert!(labels.contains(&label), "{labels:#?}");
    }
}

/// The longest time over the ranks, and the time from the first start to the last end (T6).
#[test]
fn both_times_are_shown() {
    let command = format!("{SIMULATED} --loops basic --protocol (0,3)");
    let text = succeeds(&line(&command));
    let mut statistics = text.split("statistics of COMMTEST").nth(1).expect("statistics").lines();
    let heading = statistics.find(|line| line.starts_with("protocol")).expect("a heading");
    assert!(heading.contains("longest  first to last"), "{text}");
    let value: Value =
        serde_json::from_str(&succeeds(&line(&format!("{command} --format json")))).expect("JSON");
    let points = value["points"].as_array().expect("points");
    assert!(!points.is_empty());
    for point in points {
        assert_eq!(point["first_to_last_ns"], point["summary"]["median_ns"], "{point}");
    }
}

#[test]
fn a_file_holds_what_was_shown_and_a_plot_each_experiment() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("swap.jsonl");
    let words = format!("{SIMULATED} --protocol (0,3),(1,0),(1,10) --plot {} -o", folder.path().display());
    let arguments = words.split_whitespace().map(Into::into).chain([path.clone().into_os_string()]);
    let shown = succeeds(&panto(arguments));
    let again = succeeds(&line(&format!("info {}", path.display())));
    let summary = shown.split("statistics of COMMTEST").nth(1).expect("a summary");
    assert!(again.contains(summary), "{again}");
    for name in ["swap-swap-8KiB-basic-warm-0-1-ipsc860.svg", "swap-swap-8KiB-prepost-warm-0-1-ipsc860.svg"] {
        let svg = std::fs::read_to_string(folder.path().join(name)).expect("written");
        assert!(
            svg.contains("total time against messages") && svg.contains("bandwidth against size"),
            "{name}"
        );
    }
    let lines = std::fs::read_to_string(&path).expect("written");
    let points = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let measured: Vec<Value> = points.filter(|line| line["samples_ns"][0].is_number()).collect();
    assert!(!measured.is_empty() && measured.iter().all(|line| line["first_to_last_ns"][0].is_number()));
}

/// Rank 1 is two hops away and rank 2 is one: COMMTEST would measure between 0 and 2.
#[test]
fn the_better_pair_is_chosen_before_the_run() {
    let options = "--ranks 4 --volumes 8K --sizes 64 --protocol (0,3) --loops basic --cache warm";
    let swapped = format!("bench swap/swap --on ipsc860 {options} --map 0,3,1,2 --pairs better");
    let output = line(&swapped);
    assert!(succeeds(&output).contains("between 0-2: bandwidth"), "{}", stderr(&output));
    assert!(stderr(&output).contains("the pair 0-2 is measured: 0-1 takes"), "{}", stderr(&output));
    refused("bench swap/swap --on ipsc860 --ranks 2 --pairs better", &["needs 3 ranks", "--ranks 3"]);
}

#[test]
fn sizes_that_a_short_run_leaves_out_are_listed() {
    let output =
        line("bench swap/swap --ranks 2 --volumes 8K --protocol (0,3) --loops basic --cache warm -t 1s");
    succeeds(&output);
    let words = "4 of 11 numbers of messages are left out (2, 8, 32, 128)";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
}

/// Asserts exit code 2, and that the error message contains these words.
fn refused(command: &str, words: &[&str]) {
    let output = line(command);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{command}: {message}");
    for word in words {
        assert!(message.contains(word), "{command}: no `{word}` in: {message}");
    }
}

#[test]
fn what_cannot_be_is_named_with_what_can() {
    refused("bench swap --protocol (0,10)", &["(0,10)", "(0,0) to (0,9)", "(1,0) to (1,10)", "irecv-isend"]);
    refused("bench swap --pairs 0-9 --ranks 4", &["rank 9", "0 to 3", "--ranks 10"]);
    refused("bench swap --pairs 1-1 --ranks 4", &["rank 1", "itself"]);
    refused("bench swap --pairs 0-1,1-2 --ranks 4", &["rank 1 twice"]);
    refused("bench swap --pairs all --ranks 3", &["3 ranks", "--ranks 2 or 4"]);
    refused("bench swap --pairs here", &["here", "0-2,1-3"]);
    refused("bench swap/sendrecv --ranks 5", &["5 ranks", "--ranks 4 or 6"]);
    refused("bench swap --ranks 2 --volumes 1000", &["1000 bytes", "1024", "--sizes 1000,500"]);
    refused("bench swap --ranks 2 --volumes 8K --sizes 100", &["8192 bytes", "100", "--sizes 8192,4096"]);
    refused("bench swap --cache hot", &["hot", "cold, invalidated, warm or repeated"]);
    refused("bench swap --loops endless", &["endless", "basic or prepost"]);
}
