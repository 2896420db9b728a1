//! A sweep distributed over the processes of a job.

use crate::mpis;
use crate::stencil;

/// The rows of a job equal those of one process, and each setting runs once.
#[test]
fn settings_are_dealt_to_the_processes() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = stencil::write(folder.path(), 2, 10);
    let words = format!(
        "sweep {} --machine infiniband,nowhere --vary link.latency=1us,2us,3us,4us,5us --format csv",
        trace.display()
    );
    let alone = crate::alone(&words);
    assert_eq!(alone.status.code(), Some(1));
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let path = folder.path().join(format!("{}.jsonl", mpi.abi));
        let ended = mpi.job(3).words(&words).arg("-o").arg(&path).run();
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        assert_eq!(ended.stdout, String::from_utf8_lossy(&alone.stdout), "{}", mpi.name);
        assert_eq!(std::fs::read_to_string(&path).expect("written").lines().count(), 10, "{ended:#?}");
        // A second run finds all rows and runs no setting again.
        let again = mpi.job(2).words(&words).arg("-o").arg(&path).run();
        assert!(again.stderr.contains("10 of 10 settings are already in the file"), "{again:#?}");
        assert_eq!(again.stdout, ended.stdout);
    }
}

#[test]
fn a_wrong_sweep_is_refused_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = stencil::write(folder.path(), 2, 1);
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let ended = crate::on(mpi, 2, &format!("sweep {} --machine infinibrand", trace.display()));
        assert!(ended.code != Some(0), "{ended:#?}");
        assert_eq!(ended.stderr.matches("infinibrand").count(), 1, "{ended:#?}");
        assert!(ended.stdout.is_empty(), "{ended:#?}");
    }
}
