//! Options of the comparison of measurements with a model.

use clap::Args;
use panto_bench::model_comparison::{ModelComparison, ranks_of};
use panto_bench::{Kernel, Settings, decide};
use panto_machine::{Model, builtin};
use panto_transport::World;
use panto_transport::simulated::Sharing;

use crate::failure::Failure;
use crate::{model, simulated};

#[derive(Args)]
pub struct AgainstArgs {
    /// Print the expectation of a model and its error beside each value; MODEL is a built-in
    /// machine or a model file.
    #[arg(long, value_name = "MODEL")]
    against: Option<String>,

    /// Override a parameter of the model of --against, such as link.latency=2us. Repeatable.
    #[arg(long, value_name = "KEY=VALUE", requires = "against")]
    against_set: Vec<String>,
}

impl AgainstArgs {
    /// Loads the model and builds its machine. In an MPI job, the first process simulates for all.
    pub fn open<W: World>(
        &self,
        world: &W,
        kernels: &[Kernel],
        settings: &Settings,
        network: Sharing,
    ) -> Result<Option<ModelComparison>, Failure> {
        let Some(name) = &self.against else { return Ok(None) };
        let mut opened = None;
        decide(world, || {
            let machine = simulated::machine(self.load(name)?, ranks_of(kernels, settings));
            opened = Some(ModelComparison::new(
                machine.map_err(|failure| usage_error(&failure))?,
                network,
                settings,
            ));
            Ok(())
        })?;
        Ok(opened)
    }

    fn load(&self, name: &str) -> panto_bench::Result<Model> {
        if builtin::find(name).is_none() && std::fs::symlink_metadata(name).is_err() {
            return Err(panto_bench::Error::usage(format!(
                "`--against {name}`: unknown model; use a built-in machine ({}) or a model file",
                model::builtin_names().join(", ")
            )));
        }
        Model::load(name, &self.against_set).map_err(|error| panto_bench::Error::usage(error.to_string()))
    }
}

fn usage_error(failure: &Failure) -> panto_bench::Error {
    panto_bench::Error::usage(failure.to_string())
}
