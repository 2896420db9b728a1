//! `panto machines`: the machines that can be simulated.

use std::fs;

use super::{line, panto, stderr, succeeds};

const MODEL: &str = "\
about = \"four in a ring\"
[network]
topology = \"ring\"
processors = 4
switching = \"packet\"
link = { latency = \"10us\", bandwidth = \"1MB/s\" }
";

#[test]
fn all_are_listed() {
    let text = succeeds(&line("machines"));
    for words in
        ["ipsc860", "cm5", "sp2", "ethernet10 ", "frontier", "hypercube", "fat-tree", "@modern", "2022"]
    {
        assert!(text.contains(words), "no `{words}` in:\n{text}");
    }
    let value: serde_json::Value =
        serde_json::from_str(&succeeds(&line("machines --format json"))).expect("JSON");
    let machines = value["machines"].as_array().expect("a list");
    let ipsc860 = machines.iter().find(|machine| machine["name"] == "ipsc860").expect("the iPSC/860");
    assert_eq!((&ipsc860["processors"], &ipsc860["year"]), (&16.into(), &1990.into()));
    assert!(ipsc860["assumed_share"].as_f64().expect("a number") < 0.5, "{ipsc860}");
}

#[test]
fn every_figure_is_shown_with_its_source() {
    let text = succeeds(&line("machines show ipsc860"));
    let figure = |key: &str| {
        text.lines().find(|line| line.starts_with(key)).unwrap_or_else(|| panic!("{key} in:\n{text}"))
    };
    let bandwidth = figure("network.link.bandwidth");
    assert!(bandwidth.contains("2.8MB/s") && bandwidth.contains("CoMet thesis, 4.1"), "{bandwidth}");
    assert!(figure("network.overhead.immediate").contains("assumed"), "{text}");
    assert!(figure("network.overhead.send.pieces.0.up-to").contains("100B"), "{text}");
    let text = succeeds(&line("machines show bgp"));
    let send = text.lines().find(|line| line.starts_with("network.overhead.send")).expect("the overhead");
    assert!(send.contains("1.448us") && send.contains("..") && send.contains("SG24-7287"), "{send}");
    assert!(text.contains("figures are assumed: no document has them."), "{text}");
}

#[test]
fn what_is_set_is_shown() {
    let text = succeeds(&line("machines show cm5 --set link.bandwidth=32MB/s --set arity=2"));
    let set = "--set link.bandwidth=32MB/s";
    assert!(
        text.lines().any(|line| line.starts_with("network.link.bandwidth") && line.ends_with(set)),
        "{text}"
    );
    let output = succeeds(&line("machines show cm5 --set link.bandwidth=32MB/s --format json"));
    let value: serde_json::Value = serde_json::from_str(&output).expect("JSON");
    let figures = value["figures"].as_array().expect("figures");
    let figure = figures.iter().find(|figure| figure["key"] == "network.link.bandwidth").expect("the link");
    assert_eq!((&figure["value"], &figure["source"]), (&"32MB/s".into(), &set.into()));
    assert_eq!(value["near"]["times"][0]["bytes"], 0);
}

#[test]
fn a_model_is_described() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("idea.toml");
    fs::write(&path, MODEL).expect("written");
    let text = succeeds(&panto(["info".as_ref(), path.as_os_str()]));
    for words in [
        "idea: four in a ring",
        "ring, 4 processors",
        "diameter    2 links",
        "bisection   2 links, 2.00MB/s",
        "10.0us",
        "1.00MB/s",
    ] {
        assert!(text.contains(words), "no `{words}` in:\n{text}");
    }
    let json = succeeds(&panto(["info".as_ref(), path.as_os_str(), "--format".as_ref(), "json".as_ref()]));
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&value["diameter"], &value["near"]["times"][0]["time_ns"]), (&2.into(), &10_000.0.into()));
    let csv = panto(["info".as_ref(), path.as_os_str(), "--format".as_ref(), "csv".as_ref()]);
    assert_eq!(csv.status.code(), Some(2));
    assert!(stderr(&csv).contains("does not apply to a machine model"), "{}", stderr(&csv));
}

#[test]
fn puppets_models_are_known_by_what_they_say() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("cube");
    let text = "# PUPPET\nnetwork hypercube 3\nmap 0 1 2 3 4 5 6 7\nswitching packet\nlink-speed 39e-6 0.026864e-6\npacket-size 1500\n";
    fs::write(&path, text).expect("written");
    let shown = succeeds(&panto(["info".as_ref(), path.as_os_str()]));
    assert!(shown.contains("hypercube of 3 dimensions, 8 processors") && shown.contains("39.0us"), "{shown}");
}

#[test]
fn wrong_models_are_refused_by_line_and_key() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("idea.toml");
    let refused = |text: &[u8], words: &[&str]| {
        fs::write(&path, text).expect("written");
        for command in [vec!["info"], vec!["machines", "show"]] {
            let output = panto(command.iter().map(AsRef::as_ref).chain([path.as_os_str()]));
            let message = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{message}");
            assert!(output.stdout.is_empty());
            for word in words {
                assert!(message.contains(word), "no `{word}` in: {message}");
            }
        }
    };
    refused(
        MODEL.replace("10us", "-10us").as_bytes(),
        &["idea.toml:6", "network.link.latency", "\"-10us\"", "a time"],
    );
    refused(
        MODEL.replace("processors = 4", "processors = 1000000000000").as_bytes(),
        &["idea.toml:4", "network.processors"],
    );
    refused(b"base = \"idea.toml\"", &["idea.toml:1", "circular", "idea.toml -> "]);
    refused(&vec![b'x'; 1 << 20], &["idea.toml:1", "invalid TOML"]);
    refused(b"name = \"\xff\"", &["idea.toml:1", "UTF-8"]);
    let output = line("machines show ipsc680");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean `ipsc860`?"), "{}", stderr(&output));
    let output = line("machines show cm5 --set link.latncy=2us");
    assert!(
        stderr(&output).contains("--set link.latncy=2us: `network.link` has no key `latncy`"),
        "{}",
        stderr(&output)
    );
}
