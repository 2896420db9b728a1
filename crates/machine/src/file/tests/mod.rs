//! Tests of valid and invalid model files.

mod assumed;
mod bases;
mod buffers;
mod builtins;
mod errors;
mod fuzz;
mod intervals;
mod overrides;
mod puppet;
mod rules;
mod sizes;
mod toml_file;

use super::Model;

/// A minimal model.
const LEAST: &str = "\
[network]
topology = \"ring\"
processors = 4
switching = \"packet\"
link = { latency = \"39us\", bandwidth = \"35.5MB/s\" }
";

fn model(text: &str) -> Model {
    Model::parse(text, "m.toml", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Parses a text and returns the error.
fn refused(text: &str) -> String {
    refused_as(text, "m.toml", &[])
}

fn refused_as(text: &str, origin: &str, overrides: &[&str]) -> String {
    match Model::parse(text, origin, &strings(overrides)) {
        Ok(_) => panic!("accepted: {text} {overrides:?}"),
        Err(error) => error.to_string(),
    }
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
