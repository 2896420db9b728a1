//! `panto reproduce`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use panto_bench::reproduce::{MACHINES, Reproduction, reproduce};
use panto_report::present;

use crate::failure::Failure;
use crate::out;
use crate::simulated::Network;

/// Put the published figures of old machines beside the simulated ones
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Reproduce {
    /// The machines: ipsc860, cm5 [default: all]
    #[arg(value_name = "MACHINE")]
    machines: Vec<String>,

    /// What messages do that meet [default: traffic]
    #[arg(long, value_enum)]
    network: Option<Network>,

    /// How to print
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Write the curves as SVG into this directory
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,

    /// Write everything as one page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people
    Table,
    /// One JSON array, an object a machine
    Json,
}

const AFTER_HELP: &str = "\
Each figure of the documents (data/*.csv in the sources) was given to the model, or the model predicts it. All come from the
kernels of `panto bench comet`, run on the simulated machine.

Examples:
  panto reproduce ipsc860
  panto reproduce ipsc860 --network fast        without shared links contention must not come out
  panto reproduce --html published.html --plot plots";

impl Reproduce {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let model = Network::or_default(self.network).model();
        let names =
            if self.machines.is_empty() { MACHINES.map(str::to_owned).to_vec() } else { self.machines };
        let all = names.iter().map(|name| reproduce(name, model)).collect::<Result<Vec<_>, _>>()?;
        match self.format {
            Format::Table => all.iter().for_each(print),
            Format::Json => out::line(serde_json::json!(all)),
        }
        if let Some(directory) = &self.plot {
            all.iter().try_for_each(|one| plots(directory, one))?;
        }
        if let Some(path) = &self.html {
            let page = present::reproduction_page(&all).to_html();
            std::fs::write(path, page).map_err(|error| Failure::write(path, &error))?;
            out::note(format_args!("wrote {}", path.display()));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn print(reproduction: &Reproduction) {
    out::line(present::reproduction_table(reproduction));
    for line in present::reproduction_in_words(reproduction) {
        out::line(line);
    }
    out::line(format_args!("\n{}", present::assumptions(reproduction)));
}

fn plots(directory: &Path, reproduction: &Reproduction) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|error| Failure::write(directory, &error))?;
    for (kernel, figure) in present::reproduction_figures(reproduction) {
        let path = directory.join(format!("{}-{}.svg", reproduction.machine, kernel.replace('/', "-")));
        std::fs::write(&path, figure.to_svg()).map_err(|error| Failure::write(&path, &error))?;
        out::note(format_args!("wrote {}", path.display()));
    }
    Ok(())
}
