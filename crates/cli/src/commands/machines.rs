//! `panto machines`

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use panto_machine::{Model, builtin};
use panto_report::table::{Column, Table};
use serde_json::json;

use crate::failure::Failure;
use crate::{model, out};

/// List the machines that can be simulated, and show what they are made of
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, after_help = AFTER_HELP)]
pub struct Machines {
    #[command(subcommand)]
    action: Option<Action>,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

const AFTER_HELP: &str = "\
Examples:
  panto machines                                          the built-in machines
  panto machines show cm5                                 every figure of one, with its source
  panto machines show my.toml --set link.latency=2us      a file works as well
  panto info my.toml                                      its topology, and what a message takes on it

docs/machines.md explains the format of model files.";

#[derive(Subcommand)]
enum Action {
    Show(Show),
}

/// Show every figure of a machine, with its source
#[derive(Args)]
#[command(after_help = "Examples:\n  panto machines show ipsc860\n  \
                        panto machines show cm5 --set widths=[1,2,4] --format json")]
struct Show {
    /// A built-in machine, or a model file
    name: String,

    /// Replace a figure of the model, such as `link.latency=2us`; may be given often
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for people
    Table,
    /// One JSON object
    Json,
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
    let machines = models.iter().map(Model::machine);
    if format == Format::Json {
        let machine = |machine: &panto_machine::Machine| {
            json!({
                "name": machine.name,
                "processors": machine.processors(),
                "topology": machine.network.topology.name(),
                "about": machine.about,
            })
        };
        out::line(json!({ "machines": machines.map(machine).collect::<Vec<_>>() }));
        return Ok(());
    }
    let columns = [
        Column::text("machine"),
        Column::right("processors"),
        Column::text("topology"),
        Column::text("about"),
    ];
    let mut table = Table::new(columns);
    for machine in machines {
        let topology = machine.network.topology.name();
        table.row([&machine.name, &machine.processors().to_string(), topology, &machine.about]);
    }
    out::text(table);
    out::line(
        "\n`panto machines show NAME` shows every figure with its source; `panto bench --on NAME` runs on it.",
    );
    Ok(())
}

impl Show {
    fn run(self) -> Result<(), Failure> {
        let model = Model::load(&self.name, &self.set)?;
        if self.format == Format::Json {
            out::line(model::json(&model));
            return Ok(());
        }
        model::head(&model);
        let mut table = Table::new([Column::text("key"), Column::text("value"), Column::text("source")]);
        for figure in model.figures() {
            table.row([figure.key, figure.value, figure.source]);
        }
        out::text(format_args!("\n{table}"));
        Ok(())
    }
}
