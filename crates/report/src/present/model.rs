//! A machine model as text and JSON.

use panto_machine::{Description, Figure, Model, PathTimes};
use panto_units::{Time, bytes, rate, time};
use serde_json::{Value, json};

use crate::table::{Column, Table};

/// Returns the name of a machine, what it is, and its topology, on two lines.
pub fn model_heading(model: &Model) -> String {
    let machine = model.machine();
    let about = if machine.about.is_empty() { String::new() } else { format!(": {}", machine.about) };
    format!("{}{about}\n{}\n", machine.name, machine.network.topology)
}

/// Returns the topology of a machine and what messages take on it, for `panto info`.
pub fn model_text(model: &Model) -> String {
    let about = Description::of(model.machine());
    let rated = |value: Option<f64>| value.map_or_else(String::new, |value| format!(", {}", rate(value)));
    let bisection = about.bisection.map_or_else(|| "unknown".into(), links);
    let mut text = format!(
        "{}\n{}\n\nprocessors  {}\nlinks       {} (directed){}\ndiameter    {}\nbisection   {bisection}{}\n\n\
         Time of a message without contention, from the start of its send to the end of its receive:\n\n{}",
        model_heading(model),
        about.drawing.trim_end(),
        about.processors,
        about.links,
        rated(about.link_rate),
        links(about.diameter.into()),
        rated(about.bisection_rate),
        message_times(&about)
    );
    let own: Vec<String> = model.machine().networks.keys().map(ToString::to_string).collect();
    if !own.is_empty() {
        text += "note: these have separate networks, shown by `panto machines show`: ";
        text += &own.join(", ");
        text += "\n";
    }
    text
}

/// Returns every parameter of a model with its source and, if any has one, its 95 % interval, for
/// `panto machines show`.
pub fn model_parameters(model: &Model) -> String {
    let shown = !model.intervals().is_empty();
    let names = ["key", "value"].into_iter().chain(shown.then_some("interval")).chain(["source"]);
    let mut table = Table::new(names.map(Column::text));
    let figures = model.figures();
    for figure in &figures {
        let interval = shown.then(|| interval(model, &figure.key).unwrap_or("-"));
        let cells = [figure.key.as_str(), &figure.value].into_iter().chain(interval);
        table.row(cells.chain([figure.source.as_str()]));
    }
    let assumed = figures.iter().filter(|figure| figure.assumed).count();
    let note = match assumed {
        0 => String::new(),
        n => format!("\n{n} of {} figures are assumed: no document has them.\n", figures.len()),
    };
    format!("{}\n{table}{note}", model_heading(model))
}

/// Returns the 95 % interval of a figure, as in the file.
fn interval<'a>(model: &'a Model, key: &str) -> Option<&'a str> {
    let own = model.intervals().iter().find(|interval| interval.key == key);
    own.map(|interval| interval.written.as_str())
}

/// Returns the share of a model's figures that are assumed.
fn assumed_share(model: &Model) -> f64 {
    let figures = model.figures();
    let assumed = figures.iter().filter(|figure| figure.assumed).count();
    assumed as f64 / figures.len().max(1) as f64
}

/// Returns a model with all its parameters as JSON.
pub fn model_json(model: &Model) -> Value {
    let machine = model.machine();
    let about = Description::of(machine);
    let figure = |figure: Figure| {
        json!({
            "key": figure.key,
            "value": figure.value,
            "source": figure.source,
            "interval": interval(model, &figure.key),
            "assumed": figure.assumed,
        })
    };
    let figures: Vec<Value> = model.figures().into_iter().map(figure).collect();
    json!({
        "name": machine.name,
        "about": machine.about,
        "year": model.year(),
        "groups": model.groups(),
        "assumed_share": assumed_share(model),
        "topology": about.topology,
        "processors": about.processors,
        "links": about.links,
        "diameter": about.diameter,
        "bisection": about.bisection,
        "bisection_bytes_per_s": about.bisection_rate,
        "link_bytes_per_s": about.link_rate,
        "near": reach(&about.near),
        "far": reach(&about.far),
        "figures": figures,
    })
}

/// Returns one row per machine: its name, year, size, the share of its figures that are assumed,
/// its topology and its description.
pub fn machine_list(models: &[Model]) -> Table {
    let columns = [
        Column::text("machine"),
        Column::right("year"),
        Column::right("processors"),
        Column::right("assumed"),
        Column::text("topology"),
        Column::text("description"),
    ];
    let mut table = Table::new(columns);
    for model in models {
        let machine = model.machine();
        table.row([
            machine.name.clone(),
            model.year().map_or_else(|| "-".into(), |year| year.to_string()),
            machine.processors().to_string(),
            format!("{:.0}%", 100.0 * assumed_share(model)),
            machine.network.topology.name().to_owned(),
            machine.about.clone(),
        ]);
    }
    table
}

/// Returns the groups of machines, one per line with its members.
pub fn machine_groups(models: &[Model]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for model in models {
        for group in model.groups() {
            match groups.iter_mut().find(|(known, _)| known == group) {
                Some((_, members)) => members.push(&model.machine().name),
                None => groups.push((group, vec![&model.machine().name])),
            }
        }
    }
    let line = |(group, members): (&str, Vec<&str>)| {
        wrapped(&format!("{:<15}", format!("@{group}")), &members.join(", "))
    };
    groups.into_iter().map(line).collect()
}

/// The columns of a terminal.
const WIDTH: usize = 80;

/// Returns a text after a label, broken into lines between words; further lines are indented.
fn wrapped(label: &str, text: &str) -> String {
    let (mut lines, mut line) = (String::new(), label.to_owned());
    for word in text.split(' ') {
        if line.len() + word.len() >= WIDTH && line.trim() != label.trim() {
            lines += line.trim_end();
            lines += "\n";
            line = " ".repeat(label.len());
        }
        line += word;
        line += " ";
    }
    format!("{lines}{}\n", line.trim_end())
}

/// Returns a list of machines as JSON.
pub fn machine_list_json(models: &[Model]) -> Value {
    let entry = |model: &Model| {
        let machine = model.machine();
        json!({
            "name": machine.name,
            "year": model.year(),
            "groups": model.groups(),
            "assumed_share": assumed_share(model),
            "processors": machine.processors(),
            "topology": machine.network.topology.name(),
            "about": machine.about,
        })
    };
    json!({ "machines": models.iter().map(entry).collect::<Vec<_>>() })
}

/// Returns the times of messages of several sizes between neighbours and across the diameter.
fn message_times(about: &Description) -> Table {
    let mut columns = vec![Column::text("distance")];
    columns.extend(about.near.times.iter().map(|(size, _)| Column::right(bytes(*size))));
    columns.extend([Column::right("bandwidth"), Column::right("n1/2")]);
    let mut table = Table::new(columns);
    let near = std::iter::once(&about.near);
    for reach in near.chain((about.far.distance != about.near.distance).then_some(&about.far)) {
        let mut row = vec![links(reach.distance.into())];
        row.extend(reach.times.iter().map(|(_, at)| time(at.as_secs())));
        row.push(reach.bandwidth.map_or_else(|| "unlimited".into(), rate));
        row.push(reach.half_size.map_or_else(|| "-".into(), bytes));
        table.row(row);
    }
    table
}

fn links(n: u64) -> String {
    format!("{n} link{}", if n == 1 { "" } else { "s" })
}

fn reach(reach: &PathTimes) -> Value {
    let point = |(bytes, at): &(u64, Time)| json!({ "bytes": bytes, "time_ns": at.as_nanos() });
    json!({
        "links": reach.distance,
        "times": reach.times.iter().map(point).collect::<Vec<_>>(),
        "bytes_per_s": reach.bandwidth,
        "half_bandwidth_bytes": reach.half_size,
    })
}
