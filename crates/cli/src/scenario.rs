//! Scenarios: which arguments name one, and what `panto info` prints of it.

use std::path::Path;

use panto_bench::scenario::{Late, Scenario, Times, Values, Variable, builtin, describe, draw};
use panto_results::scenario::CollectiveCall;
use panto_transport::Time;
use serde_json::json;

use crate::failure::Failure;
use crate::format::{Format, TABLE_OR_JSON};
use crate::print;

/// Participants of the drawing, unless the scenario names more.
const DRAWN: usize = 4;
/// Maximum number of participants of a drawing.
const MAX_DRAWN: usize = 1024;
/// The value of `$delay` and `$computation` in the drawing.
const TIME: Time = Time::from_nanos(50_000);

/// Returns whether a path names a built-in scenario, or a TOML file with participants.
pub fn is_scenario(path: &Path) -> bool {
    if std::fs::symlink_metadata(path).is_err() {
        return path.to_str().is_some_and(|name| builtin::find(name).is_some());
    }
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    is_toml && std::fs::read_to_string(path).is_ok_and(|text| mentions_participants(&text))
}

/// Returns whether a line starts with a key that scenarios have and machine models do not.
fn mentions_participants(text: &str) -> bool {
    let starts = |line: &str| {
        line.starts_with("[[participants]]")
            || line.starts_with("participants")
            || line.starts_with("[operation.")
    };
    text.lines().map(str::trim_start).any(starts)
}

/// Prints `panto info` of a scenario.
pub fn info(path: &Path, format: Format) -> Result<(), Failure> {
    format.check(TABLE_OR_JSON, "a scenario")?;
    let name = path.to_string_lossy();
    let scenario = Scenario::look(&name)?;
    let (values, drawing) = drawn(&scenario)?;
    match format {
        Format::Json => print::line(json!({
            "name": scenario.name,
            "about": scenario.about,
            "participants": describe(&scenario),
            "drawing": drawing.lines().collect::<Vec<_>>(),
        })),
        _ => show(&scenario, values, &drawing),
    }
    Ok(())
}

/// Draws a scenario with as many participants as it needs: it may name the ninth.
fn drawn(scenario: &Scenario) -> Result<(Values, String), Failure> {
    let values = |ranks| Values {
        ranks,
        call: CollectiveCall::ALL[0],
        bytes: 0,
        times: Times { delay: TIME, computation: TIME },
        late: Late::default(),
        form: None,
        seed: 1,
    };
    let tries =
        std::iter::successors(Some(DRAWN), |ranks| Some(ranks * 2)).take_while(|ranks| *ranks <= MAX_DRAWN);
    let mut outcomes = tries.map(|ranks| (values(ranks), draw(scenario, values(ranks))));
    let (first, outcome) = outcomes.next().expect("there is at least one");
    match outcome {
        Ok(drawing) => Ok((first, drawing)),
        Err(why) => {
            let found = outcomes.find_map(|(values, outcome)| Some((values, outcome.ok()?)));
            found.ok_or_else(|| why.into())
        }
    }
}

fn show(scenario: &Scenario, values: Values, drawing: &str) {
    let about = if scenario.about.is_empty() { String::new() } else { format!(": {}", scenario.about) };
    print::line(format_args!("{}{about}\n", scenario.name));
    for line in describe(scenario) {
        print::line(line);
    }
    let swept = [
        (Variable::Collective, "$collective (--collective)"),
        (Variable::Size, "$size (--sizes)"),
        (Variable::Delay, "$delay (--delays)"),
        (Variable::Computation, "$computation (--computations)"),
        (Variable::Late, "$late (--late)"),
    ];
    let swept: Vec<&str> =
        swept.into_iter().filter(|(variable, _)| scenario.uses(*variable)).map(|(_, words)| words).collect();
    if !swept.is_empty() {
        print::line(format_args!("swept over: {}", swept.join(", ")));
    }
    let times = scenario.uses(Variable::Delay) || scenario.uses(Variable::Computation);
    let times = if times {
        format!(", swept times set to {}", panto_units::time(TIME.as_secs()))
    } else {
        String::new()
    };
    print::line(format_args!(
        "\n{} participants{times}; collectives are drawn as if they ended on all at once:\n",
        values.ranks
    ));
    print::text(drawing);
}
