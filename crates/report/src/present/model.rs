//! A machine model as text and JSON.

use panto_machine::{Description, Machine, Model, PathTimes};
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

/// Returns every parameter of a model with its source, for `panto machines show`.
pub fn model_parameters(model: &Model) -> String {
    let mut table = Table::new([Column::text("key"), Column::text("value"), Column::text("source")]);
    for figure in model.figures() {
        table.row([figure.key, figure.value, figure.source]);
    }
    format!("{}\n{table}", model_heading(model))
}

/// Returns a model with all its parameters as JSON.
pub fn model_json(model: &Model) -> Value {
    let machine = model.machine();
    let about = Description::of(machine);
    let figures: Vec<Value> = model
        .figures()
        .into_iter()
        .map(|figure| json!({ "key": figure.key, "value": figure.value, "source": figure.source }))
        .collect();
    json!({
        "name": machine.name,
        "about": machine.about,
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

/// Returns one row per machine: its name, size, topology, and what it is.
pub fn machine_list<'a>(machines: impl IntoIterator<Item = &'a Machine>) -> Table {
    let columns = [
        Column::text("machine"),
        Column::right("processors"),
        Column::text("topology"),
        Column::text("description"),
    ];
    let mut table = Table::new(columns);
    for machine in machines {
        let topology = machine.network.topology.name();
        table.row([&machine.name, &machine.processors().to_string(), topology, &machine.about]);
    }
    table
}

/// Returns a list of machines as JSON.
pub fn machine_list_json<'a>(machines: impl IntoIterator<Item = &'a Machine>) -> Value {
    let entry = |machine: &Machine| {
        json!({
            "name": machine.name,
            "processors": machine.processors(),
            "topology": machine.network.topology.name(),
            "about": machine.about,
        })
    };
    json!({ "machines": machines.into_iter().map(entry).collect::<Vec<_>>() })
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
