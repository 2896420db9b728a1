//! `panto reproduce`: compares published measurements with simulations.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use panto_machine::Sharing;
use panto_reproduce::puppet::{self, ThesisReproduction};
use panto_reproduce::{MACHINES, Reproduction, present, reproduce};
use panto_units::suggest::hint;

use crate::failure::Failure;
use crate::files;
use crate::format::{Format, TABLE_OR_JSON};
use crate::print;
use crate::simulated::sharing_parser;

/// Compare published measurements of historical machines with simulations.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Reproduce {
    /// Machines: ipsc860, cm5, or puppet for the tables of PUPPET's thesis [default: all].
    #[arg(value_name = "MACHINE")]
    machines: Vec<String>,

    /// What messages share [default: links; none for puppet, as in the thesis].
    #[arg(long, value_name = "LEVEL", alias = "network", value_parser = sharing_parser())]
    sharing: Option<Sharing>,

    /// Output format.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = Format::one_of(TABLE_OR_JSON))]
    format: Format,

    /// Write the curves as SVG files to this directory.
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,

    /// Write an HTML page.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Each published figure (data/*.csv in the sources) was used to build the model, is predicted by it, or is contradicted by its own document, whose sentence is quoted. The simulated figures come from the kernels of `panto bench comet` on the simulated machine; those of puppet from the programs of the thesis, whose computation is fitted to four of its figures.

Examples:
  panto reproduce ipsc860
  panto reproduce ipsc860 --sharing none        without contention
  panto reproduce puppet                        the programs of the thesis
  panto reproduce --html published.html --plot plots";

impl Reproduce {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let model = self.sharing.unwrap_or(Sharing::Links);
        let names = self.names()?;
        self.html.iter().try_for_each(|path| files::check_output(path))?;
        let machines = names.iter().filter(|name| *name != puppet::NAME);
        let all = machines.map(|name| reproduce(name, model)).collect::<Result<Vec<_>, _>>()?;
        // PUPPET simulates no contention.
        let of_puppet = || puppet::reproduce(self.sharing.unwrap_or(Sharing::None));
        let thesis = names.iter().any(|name| name == puppet::NAME).then(of_puppet).transpose()?;
        self.show(&all, thesis.as_ref());
        if let Some(directory) = &self.plot {
            all.iter().try_for_each(|one| plots(directory, one))?;
            thesis.iter().try_for_each(|thesis| write_all(directory, puppet_charts(thesis)))?;
        }
        if let Some(path) = &self.html {
            let page = match &thesis {
                Some(thesis) => puppet::present::page_with(&all, thesis),
                None => present::page(&all),
            };
            files::replace(path, page.to_html())?;
            print::note(format_args!("wrote {}", path.display()));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn show(&self, all: &[Reproduction], thesis: Option<&ThesisReproduction>) {
        if self.format == Format::Json {
            let machines = all.iter().map(present::json);
            let values = machines.chain(thesis.map(puppet::present::json));
            print::line(serde_json::Value::Array(values.collect()));
        } else {
            for machine in all {
                print_machine(machine);
            }
            if let Some(thesis) = thesis {
                print::text(puppet::present::text(thesis));
            }
        }
    }

    /// Returns the requested machines, or all.
    fn names(&self) -> Result<Vec<String>, Failure> {
        let known = || MACHINES.iter().copied().chain([puppet::NAME]);
        if self.machines.is_empty() {
            return Ok(known().map(str::to_owned).collect());
        }
        match self.machines.iter().find(|name| !known().any(|known| known == name.as_str())) {
            Some(name) => Err(Failure::Usage(format!(
                "no published figures of `{name}`{}; use {}",
                hint(name, known()).trim_end_matches('?'),
                known().collect::<Vec<_>>().join(", ")
            ))),
            None => Ok(self.machines.clone()),
        }
    }
}

fn print_machine(reproduction: &Reproduction) {
    print::line(present::table(reproduction));
    for line in present::summary(reproduction) {
        print::line(line);
    }
    print::line(format_args!("\n{}", present::assumptions(reproduction)));
}

fn plots(directory: &Path, reproduction: &Reproduction) -> Result<(), Failure> {
    let name = |kernel: &str| format!("{}-{}.svg", reproduction.machine, kernel.replace('/', "-"));
    let figures = present::figures(reproduction).into_iter();
    write_all(directory, figures.map(|(kernel, figure)| (name(&kernel), figure.to_svg())))
}

fn puppet_charts(thesis: &ThesisReproduction) -> impl Iterator<Item = (String, String)> {
    puppet::present::charts(thesis).into_iter().map(|(name, chart)| (name.to_owned(), chart.to_svg()))
}

/// Writes files, given by name and content, into a directory.
fn write_all(directory: &Path, files: impl IntoIterator<Item = (String, String)>) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|error| Failure::write(directory, &error))?;
    for (name, content) in files {
        let path = directory.join(name);
        files::replace(&path, content)?;
        print::note(format_args!("wrote {}", path.display()));
    }
    Ok(())
}
