//! `panto reproduce`

mod puppet;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use panto_bench::reproduce::{MACHINES, Reproduction, reproduce};
use panto_predict::puppet::Reproduced;
use panto_report::present;

use crate::failure::Failure;
use crate::out;
use crate::simulated::Network;

/// Put the published figures of old machines beside the simulated ones
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Reproduce {
    /// The machines: ipsc860, cm5; or puppet, the tables of PUPPET's thesis [default: all]
    #[arg(value_name = "MACHINE")]
    machines: Vec<String>,

    /// What messages do that meet [default: traffic, and fast for puppet, as in the thesis]
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
    /// One JSON array, an object a machine, then one for puppet
    Json,
}

const AFTER_HELP: &str = "\
Each figure of the documents (data/*.csv in the sources) was given to the model, or the model predicts it. All come from the
kernels of `panto bench comet`, run on the simulated machine; puppet's from the programs of its thesis, whose computation three
of its figures fix.

Examples:
  panto reproduce ipsc860
  panto reproduce ipsc860 --network fast        without shared links contention must not come out
  panto reproduce puppet                        merge sort's speed-ups, load balancing, ring against hypercube
  panto reproduce --html published.html --plot plots";

/// The name of PUPPET's thesis among the machines.
const PUPPET: &str = "puppet";

impl Reproduce {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let model = Network::or_default(self.network).model();
        let names = self.names()?;
        let machines = names.iter().filter(|name| *name != PUPPET);
        let all = machines.map(|name| reproduce(name, model)).collect::<Result<Vec<_>, _>>()?;
        // PUPPET's messages do not get in each other's way.
        let of_puppet = || panto_predict::puppet::reproduce(self.network.unwrap_or(Network::Fast).model());
        let thesis = names.iter().any(|name| name == PUPPET).then(of_puppet).transpose()?;
        self.show(&all, thesis.as_ref());
        if let Some(directory) = &self.plot {
            all.iter().try_for_each(|one| plots(directory, one))?;
            thesis.iter().try_for_each(|thesis| puppet::plots(directory, thesis))?;
        }
        if let Some(path) = &self.html {
            let page = match &thesis {
                Some(thesis) => puppet::page_with(&all, thesis),
                None => present::reproduction_page(&all),
            };
            std::fs::write(path, page.to_html()).map_err(|error| Failure::write(path, &error))?;
            out::note(format_args!("wrote {}", path.display()));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn show(&self, all: &[Reproduction], thesis: Option<&Reproduced>) {
        match self.format {
            Format::Table => {
                all.iter().for_each(print);
                thesis.into_iter().for_each(puppet::print);
            }
            Format::Json => {
                let machines = all.iter().map(|one| serde_json::json!(one));
                let values = machines.chain(thesis.map(puppet::json));
                out::line(serde_json::Value::Array(values.collect()));
            }
        }
    }

    /// What was asked for, or all that is known.
    fn names(&self) -> Result<Vec<String>, Failure> {
        let known = || MACHINES.iter().copied().chain([PUPPET]);
        if self.machines.is_empty() {
            return Ok(known().map(str::to_owned).collect());
        }
        match self.machines.iter().find(|name| !known().any(|known| known == name.as_str())) {
            Some(name) => Err(Failure::Usage(format!(
                "no figures of `{name}` are known; there are those of {}",
                known().collect::<Vec<_>>().join(", ")
            ))),
            None => Ok(self.machines.clone()),
        }
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
