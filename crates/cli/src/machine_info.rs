//! `panto info machine`: how noisy this machine is now, and what to do about it.

use std::process::ExitCode;
use std::time::Duration;

use panto_bench::host::Survey;
use panto_report::table::{Column, Table};
use panto_transport::threads::cores;
use panto_units::{percent, time};
use serde_json::json;

use crate::failure::Failure;
use crate::format::{Format, TABLE_OR_JSON};
use crate::print;

/// The name by which `panto info` knows this machine.
pub const NAME: &str = "machine";

/// How long the machine is observed.
const DURATION: Duration = Duration::from_secs(4);
/// Most processes that are named.
const MOST_NAMED: usize = 5;

/// Observes this machine and prints what disturbs measurements.
pub fn info(format: Format) -> Result<ExitCode, Failure> {
    format.check(TABLE_OR_JSON, "`machine`")?;
    let survey = Survey::take(DURATION)?;
    if format == Format::Json {
        let mut data = json!(survey);
        data["advice"] = json!(survey.advice());
        data["cores"] = json!(cores());
        print::line(format_args!("{data:#}"));
    } else {
        show(&survey);
    }
    Ok(ExitCode::SUCCESS)
}

fn show(survey: &Survey) {
    let part = |part: Option<f64>| part.map_or("unknown".into(), |part| percent(100.0 * part));
    let unknown = || "unknown".to_owned();
    let lines = [
        ("cores", cores().len().to_string()),
        ("others use", part(survey.load.and_then(|load| load.others)) + " of the cores' time"),
        ("stolen", part(survey.load.map(|load| load.steal)) + " of the cores' time, by the hypervisor"),
        ("hypervisor", survey.hypervisor.clone().unwrap_or_else(|| "none".into())),
        ("governor", survey.governor.clone().unwrap_or_else(unknown)),
        (
            "threads",
            survey.smt.map_or_else(unknown, |smt| if smt { "share cores" } else { "one per core" }.into()),
        ),
    ];
    for (name, value) in lines {
        print::line(format_args!("{name:<12}{value}"));
    }
    for busy in survey.busy.iter().take(MOST_NAMED) {
        let text = format!("{} (process {}) uses {:.2} cores", busy.name, busy.pid, busy.cores);
        print::line(format_args!("{:<12}{text}", "busy"));
    }
    print::line(format_args!(
        "\nDetours: what was taken from a thread that kept its core busy for {}",
        time(DURATION.as_secs_f64() / 2.0)
    ));
    print::text(detours(survey));
    for advice in survey.advice() {
        print::line(format_args!("advice: {advice}"));
    }
}

/// Returns the histogram of detours, one row for each core.
fn detours(survey: &Survey) -> Table {
    let classes = ["1..10us", "..100us", "..1ms", "..10ms", "longer"].map(Column::right);
    let columns = [Column::right("core")].into_iter().chain(classes);
    let mut table = Table::new(columns.chain([Column::right("longest"), Column::right("share")]));
    for detours in &survey.detours {
        let counts = detours.counts.iter().map(ToString::to_string);
        let ends = [time(detours.longest_s), percent(100.0 * detours.share)];
        table.row([detours.core.to_string()].into_iter().chain(counts).chain(ends));
    }
    table
}
