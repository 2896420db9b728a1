//! A message around the ring of all ranks, over the MPI that started this: `mpirun -n 4 ring`.

use panto_mpi::launch::Launch;
use panto_mpi::{Library, Mpi, Result, Selector, SendMode, Threads, find};

fn main() -> Result<()> {
    let library = Library::load(&find::candidates(Launch::from_environment().as_ref()))?;
    let mpi = Mpi::start(library, Threads::Single)?;
    let world = mpi.world();
    let (rank, size) = (world.rank(), world.size());
    let before = Selector { source: Some((rank + size - 1) % size), tag: Some(1) };
    let mut count = [0];
    if rank == 0 && size > 1 {
        world.send(SendMode::Standard, &[1], 1, 1)?;
        world.receive(&mut count, before)?;
    } else if rank > 0 {
        world.receive(&mut count, before)?;
        world.send(SendMode::Standard, &[count[0] + 1], (rank + 1) % size, 1)?;
    }
    println!("rank {rank} of {size}: {} ranks before me, over {}", count[0], mpi.library().name());
    mpi.finish()
}
