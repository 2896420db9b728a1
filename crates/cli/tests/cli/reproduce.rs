//! `panto reproduce` prints published figures beside simulated ones.

use serde_json::Value;

use super::{line, stderr, succeeds};

#[test]
fn published_and_simulated_figures_are_compared() {
    let table = succeeds(&line("reproduce ipsc860"));
    for word in ["published", "simulated", "given", "predicted", "free parameters", "assumed", "156 us"] {
        assert!(table.contains(word), "no `{word}` in: {table}");
    }
    // A figure that its document contradicts is quoted.
    assert!(table.contains("Contradicted: thesis 5.1: 't_start-up"), "{table}");
    assert!(table.contains("17 of 17 that it predicts"), "{table}");
    let fast = succeeds(&line("reproduce ipsc860 --sharing none"));
    assert!(fast.contains("BROKEN") && fast.contains("sharing none"), "{fast}");
}

#[test]
fn all_machines_as_json_curves_and_a_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let (plots, page) = (directory.path().join("plots"), directory.path().join("page.html"));
    let command = format!("reproduce --format json --plot {} --html {}", plots.display(), page.display());
    let all: Value = serde_json::from_str(&succeeds(&line(&command))).expect("JSON");
    assert_eq!([&all[0]["machine"], &all[1]["machine"], &all[2]["machine"]], ["ipsc860", "cm5", "puppet"]);
    assert!(all[0]["outcomes"].as_array().is_some_and(|rows| rows.len() > 20));
    let simple = std::fs::read_to_string(plots.join("cm5-cm5-simple-send.svg")).expect("written");
    assert!(simple.contains("published, multiples of 16") && simple.contains("simulated cm5"), "{simple}");
    let page = std::fs::read_to_string(&page).expect("written");
    assert!(page.contains("Nothing was measured") && page.contains("Table A.7"), "{page}");
}

#[test]
fn the_tables_of_puppets_thesis_are_compared() {
    let table = succeeds(&line("reproduce puppet"));
    for word in [
        "Table A.4(d)",
        "17.45",
        "0% given",
        "predicted",
        "Table A.7",
        "fan-in (text)",
        "Contradictions",
        "predicted DIFFERS",
        "Table A.2 measured",
        "Assumed",
        "Figures 5.12 and 5.13",
    ] {
        assert!(table.contains(word), "no `{word}` in: {table}");
    }
    let json = |command: &str| -> Value { serde_json::from_str(&succeeds(&line(command))).expect("JSON") };
    let without_times = |command: &str| {
        let mut all = json(command);
        let speed = all[0].as_object_mut().and_then(|thesis| thesis.remove("speed"));
        assert_eq!(speed.as_ref().and_then(Value::as_array).map(Vec::len), Some(9));
        all
    };
    let all = without_times("reproduce puppet --format json");
    let cells = |table: &Value| table["cells"].as_array().map_or(0, Vec::len);
    let tables = all[0]["tables"].as_array().expect("tables");
    assert_eq!(
        tables.iter().map(cells).collect::<Vec<_>>(),
        [14, 14, 8, 8, 43, 43, 15, 15, 15, 15, 12, 18, 12]
    );
    assert_eq!(without_times("reproduce puppet --network fast --format json"), all);
}

#[test]
fn wrong_names_are_refused() {
    for (command, word) in
        [("reproduce enigma", "enigma"), ("reproduce cm5 --html /nowhere/x.html", "/nowhere")]
    {
        let output = line(command);
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(stderr(&output).contains(word), "{command}: {}", stderr(&output));
    }
}
