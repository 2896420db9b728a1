//! What is printed about a scenario file.

use std::path::Path;

use panto_bench::scenario::operation::Call;
use panto_bench::scenario::{Late, Scenario, Times, Values, Variable, builtin, describe, draw};
use panto_transport::Time;
use serde_json::json;

use crate::failure::Failure;
use crate::out;
use crate::show::Format;

/// Participants of the drawing.
const DRAWN: usize = 4;
/// More are drawn where the scenario names them.
const MOST_DRAWN: usize = 1024;
/// What `$delay` and `$computation` are in the drawing.
const TIME: Time = Time::from_nanos(50_000);

/// Is this a scenario: a built-in that is no file and no machine, or a TOML file with participants?
pub fn is_scenario(path: &Path) -> bool {
    if std::fs::symlink_metadata(path).is_err() {
        return path.to_str().is_some_and(|name| builtin::find(name).is_some());
    }
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    is_toml && std::fs::read_to_string(path).is_ok_and(|text| mentions_participants(&text))
}

/// Machine models have no such words at the beginning of a line.
fn mentions_participants(text: &str) -> bool {
    let says = |line: &str| {
        line.starts_with("[[participants]]")
            || line.starts_with("participants")
            || line.starts_with("[operation.")
    };
    text.lines().map(str::trim_start).any(says)
}

/// `panto info` of a scenario.
pub fn info(path: &Path, format: Format) -> Result<(), Failure> {
    let name = path.to_string_lossy();
    let scenario = Scenario::look(&name)?;
    let (values, drawing) = drawn(&scenario)?;
    match format {
        Format::Table => show(&scenario, values, &drawing),
        Format::Json => out::line(json!({
            "name": scenario.name,
            "about": scenario.about,
            "participants": describe(&scenario),
            "drawing": drawing.lines().collect::<Vec<_>>(),
        })),
        _ => {
            let text = format!("{} is a scenario: it is shown as `table` or `json`", path.display());
            return Err(Failure::Usage(text));
        }
    }
    Ok(())
}

/// With as many participants as the scenario needs: it may name the ninth.
fn drawn(scenario: &Scenario) -> Result<(Values, String), Failure> {
    let values = |ranks| Values {
        ranks,
        call: Call::ALL[0],
        bytes: 0,
        times: Times { delay: TIME, computation: TIME },
        late: Late::default(),
        form: None,
        seed: 1,
    };
    let tries =
        std::iter::successors(Some(DRAWN), |ranks| Some(ranks * 2)).take_while(|ranks| *ranks <= MOST_DRAWN);
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
    out::line(format_args!("{}{about}\n", scenario.name));
    for line in describe(scenario) {
        out::line(line);
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
        out::line(format_args!("swept over: {}", swept.join(", ")));
    }
    let times = scenario.uses(Variable::Delay) || scenario.uses(Variable::Computation);
    let times =
        if times { format!(", swept times of {}", panto_units::time(TIME.as_secs())) } else { String::new() };
    out::line(format_args!(
        "\n{} participants{times}, as if an operation ended for all at once:\n",
        values.ranks
    ));
    out::text(drawing);
}
