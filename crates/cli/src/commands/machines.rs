//! `panto machines`: lists the built-in machine models and their parameters.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use panto_machine::{Model, builtin};
use panto_report::present;

use crate::failure::Failure;
use crate::format::{Format, TABLE_OR_JSON};
use crate::print;

/// List the built-in machine models, and show their parameters.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, after_help = AFTER_HELP)]
pub struct Machines {
    #[command(subcommand)]
    action: Option<Action>,

    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_OR_JSON))]
    format: Format,
}

const AFTER_HELP: &str = "\
Examples:
  panto machines                                       the built-in machines
  panto machines show cm5                              the parameters of one
  panto machines show my.toml --set link.latency=2us   with an override
  panto info my.toml                                   topology and times

docs/machines.md describes the format of model files.";

#[derive(Subcommand)]
enum Action {
    Show(Show),
}

/// Show every parameter of a machine model with its source.
#[derive(Args)]
#[command(after_help = "Examples:\n  panto machines show ipsc860\n  \
                        panto machines show cm5 --set widths=[1,2,4] --format json")]
struct Show {
    /// Built-in machine or model file.
    name: String,

    /// Override a model parameter, such as link.latency=2us. Repeatable.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_OR_JSON))]
    format: Format,
}

impl Machines {
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self.action {
            Some(Action::Show(show)) => show.run()?,
            None => list(self.format)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(format: Format) -> Result<(), Failure> {
    let names = builtin::all().iter().map(|machine| machine.name);
    let models: Vec<Model> = names.map(|name| Model::load(name, &[])).collect::<Result<_, _>>()?;
    if format == Format::Json {
        print::line(present::machine_list_json(&models));
        return Ok(());
    }
    print::text(present::machine_list(&models));
    print::line(
        "\nassumed: the share of a machine's figures that no document has\n\nGroups, as in `panto sweep app.panto -m @modern`:",
    );
    print::text(present::machine_groups(&models));
    print::line(
        "\n`panto machines show NAME` lists the parameters with their sources;\n`panto bench --on NAME` runs on it.",
    );
    Ok(())
}

impl Show {
    fn run(self) -> Result<(), Failure> {
        let model = Model::load(&self.name, &self.set)?;
        match self.format {
            Format::Json => print::line(present::model_json(&model)),
            _ => print::text(present::model_parameters(&model)),
        }
        Ok(())
    }
}
