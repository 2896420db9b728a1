//! Sections of a report about what other commands saved as JSON: predictions (`panto simulate
//! --format json`), sweeps (`panto sweep -o`, or `--format json`) and comparisons (`panto compare
//! --format json`). Values that a later version lacks or names differently are left out.

use panto_predict::sweep::Row;
use panto_units::{grouped, percent, significant, time};
use serde_json::Value;

use super::phrases::one_line;
use super::sweep::sweep_blocks;
use crate::html::{Block, KeyFigure, Section};
use crate::table::{Column, Table};

/// Ranks or points that get a row.
const MAX_ROWS: usize = 64;

/// What a JSON document is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SavedKind {
    /// The prediction of one program on one machine.
    Prediction,
    /// The rows of a sweep.
    Sweep,
    /// Two runs compared.
    Comparison,
}

impl SavedKind {
    /// Returns what a document is about; `None` if it is something else.
    pub fn of(document: &Value) -> Option<Self> {
        let has = |keys: &[&str]| keys.iter().all(|key| document.get(key).is_some());
        if has(&["machine", "time_s", "functions"]) {
            Some(Self::Prediction)
        } else if has(&["trace", "settings"]) {
            Some(Self::Sweep)
        } else if has(&["points", "only_old", "only_new"]) {
            Some(Self::Comparison)
        } else {
            None
        }
    }
}

/// Returns the section of a document; `name` is that of its file.
pub fn saved_section(name: &str, kind: SavedKind, document: &Value) -> Section {
    match kind {
        SavedKind::Prediction => prediction(name, document),
        SavedKind::Sweep => {
            let rows = document["settings"].as_array().into_iter().flatten().filter_map(Row::from_json);
            sweep_section(name, &rows.collect::<Vec<Row>>())
        }
        SavedKind::Comparison => comparison(name, document),
    }
}

/// Returns the section of a sweep: a chart if a number was varied, and all settings.
pub fn sweep_section(name: &str, rows: &[Row]) -> Section {
    let section = Section::new("sweep", format!("Sweep: {}", one_line(name)));
    sweep_blocks(name, rows).into_iter().fold(section, Section::block)
}

fn text(value: &Value) -> String {
    one_line(value.as_str().unwrap_or_default())
}

fn seconds(value: &Value) -> String {
    value.as_f64().map_or_else(|| "-".into(), time)
}

fn share(value: &Value) -> String {
    value.as_f64().map_or_else(|| "-".into(), |share| percent(100.0 * share))
}

fn count(value: &Value) -> String {
    value.as_u64().map_or_else(|| "-".into(), grouped)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn prediction(name: &str, document: &Value) -> Section {
    let machine = text(&document["machine"]);
    let ranks = list(&document["ranks"]).count();
    let speed_up = document["scaled_speedup"].as_f64().map_or_else(|| "-".into(), |it| significant(it, 3));
    let cards = vec![
        KeyFigure::new("predicted time", seconds(&document["time_s"]), format!("on {machine}")),
        KeyFigure::new("ranks", grouped(ranks as u64), text(&document["trace"])),
        KeyFigure::new("scaled speed-up", speed_up, "computation of all ranks / time"),
        KeyFigure::new("mean utilisation", share(&document["mean_utilisation"]), "of the processors"),
    ];
    let heading = format!("Prediction: {}", one_line(name));
    let mut section = Section::new("prediction", heading).block(Block::KeyFigures(cards));
    for sentence in
        list(&document["in_words"]).chain(&document["left_out"].as_array().cloned().unwrap_or_default())
    {
        section = section.block(Block::paragraph(text(sentence)));
    }
    section = section.block(functions(document));
    let all = vec![Block::from(rank_table(document))];
    section
        .block(Block::Details { summary: format!("Ranks (the first {})", ranks.min(MAX_ROWS)), blocks: all })
}

fn functions(document: &Value) -> Table {
    let heads = [
        Column::text("function"),
        Column::right("calls"),
        Column::right("messages"),
        Column::right("waiting"),
    ];
    let mut table = Table::new(heads).caption("Time of all ranks in calls");
    let mut functions: Vec<&Value> = list(&document["functions"]).collect();
    let total = |one: &Value| {
        one["messages_s"].as_f64().unwrap_or_default() + one["waiting_s"].as_f64().unwrap_or_default()
    };
    functions.sort_by(|one, other| total(other).total_cmp(&total(one)));
    for one in functions {
        let times = [&one["messages_s"], &one["waiting_s"]].map(seconds);
        table.row([text(&one["function"]), count(&one["calls"])].into_iter().chain(times));
    }
    table
}

fn rank_table(document: &Value) -> Table {
    let heads = ["rank", "end", "computation", "messages", "waiting", "received"].map(Column::right);
    let mut table = Table::new(heads);
    for rank in list(&document["ranks"]).take(MAX_ROWS) {
        let times = ["end_s", "computation_s", "messages_s", "waiting_s"].map(|key| seconds(&rank[key]));
        let row = [rank["rank"].to_string()].into_iter().chain(times);
        table.row(row.chain([count(&rank["messages_received"])]));
    }
    table
}

fn comparison(name: &str, document: &Value) -> Section {
    let runs = format!("{} against {}", text(&document["new"]), text(&document["old"]));
    let heading = format!("Comparison: {}", one_line(name));
    let mut section = Section::new("saved-comparison", heading).block(Block::paragraph(format!("{runs}.")));
    for sentence in list(&document["summary"]) {
        section = section.block(Block::paragraph(text(sentence)));
    }
    let heads = [
        Column::text("kernel"),
        Column::text("parameters"),
        Column::right("old"),
        Column::right("new"),
        Column::right("ratio"),
        Column::text("verdict"),
    ];
    let mut table = Table::new(heads);
    for point in list(&document["points"]).take(MAX_ROWS) {
        table.row(comparison_row(point));
    }
    let points = list(&document["points"]).count();
    if points > MAX_ROWS {
        section = section.block(Block::paragraph(format!("The first {MAX_ROWS} of {points} common points:")));
    }
    section.block(table)
}

fn comparison_row(point: &Value) -> [String; 6] {
    let parameters = point["params"].as_object().into_iter().flatten();
    let parameters: Vec<String> = parameters
        .map(|(name, value)| {
            format!("{name} {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        })
        .collect();
    let median =
        |side: &str| point[side]["median_ns"].as_f64().map_or_else(|| "-".into(), |ns| time(ns * 1e-9));
    [
        text(&point["kernel"]),
        one_line(&parameters.join(", ")),
        median("old"),
        median("new"),
        point["ratio"].as_f64().map_or_else(|| "-".into(), |ratio| significant(ratio, 4)),
        text(&point["verdict"]),
    ]
}
