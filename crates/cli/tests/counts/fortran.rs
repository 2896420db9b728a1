//! Fortran programs with each of the bindings. Some call MPI by its `PMPI_` names, which the
//! counter does not see, so these programs count for themselves.

use crate::COUNTED;
use crate::scene::{Scene, plain, printed};

/// An odd number of ranks, so that the last rank has no partner.
const RANKS: usize = 3;

#[test]
fn each_binding_is_traced() {
    for mpi in COUNTED {
        for name in ["ring_mpif", "ring_mpi", "ring_f08"] {
            let Some(app) = mpi.app(name) else { continue };
            let scene = Scene::new();
            let ended = scene.count_alone("", &mpi, RANKS, &app).run();
            ended.succeeds();
            assert_eq!(printed(&ended), printed(&plain(&mpi, RANKS, &app).run()), "{name} on {}", mpi.name);
            assert_eq!(scene.differences(), (Vec::new(), RANKS), "{name} on {}", mpi.name);
        }
    }
}
