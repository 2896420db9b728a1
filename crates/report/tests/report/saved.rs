//! Reports of what other commands saved as JSON.

use panto_predict::sweep::Row;
use panto_report::html::{Page, Section};
use panto_report::present::{SavedKind, saved_section, sweep_section};
use serde_json::{Value, json};

fn html(section: Section) -> String {
    Page::new("title", "").section(section.in_group("a file")).section(Section::new("end", "End")).to_html()
}

fn section(name: &str, document: &Value) -> String {
    html(saved_section(name, SavedKind::of(document).expect("known"), document))
}

#[test]
fn predictions_have_figures_functions_and_ranks() {
    let document = json!({
        "trace": "app.panto", "machine": "cm5", "time_s": 0.5, "scaled_speedup": 3.2, "mean_utilisation": 0.8,
        "ranks": [{ "rank": 0, "end_s": 0.5, "computation_s": 0.4, "messages_s": 0.05, "waiting_s": 0.05,
                    "messages_received": 1200 }],
        "functions": [{ "function": "MPI_<Send>", "calls": 1200, "messages_s": 0.05, "waiting_s": 0.05 }],
        "in_words": ["the critical path is 80% computation"], "left_out": [],
    });
    let page = section("p.json", &document);
    for part in
        ["Prediction: p.json", "500ms", "on cm5", "MPI_&lt;Send&gt;", "1,200", "80.0%", "critical path"]
    {
        assert!(page.contains(part), "{part}");
    }
    // The contents list has the file above its sections.
    let joined: String = page.lines().collect();
    let entry = "<span>a file</span><ol><li><a href=\"#prediction\">Prediction: p.json</a>";
    assert!(joined.contains(entry), "{page}");
}

#[test]
fn sweeps_have_a_chart_and_all_settings() {
    let row = |processors: u32, time: f64| {
        json!({ "key": processors.to_string(), "settings": { "machine": "cm5", "processors": processors.to_string() },
                "time_s": time, "scaled_speedup": 2.0, "mean_utilisation": 0.5, "waiting_share": 0.1, "processors": processors })
    };
    let rows = [row(4, 2.0), row(8, 1.0), row(16, 0.75)];
    let read: Vec<Row> = rows.iter().map(|row| Row::from_json(row).expect("a row")).collect();
    assert_eq!(read.iter().map(Row::json).collect::<Vec<_>>(), rows);
    let page = html(sweep_section("rows.jsonl", &read));
    for part in [
        "Sweep: rows.jsonl",
        "All settings: machine cm5.",
        "Fastest: processors 16 (750ms)",
        "Predicted time by processors",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let document = json!({ "trace": "app.panto", "ranks": 4, "complete": true, "settings": rows });
    assert!(section("rows.json", &document).contains("Fastest: processors 16"));
}

#[test]
fn comparisons_have_their_points() {
    let point = json!({ "kernel": "comet/echo", "ranks": 2, "params": { "bytes": 64 }, "verdict": "slower",
                        "ratio": 1.25, "old": { "median_ns": 800.0 }, "new": { "median_ns": 1000.0 } });
    let document = json!({ "old": "a", "new": "b", "summary": ["one point became slower"], "points": [point],
                           "only_old": [], "only_new": [] });
    let page = section("c.json", &document);
    for part in [
        "Comparison: c.json",
        "b against a.",
        "one point became slower",
        "bytes 64",
        "800ns",
        "1.00us",
        "1.250",
        "slower",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(SavedKind::of(&json!({ "points": [] })), None);
}
