//! What is printed about a machine model.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use panto_machine::{Description, Model, Reach, builtin};
use panto_report::table::{Column, Table};
use panto_units::{Time, bytes, rate, time};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::out;
use crate::show::Format;

/// Is this a model: a built-in machine, or a file? That is read no further than needed to tell, and what can be read only once
/// is a result.
pub fn is_model(path: &Path) -> bool {
    if is_builtin(path) {
        return true;
    }
    let mut start = Vec::new();
    let regular = std::fs::metadata(path).is_ok_and(|about| about.is_file());
    let mut read = || File::open(path)?.take(64 << 10).read_to_end(&mut start);
    regular && read().is_ok() && Model::recognises(&String::from_utf8_lossy(&start), path)
}

/// The name of a built-in machine, and of no file.
fn is_builtin(path: &Path) -> bool {
    path.to_str().is_some_and(|name| builtin::find(name).is_some())
        && std::fs::symlink_metadata(path).is_err()
}

/// The model of this name or in this file.
pub fn open(path: &Path) -> Result<Model, Failure> {
    let name = path.to_string_lossy();
    // A file that is called like a built-in is still the file.
    let is_file_here = path.components().count() == 1 && !is_builtin(path);
    let name = if is_file_here { format!("./{name}") } else { name.into_owned() };
    Ok(Model::load(&name, &[])?)
}

/// `panto info` of a model.
pub fn info(path: &Path, format: Format) -> Result<(), Failure> {
    let model = open(path)?;
    match format {
        Format::Table => describe(&model),
        Format::Json => out::line(json(&model)),
        Format::Csv | Format::Osu | Format::Imb | Format::Mbs => {
            let text = format!("{} is a machine model: it is shown as `table` or `json`", path.display());
            return Err(Failure::Usage(text));
        }
    }
    Ok(())
}

/// Name, what it is, how large it is.
pub fn head(model: &Model) {
    let machine = model.machine();
    let about = if machine.about.is_empty() { String::new() } else { format!(": {}", machine.about) };
    out::line(format_args!("{}{about}", machine.name));
    out::line(format_args!("{}", machine.network.topology));
}

fn describe(model: &Model) {
    head(model);
    let about = Description::of(model.machine());
    out::line(format_args!("\n{}\n", about.drawing.trim_end()));
    let rated = |rate: Option<f64>| rate.map_or_else(String::new, |value| format!(", {}", self::rate(value)));
    out::line(format_args!("processors  {}", about.processors));
    out::line(format_args!("links       {}, one way each{}", about.links, rated(about.link_rate)));
    out::line(format_args!("diameter    {}", links(about.diameter.into())));
    let bisection = about.bisection.map_or_else(|| "no formula is known".into(), links);
    out::line(format_args!("bisection   {bisection}{}", rated(about.bisection_rate)));
    out::line("\nA message that meets nobody, from the start of its send to the end of its receive:\n");
    out::text(predicted(&about));
    let own: Vec<String> = model.machine().networks.keys().map(ToString::to_string).collect();
    if !own.is_empty() {
        out::line(format_args!(
            "note: networks of their own, which `panto machines show` shows: {}",
            own.join(", ")
        ));
    }
}

fn predicted(about: &Description) -> Table {
    let mut columns = vec![Column::text("distance")];
    columns.extend(about.near.times.iter().map(|(size, _)| Column::right(bytes(*size))));
    columns.extend([Column::right("bandwidth"), Column::right("half of it at")]);
    let mut table = Table::new(columns);
    let near = std::iter::once(&about.near);
    for reach in near.chain((about.far.distance != about.near.distance).then_some(&about.far)) {
        let mut row = vec![links(reach.distance.into())];
        row.extend(reach.times.iter().map(|(_, at)| time(at.as_secs())));
        row.push(reach.bandwidth.map_or_else(|| "no limit".into(), rate));
        row.push(reach.half_size.map_or_else(|| "-".into(), bytes));
        table.row(row);
    }
    table
}

fn links(n: u64) -> String {
    format!("{n} link{}", if n == 1 { "" } else { "s" })
}

/// All that is known about a model.
pub fn json(model: &Model) -> Value {
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

fn reach(reach: &Reach) -> Value {
    let point = |(bytes, at): &(u64, Time)| json!({ "bytes": bytes, "time_ns": at.as_nanos() });
    json!({
        "links": reach.distance,
        "times": reach.times.iter().map(point).collect::<Vec<_>>(),
        "bytes_per_s": reach.bandwidth,
        "half_bandwidth_bytes": reach.half_size,
    })
}
