//! Collectives: from the bytes that a rank sent and received to the parameters of the call.
//!
//! Score-P counts each block once for each rank that gets it, also for the sender itself: with b
//! bytes a block and n ranks, `MPI_Allreduce` has n b bytes sent and received, `MPI_Bcast` n b sent
//! at the root and b received everywhere. Data in place (`MPI_IN_PLACE`) are not counted for the
//! rank itself. (Score-P 8, `test/adapters/mpi` holds these numbers.)

use panto_trace::{Collective, Data};

use super::events::Operation;
use super::outcomes::Sizes;

mod code {
    pub const BARRIER: u8 = 0;
    pub const BCAST: u8 = 1;
    pub const GATHER: u8 = 2;
    pub const GATHERV: u8 = 3;
    pub const SCATTER: u8 = 4;
    pub const SCATTERV: u8 = 5;
    pub const ALLGATHER: u8 = 6;
    pub const ALLGATHERV: u8 = 7;
    pub const ALLTOALL: u8 = 8;
    pub const ALLTOALLV: u8 = 9;
    pub const ALLTOALLW: u8 = 10;
    pub const ALLREDUCE: u8 = 11;
    pub const REDUCE: u8 = 12;
    pub const REDUCE_SCATTER: u8 = 13;
    pub const SCAN: u8 = 14;
    pub const EXSCAN: u8 = 15;
    pub const REDUCE_SCATTER_BLOCK: u8 = 16;
}

/// A collective call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectiveCall {
    pub name: &'static str,
    pub collective: Collective,
    pub sends: Data,
    pub receives: Data,
    /// Whether it has a root.
    pub is_rooted: bool,
}

/// Returns whether ranks contribute different numbers of bytes.
pub fn differs_by_rank(code: u8) -> bool {
    use code::{ALLGATHERV, ALLTOALLV, ALLTOALLW, GATHERV, REDUCE_SCATTER, SCATTERV};
    matches!(code, GATHERV | SCATTERV | ALLGATHERV | ALLTOALLV | ALLTOALLW | REDUCE_SCATTER)
}

/// Returns the call of the rank `own` of `n` members; `all` are the sizes of all members where they
/// differ. `None` if the operation moves no data: handles are created or freed.
pub fn call(operation: &Operation, own: u32, n: u32, all: &[Sizes]) -> Option<CollectiveCall> {
    let Operation { code, root, sent, received, .. } = *operation;
    let (ranks, is_root) = (u64::from(n.max(1)), root == own);
    let same = |total: u64| Data::Same(block(total, ranks));
    let each =
        |size: &dyn Fn(&Sizes) -> u64| Data::Each(all.iter().map(|sizes| size(sizes) as i64).collect());
    let at_root = |data: Data| if is_root { data } else { Data::Nothing };
    let known = |one: u64, others: u64| if one > 0 { one } else { others / (ranks - 1).max(1) };
    let (name, collective, sends, receives, is_rooted) = match code {
        code::BARRIER => ("MPI_Barrier", Collective::Barrier, Data::Nothing, Data::Nothing, false),
        code::BCAST => {
            let bytes = if received > 0 { received } else { block(sent, ranks) };
            ("MPI_Bcast", Collective::Broadcast, Data::Same(bytes), Data::Nothing, true)
        }
        code::GATHER => {
            let bytes = Data::Same(known(sent, received));
            ("MPI_Gather", Collective::Gather, bytes.clone(), at_root(bytes), true)
        }
        code::SCATTER => {
            let bytes = Data::Same(known(received, sent));
            ("MPI_Scatter", Collective::Scatter, at_root(bytes.clone()), bytes, true)
        }
        code::GATHERV => {
            let list = at_root(each(&|sizes| sizes.sent));
            ("MPI_Gatherv", Collective::Gather, Data::Same(sent), list, true)
        }
        code::SCATTERV => {
            let list = at_root(each(&|sizes| sizes.received));
            ("MPI_Scatterv", Collective::Scatter, list, Data::Same(received), true)
        }
        code::ALLGATHER => ("MPI_Allgather", Collective::Allgather, same(received), same(received), false),
        code::ALLGATHERV => {
            let list = each(&|sizes| block(sizes.sent, ranks));
            ("MPI_Allgatherv", Collective::Allgather, same(sent), list, false)
        }
        code::ALLTOALL => ("MPI_Alltoall", Collective::Alltoall, same(sent), same(received), false),
        code::ALLTOALLV | code::ALLTOALLW => {
            let (sends, receives) = matrix(own, all);
            ("MPI_Alltoallv", Collective::Alltoall, sends, receives, false)
        }
        code::ALLREDUCE => ("MPI_Allreduce", Collective::Allreduce, same(sent), Data::Nothing, false),
        code::REDUCE => {
            let bytes = Data::Same(known(sent, received));
            ("MPI_Reduce", Collective::Reduce, bytes, Data::Nothing, true)
        }
        code::REDUCE_SCATTER => {
            let list = each(&|sizes| block(sizes.received, ranks));
            ("MPI_Reduce_scatter", Collective::ReduceScatter, list, Data::Nothing, false)
        }
        code::REDUCE_SCATTER_BLOCK => {
            let list = Data::Each(vec![block(sent, ranks) as i64; n as usize]);
            ("MPI_Reduce_scatter_block", Collective::ReduceScatter, list, Data::Nothing, false)
        }
        code::SCAN => {
            let bytes = Data::Same(received / (u64::from(own) + 1));
            ("MPI_Scan", Collective::Scan, bytes, Data::Nothing, false)
        }
        code::EXSCAN => {
            let bytes = Data::Same((sent + received) / (ranks - 1).max(1));
            ("MPI_Exscan", Collective::Exscan, bytes, Data::Nothing, false)
        }
        _ => return None,
    };
    Some(CollectiveCall { name, collective, sends, receives, is_rooted })
}

/// Returns the bytes of a block, of which `ranks` were counted, or one less if they are in place.
fn block(total: u64, ranks: u64) -> u64 {
    if total.is_multiple_of(ranks) || ranks == 1 {
        total / ranks
    } else if total.is_multiple_of(ranks - 1) {
        total / (ranks - 1)
    } else {
        total.div_ceil(ranks)
    }
}

/// Returns what a rank sends to and receives from each other in an exchange of different sizes. Of
/// these only the sums are known, so that each rank is assumed to divide what it sends in
/// proportion to what the others receive.
fn matrix(own: u32, all: &[Sizes]) -> (Data, Data) {
    let total: u128 = all.iter().map(|sizes| u128::from(sizes.received)).sum();
    let share = |from: &Sizes, to: &Sizes| {
        let bytes = (u128::from(from.sent) * u128::from(to.received)).checked_div(total).unwrap_or(0);
        bytes as i64
    };
    let Some(mine) = all.get(own as usize) else { return (Data::Nothing, Data::Nothing) };
    let sends = all.iter().map(|other| share(mine, other)).collect();
    let receives = all.iter().map(|other| share(other, mine)).collect();
    (Data::Each(sends), Data::Each(receives))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(code: u8, sent: u64, received: u64) -> Operation {
        Operation { code, comm: 0, root: 0, sent, received }
    }

    #[test]
    fn blocks_follow_from_score_ps_sums() {
        // Four ranks with blocks of 400 bytes.
        let of =
            |code, own, sent, received| call(&operation(code, sent, received), own, 4, &[]).expect("data");
        assert_eq!(of(code::BCAST, 0, 1600, 400).sends, Data::Same(400));
        assert_eq!(of(code::BCAST, 1, 0, 400).sends, Data::Same(400));
        assert_eq!(of(code::ALLREDUCE, 2, 1600, 1600).sends, Data::Same(400));
        assert_eq!(of(code::ALLREDUCE, 2, 1206, 1206).sends, Data::Same(402), "in place");
        assert_eq!(of(code::REDUCE, 0, 400, 1600).sends, Data::Same(400));
        assert_eq!(of(code::GATHER, 0, 400, 1600).receives, Data::Same(400));
        assert_eq!(of(code::GATHER, 3, 400, 0).receives, Data::Nothing);
        assert_eq!(of(code::SCATTER, 0, 1600, 400).sends, Data::Same(400));
        assert_eq!(of(code::SCAN, 2, 800, 1200).sends, Data::Same(400));
        assert_eq!(of(code::EXSCAN, 1, 800, 400).sends, Data::Same(400));
        assert_eq!(of(code::REDUCE_SCATTER_BLOCK, 1, 1600, 1600).sends, Data::Each(vec![400; 4]));
        assert!(call(&operation(17, 0, 0), 0, 4, &[]).is_none());
    }

    #[test]
    fn different_blocks_agree_on_all_ranks() {
        let sizes = [(60, 250), (120, 170), (240, 130), (300, 170)];
        let all = sizes.map(|(sent, received)| Sizes { sent, received });
        let calls = [0, 1, 2, 3].map(|own| {
            let Sizes { sent, received } = all[own as usize];
            call(&operation(code::ALLTOALLV, sent, received), own, 4, &all).expect("data")
        });
        let list = |data: &Data| if let Data::Each(list) = data { list.clone() } else { Vec::new() };
        for (from, sender) in calls.iter().enumerate() {
            for (to, receiver) in calls.iter().enumerate() {
                assert_eq!(list(&sender.sends)[to], list(&receiver.receives)[from], "{from} to {to}");
            }
        }
        let gatherv = call(&operation(code::GATHERV, 60, 720), 0, 4, &all).expect("data");
        assert_eq!(gatherv.receives, Data::Each(vec![60, 120, 240, 300]));
    }
}
