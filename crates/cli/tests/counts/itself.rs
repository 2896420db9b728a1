//! Panto traced by Panto: a program that loads its MPI by `dlopen`.

use std::path::Path;

use crate::figures::Key;
use crate::scene::Scene;
use crate::{COUNTED, PANTO, matched, traced};

#[test]
fn a_program_that_loads_mpi_by_itself() {
    for mpi in COUNTED.iter().filter(|mpi| mpi.is_installed()) {
        let scene = Scene::new();
        let bench = scene.trace("", mpi, 2, Path::new(PANTO)).words("bench echo --sizes 8 -t 1s");
        let ended = match mpi.library_path() {
            Some(library) => bench.env("PANTO_MPI", library).run(),
            None => bench.run(),
        };
        ended.succeeds();
        let trace = scene.traced();
        assert!(trace.is_complete() && trace.ranks().len() == 2, "{}: {ended:#?}", mpi.name);
        for rank in trace.ranks() {
            let partner = 1 - rank.rank();
            let to_partner = |(_, peer): &Key| *peer == Some(partner);
            assert!(traced::counts(rank).0.keys().any(to_partner), "{}: no message to {partner}", mpi.name);
        }
        assert_eq!(matched::unmatched(&trace), Vec::<String>::new(), "{}", mpi.name);
    }
}
