//! An allgather by recursive doubling, for Panto to measure.
//!
//! ```sh
//! cargo build --release
//! panto bench scenario --ranks 4 --collective allgather \
//!     --impl library,ring,target/release/libpanto_implementation_example.so:doubling
//! ```

use panto_implementation::{Call, Collective, CollectiveKind, ErrorCode, Outcome, World, register};

/// Allgather by recursive doubling: ranks at distances 1, 2, 4, ... exchange all blocks that they
/// have. The number of ranks must be a power of two.
struct Doubling;

/// The error code if the number of ranks is not a power of two.
const NOT_A_POWER_OF_TWO: ErrorCode = ErrorCode(2);

impl Collective for Doubling {
    const COLLECTIVES: &'static [CollectiveKind] = &[CollectiveKind::Allgather];

    fn run(world: &World, call: &mut Call) -> Outcome {
        let (rank, ranks, block) = (world.rank(), world.size(), call.bytes());
        if !ranks.is_power_of_two() {
            return Err(NOT_A_POWER_OF_TWO);
        }
        let (input, output) = call.buffers();
        world.copy(input, &mut output[rank * block..][..block]);
        let mut width = 1;
        while width < ranks {
            let partner = rank ^ width;
            // The blocks of both partners: one half is already here, the other is received.
            let pair = &mut output[(rank & !(2 * width - 1)) * block..][..2 * width * block];
            let (lower, upper) = pair.split_at_mut(width * block);
            let (mine, theirs) = if rank < partner { (lower, upper) } else { (upper, lower) };
            world.exchange(mine, partner, theirs, partner)?;
            width *= 2;
        }
        Ok(())
    }
}

register!(doubling, Doubling);
