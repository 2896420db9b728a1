//! Prints which launcher started this process, and which libraries Panto would try, in which order
//! and why.
//!
//! ```sh
//! cargo build --example candidates -p panto-mpi && mpirun -n 2 target/debug/examples/candidates
//! ```

use panto_mpi::find::candidates;
use panto_mpi::launch::Launch;

fn main() {
    let launch = Launch::from_environment();
    let number = |number: Option<usize>| number.map_or("?".into(), |number| number.to_string());
    match &launch {
        None => println!("no launcher started this process"),
        Some(Launch { launcher, rank, size }) => {
            println!("rank {} of {}, started by {launcher}", number(*rank), number(*size));
        }
    }
    for candidate in candidates(launch.as_ref()) {
        println!("  {}: {}", candidate.file.display(), candidate.why);
    }
}
