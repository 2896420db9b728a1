//! User-supplied collectives under MPI: if one ends the job, the error names it.

use crate::compiled::Compiled;
use crate::job::JobOutput;
use crate::mpis::{self, Mpi};
use crate::on;

const BROADCASTS: &str =
    "bench scenario/only --collective bcast --from 3 --sizes 1000 --samples 5 --patience 1s --format json";

fn everywhere(check: impl Fn(&Mpi)) {
    [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()).for_each(check);
}

fn broadcast(mpi: &Mpi, implementations: &str) -> JobOutput {
    on(mpi, 3, &format!("{BROADCASTS} --impl {implementations}"))
}

/// The example runs over MPI's messages, blocking and non-blocking, beside MPI's own collectives.
#[test]
fn the_example_is_right_over_mpi() {
    let library = Compiled::tree();
    everywhere(|mpi| {
        let tree = library.named("tree");
        let ended = broadcast(mpi, &format!("library,{tree}"));
        let text = ended.succeeds();
        assert_eq!(text.matches("\"verified\": true").count(), 2, "{}: {text}", mpi.name);
        let beside = "bench scenario/overlap --collective bcast --sizes 1000 --computations 20us --samples 5 --progress helper";
        let ended = on(mpi, 2, &format!("{beside} --format json --impl library,{tree}"));
        // Both implementations, with computation and without.
        assert_eq!(ended.succeeds().matches("\"verified\": true").count(), 4, "{}: {ended:#?}", mpi.name);
    });
}

#[test]
fn who_ended_the_job_is_named() {
    let library = Compiled::bad();
    everywhere(|mpi| {
        let crash = broadcast(mpi, &library.named("crashes"));
        assert!(crash.code != Some(0), "{}: {crash:#?}", mpi.name);
        let words = "libit.so:crashes crashed: signal 11 (SIGSEGV) on rank 2";
        assert!(crash.stderr.contains(words), "{}: {crash:#?}", mpi.name);
        let hang = broadcast(mpi, &library.named("spins"));
        assert!(hang.code != Some(0), "{}: {hang:#?}", mpi.name);
        assert!(hang.stderr.contains("libit.so:spins has not returned for 1s"), "{}: {hang:#?}", mpi.name);
    });
}
