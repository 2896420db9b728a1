//! Parts that are programs of the workspace and print their own figures.

use super::Outcome;
use crate::failure::Result;
use crate::shell;

pub fn startup() -> Result<Outcome> {
    example("transport", "startup")
}

pub fn overhead() -> Result<Outcome> {
    example("bench", "overhead")
}

pub fn simulated() -> Result<Outcome> {
    example("transport", "simulated")
}

pub fn stats() -> Result<Outcome> {
    shell::stream(&mut shell::cargo("bench --package panto-stats --bench segments"))?;
    Ok(Outcome::Done)
}

fn example(folder: &str, name: &str) -> Result<Outcome> {
    let source = format!("crates/{folder}/examples/{name}.rs");
    if !shell::root().join(&source).is_file() {
        return Ok(Outcome::Skipped(format!("there is no {source} yet")));
    }
    shell::stream(&mut shell::cargo(&format!("run --release --package panto-{folder} --example {name}")))?;
    Ok(Outcome::Done)
}
