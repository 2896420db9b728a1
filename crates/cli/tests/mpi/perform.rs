//! `panto perform` executes the messages of a trace on the MPI of a job.

use serde_json::Value;

use crate::mpis;
use crate::stencil;

#[test]
fn messages_of_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = stencil::write(folder.path(), 2, 10);
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let ended = crate::on(mpi, 4, &format!("perform {} --format json", trace.display()));
        let found: Value = serde_json::from_str(ended.succeeds()).expect("JSON, once");
        assert_eq!(found["ranks_s"][0].as_array().map(Vec::len), Some(4), "{ended:#?}");
        let few = crate::on(mpi, 2, &format!("perform {}", trace.display()));
        assert!(few.code != Some(0) && few.stderr.contains("has 4 ranks, but this job has 2"), "{few:#?}");
    }
}
