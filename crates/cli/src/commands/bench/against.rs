//! A model to put beside the measurements.

use clap::Args;
use panto_bench::against::{Against, ranks_of};
use panto_bench::{Kernel, Settings, decide};
use panto_machine::{Model, builtin};
use panto_transport::World;
use panto_transport::simulated::Model as Traffic;

use crate::failure::Failure;
use crate::simulated;

#[derive(Args)]
pub struct AgainstArgs {
    /// Print what this model says beside each value, and by how much it is off: a built-in machine or a model file
    #[arg(long, value_name = "MODEL")]
    against: Option<String>,

    /// Change that model first, such as link.latency=2us; may be given again and again
    #[arg(long, value_name = "KEY=VALUE", requires = "against")]
    against_set: Vec<String>,
}

impl AgainstArgs {
    /// The machine of the model, for what is about to be measured. The first process of a job simulates for all.
    pub fn open<W: World>(
        &self,
        world: &W,
        kernels: &[Kernel],
        settings: &Settings,
        traffic: Traffic,
    ) -> Result<Option<Against>, Failure> {
        let Some(name) = &self.against else { return Ok(None) };
        let mut opened = None;
        decide(world, || {
            let machine = simulated::machine(self.load(name)?, ranks_of(kernels, settings));
            opened = Some(Against::new(machine.map_err(|failure| as_usage(&failure))?, traffic, settings));
            Ok(())
        })?;
        Ok(opened)
    }

    fn load(&self, name: &str) -> panto_bench::Result<Model> {
        if builtin::find(name).is_none() && std::fs::symlink_metadata(name).is_err() {
            let known: Vec<&str> = builtin::all().iter().map(|known| known.name).collect();
            return Err(panto_bench::Error::usage(format!(
                "`--against {name}`: there is no such model; use a machine ({}) or a model file",
                known.join(", ")
            )));
        }
        Model::load(name, &self.against_set).map_err(|error| panto_bench::Error::usage(error.to_string()))
    }
}

fn as_usage(failure: &Failure) -> panto_bench::Error {
    panto_bench::Error::usage(failure.to_string())
}
