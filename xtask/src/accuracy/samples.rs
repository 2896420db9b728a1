//! Saves the figures of every round.

use std::fs;

use serde_json::{Value, json};

use super::prediction::Predicted;
use super::report::Outcome;
use crate::failure::{Failure, Result};
use crate::shell;

/// Writes the figures to `target/accuracy` and prints the path.
pub fn save(name: &str, outcomes: &[Outcome]) -> Result<()> {
    let folder = shell::root().join("target/accuracy");
    let file = folder.join(format!("{name}.json"));
    let programs: Vec<Value> = outcomes.iter().map(program).collect();
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&file, format!("{:#}\n", json!(programs))))
        .map_err(|error| Failure::failed(format!("cannot write {}: {error}", file.display())))?;
    println!("\nall rounds: {}", shell::shown(&file));
    Ok(())
}

fn program(outcome: &Outcome) -> Value {
    let each = |figure: fn(&Predicted) -> Value| outcome.predicted.iter().map(figure).collect::<Vec<_>>();
    json!({
        "program": outcome.program.name,
        "predicted_s": each(|predicted| json!(predicted.seconds)),
        "unadjusted_s": each(|predicted| json!(predicted.unadjusted)),
        "interval_s": each(|predicted| json!(predicted.interval)),
        "actual_s": outcome.actual,
        "messages_predicted_s": each(|predicted| json!(predicted.alone)),
        "messages_actual_s": outcome.alone,
    })
}
