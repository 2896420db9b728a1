//! `panto info mpi`: the MPI library, the job, and the conformance test of the transport over it.

use std::process::ExitCode;

use panto_bench::Settings;
use panto_mpi::Library;
use panto_report::present;
use panto_transport::mpi::{Mpi, Options};
use panto_transport::{World, conformance};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::format::{Format, TABLE_OR_JSON};
use crate::mpi;
use crate::print;

/// Prints the library; under a launcher also the job, and with `check` runs the conformance test.
pub fn info(format: Format, check: bool) -> Result<ExitCode, Failure> {
    format.check(TABLE_OR_JSON, "`mpi`")?;
    if mpi::launched().is_some() {
        let world = mpi::start(&Options::default())?;
        let outcome = mpi::guarded(|| job(&world, format, check));
        return mpi::end(world, outcome);
    }
    if check {
        return Err(Failure::Usage(
            "--check needs an MPI job; use `mpirun -n 4 panto info mpi --check`".into(),
        ));
    }
    let library = mpi::load()?;
    print(format, &lines(&library), describe(&library));
    Ok(ExitCode::SUCCESS)
}

fn job(world: &Mpi, format: Format, check: bool) -> Result<ExitCode, Failure> {
    let library = world.library()?;
    let manifest = mpi::manifest(world, &mpi::settings(world, Settings::default())?)?;
    let (mut text, mut data) = (lines(library), describe(library));
    text.push(("ranks", world.max_ranks().to_string()));
    text.extend(present::placement(&manifest).into_iter().map(|line| ("", line)));
    text.push(("waiting", manifest.transport_settings.clone()));
    text.push(("clock", manifest.clock.clone()));
    data["ranks"] = json!(world.max_ranks());
    data["placement"] = json!(manifest.placement);
    data["waiting"] = json!(manifest.transport_settings);
    data["clock"] = json!(manifest.clock);
    if check {
        let ranks = world.max_ranks();
        let cases = conformance::run(world, ranks).map_err(|failures| Failure::Run(failures.to_string()))?;
        text.push(("check", format!("{cases} cases passed on {ranks} ranks")));
        data["check"] = json!({ "passed": cases, "failed": 0 });
    }
    print(format, &text, data);
    Ok(ExitCode::SUCCESS)
}

fn lines(library: &Library) -> Vec<(&'static str, String)> {
    let (major, minor) = library.standard();
    vec![
        ("library", library.name()),
        ("standard", format!("MPI {major}.{minor}")),
        ("ABI", library.abi().to_string()),
        ("path", library.path().display().to_string()),
        ("chosen", library.found().to_owned()),
    ]
}

fn describe(library: &Library) -> Value {
    let (major, minor) = library.standard();
    json!({
        "library": library.name(),
        "version": library.version(),
        "standard": format!("{major}.{minor}"),
        "abi": library.abi().to_string(),
        "path": library.path(),
        "chosen": library.found(),
    })
}

fn print(format: Format, lines: &[(&str, String)], data: Value) {
    if format == Format::Json {
        return print::line(data);
    }
    for (name, text) in lines {
        print::line(format_args!("{name:<10}{text}"));
    }
}
