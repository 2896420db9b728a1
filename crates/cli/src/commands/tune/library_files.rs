//! The files that an MPI library reads.

use std::collections::BTreeMap;

use panto_mpi::{Abi, Algorithms, Library, SelectionTrees};
use panto_schedule::Collective;
use panto_tune::open_mpi::Number;
use panto_tune::{Tuning, mpich, open_mpi};

use crate::failure::Failure;

/// The files of a library: their contents by name, and the variables that name them.
#[derive(Debug, Default)]
pub(super) struct LibraryFiles {
    pub contents: BTreeMap<&'static str, String>,
    /// Variables whose value is a file of the directory.
    pub file_variables: BTreeMap<&'static str, &'static str>,
    /// Variables with a value of their own.
    pub variables: BTreeMap<&'static str, &'static str>,
}

impl LibraryFiles {
    /// Returns the files of the library that was measured; none if nothing changes.
    pub fn of(
        tuning: &Tuning,
        library: &Library,
        algorithms: &Algorithms,
        nodes: usize,
    ) -> Result<Self, Failure> {
        if !tuning.is_changed() {
            return Ok(Self::default());
        }
        if library.abi() == Abi::OpenMpi {
            let number = |collective: Collective, name: &str| {
                let choice = algorithms.choices(collective).iter().find(|choice| choice.name == name)?;
                Some(Number { algorithm: choice.number, segment: choice.segment })
            };
            return Ok(Self::open_mpi(tuning, &number));
        }
        let files = SelectionTrees::of(library).and_then(|trees| Self::mpich(tuning, &trees, nodes));
        files.ok_or_else(|| {
            let path = library.path().display();
            Failure::Run(format!(
                "{path} has no selection trees in a form that Panto knows, so no file can be written for it; the samples are \
                 kept"
            ))
        })
    }

    /// Returns the files of Open MPI.
    pub fn open_mpi(tuning: &Tuning, number: &dyn Fn(Collective, &str) -> Option<Number>) -> Self {
        const RULES: &str = "openmpi.rules";
        Self {
            contents: [(RULES, open_mpi::rules(tuning, number))].into(),
            file_variables: [("OMPI_MCA_coll_tuned_dynamic_rules_filename", RULES)].into(),
            variables: [("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")].into(),
        }
    }

    /// Returns the files of MPICH.
    fn mpich(tuning: &Tuning, trees: &SelectionTrees, nodes: usize) -> Option<Self> {
        const GENERAL: &str = "mpich.json";
        const SHARED: &str = "mpich-shared-memory.json";
        let scope = if nodes == 1 { mpich::Scope::Ranks } else { mpich::Scope::All };
        let mut files = Self::default();
        files.contents.insert(GENERAL, mpich::general(&trees.general, tuning, scope)?);
        files.file_variables.insert("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", GENERAL);
        let shared = trees.shared_memory.as_deref();
        if let Some(shared) = shared.and_then(|tree| mpich::shared_memory(tree, tuning, scope)) {
            files.contents.insert(SHARED, shared);
            files.file_variables.insert("MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE", SHARED);
        }
        Some(files)
    }
}
