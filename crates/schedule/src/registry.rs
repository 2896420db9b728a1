//! The algorithms of each collective.

use crate::algorithm::{RADIX, SEGMENTS, WINDOW};
use crate::algorithms::exchange::{Exchange, ExchangeOrder};
use crate::algorithms::{
    allgather, allreduce, barrier, broadcast, bruck, direct, gather, halving, linear_sync, neighbour,
    pipeline, rabenseifner, reduce, reduce_scatter, rex, scan,
};
use crate::layout::{CopyOwn, Cut, Rotation};
use crate::schedule::Phases;
use crate::tree::Shape;
use crate::{Algorithm as A, Collective, Error, Problem, Schedule, Span};

/// Builds the schedule of a collective by an algorithm.
///
/// Every schedule is correct and free of deadlock for any number of ranks, any root and any count,
/// even when a send blocks until its receive is posted. The error for an algorithm that does not
/// implement the collective names those that do.
pub fn schedule(problem: &Problem, algorithm: A) -> Result<Box<dyn Schedule>, Error> {
    problem.validate()?;
    algorithm.validate()?;
    let built = match problem.collective {
        Collective::Broadcast => broadcast_by(problem, algorithm),
        Collective::Reduce => reduce_by(problem, algorithm),
        Collective::Allreduce => allreduce_by(problem, algorithm),
        Collective::Allgather => allgather_by(problem, algorithm),
        Collective::Gather | Collective::Scatter => gather_by(problem, algorithm),
        Collective::Alltoall => alltoall_by(problem, algorithm),
        Collective::ReduceScatter => reduce_scatter_by(problem, algorithm),
        Collective::Scan | Collective::Exscan => scan_by(problem, algorithm),
        Collective::Barrier => barrier_by(problem, algorithm),
    };
    built.ok_or(Error::Unsupported { collective: problem.collective, algorithm })
}

/// Returns the algorithms that implement a collective; a parameter is at its default and may have
/// another value.
pub const fn algorithms(collective: Collective) -> &'static [A] {
    match collective {
        Collective::Broadcast => &[
            A::Linear,
            A::Binomial,
            A::RecursiveHalving,
            A::SegmentedHalving { segments: SEGMENTS },
            A::ScatterAllgather,
            A::ScatterDoubling,
            A::Chain { segments: SEGMENTS },
            A::Binary,
            A::Knomial { radix: RADIX },
        ],
        Collective::Reduce => &[
            A::Linear,
            A::Binomial,
            A::Rabenseifner,
            A::Binary,
            A::Knomial { radix: RADIX },
            A::Chain { segments: SEGMENTS },
        ],
        Collective::Allreduce => &[A::RecursiveDoubling, A::Rabenseifner, A::Ring, A::Binomial, A::Linear],
        Collective::Allgather => &[A::Ring, A::RecursiveDoubling, A::Bruck, A::Linear, A::Neighbour],
        Collective::Gather => &[A::Linear, A::Binomial, A::LinearSync],
        Collective::Scatter => &[A::Linear, A::Binomial],
        Collective::Alltoall => &[
            A::Linear,
            A::Pairwise,
            A::Bruck,
            A::Lex,
            A::LexAsync,
            A::Pex,
            A::Rex,
            A::Scattered { window: WINDOW },
        ],
        Collective::ReduceScatter => &[A::RecursiveHalving, A::Pairwise, A::Ring, A::Linear],
        Collective::Scan | Collective::Exscan => &[A::RecursiveDoubling, A::Linear],
        Collective::Barrier => &[A::Dissemination, A::RecursiveDoubling, A::Central, A::Binomial, A::Linear],
    }
}

type Built = Option<Box<dyn Schedule>>;

fn broadcast_by(problem: &Problem, algorithm: A) -> Built {
    let Problem { ranks, root, count, .. } = *problem;
    let (shape, segments) = match algorithm {
        A::Linear => (Shape::Star, 1),
        A::Binomial => (Shape::Binomial, 1),
        A::RecursiveHalving => (Shape::Halving, 1),
        A::SegmentedHalving { segments } => (Shape::Halving, segments),
        A::Chain { segments } => (Shape::Chain, segments),
        A::Binary => (Shape::Binary, 1),
        A::Knomial { radix } => (Shape::Knomial(radix), 1),
        A::ScatterAllgather => {
            return Some(long_broadcast(problem, |rotation, cut| allgather::Ring {
                rotation,
                cut,
                ahead: 0,
            }));
        }
        A::ScatterDoubling => return Some(long_broadcast(problem, allgather::Doubling::new)),
        _ => return None,
    };
    Some(Box::new(broadcast::TreeBroadcast::new(shape, ranks, root, count, segments)))
}

/// Builds a broadcast as a scatter and an allgather. The root takes part in the allgather like
/// every other rank, so that it copies only one part of its own input.
fn long_broadcast<S: Schedule + 'static>(
    problem: &Problem,
    gather: impl Fn(Rotation, Cut) -> S,
) -> Box<dyn Schedule> {
    let Problem { ranks, root, count, .. } = *problem;
    let (rotation, cut) = (Rotation { ranks, root }, Cut { total: count, parts: ranks });
    Box::new(Phases(vec![
        Box::new(broadcast::PartScatter::new(ranks, root, count)),
        Box::new(gather(rotation, cut)),
    ]))
}

fn reduce_by(problem: &Problem, algorithm: A) -> Built {
    let Problem { ranks, root, count, .. } = *problem;
    Some(match algorithm {
        A::Linear => Box::new(reduce::Linear { ranks, root, count }),
        A::Binomial => Box::new(reduce::TreeReduce::new(Shape::Binomial, ranks, root, count)),
        A::Binary => Box::new(reduce::TreeReduce::new(Shape::Binary, ranks, root, count)),
        A::Knomial { radix } => Box::new(reduce::TreeReduce::new(Shape::Knomial(radix), ranks, root, count)),
        A::Chain { segments } => Box::new(pipeline::ChainReduce::new(ranks, root, count, segments)),
        A::Rabenseifner => Box::new(rabenseifner::Rabenseifner::new(ranks, Some(root), count)),
        _ => return None,
    })
}

fn allreduce_by(problem: &Problem, algorithm: A) -> Built {
    let Problem { ranks, count, .. } = *problem;
    let cut = Cut { total: count, parts: ranks };
    Some(match algorithm {
        A::RecursiveDoubling => Box::new(allreduce::Doubling { ranks, count }),
        A::Rabenseifner => Box::new(rabenseifner::Rabenseifner::new(ranks, None, count)),
        A::Ring => Box::new(Phases(vec![
            Box::new(allreduce::RingReduce { ranks, cut }),
            Box::new(allgather::Ring { rotation: Rotation { ranks, root: 0 }, cut, ahead: 1 }),
        ])),
        A::Binomial => Box::new(Phases(vec![
            Box::new(reduce::TreeReduce::first_half(Shape::Binomial, ranks, count)),
            Box::new(broadcast::TreeBroadcast::new(Shape::Binomial, ranks, 0, count, 1)),
        ])),
        A::Linear => Box::new(Phases(vec![
            Box::new(reduce::Linear { ranks, root: 0, count }),
            Box::new(broadcast::TreeBroadcast::new(Shape::Star, ranks, 0, count, 1)),
        ])),
        _ => return None,
    })
}

fn allgather_by(problem: &Problem, algorithm: A) -> Built {
    let Problem { ranks, count, .. } = *problem;
    let (rotation, cut) = (Rotation { ranks, root: 0 }, Cut { total: ranks * count, parts: ranks });
    let gather: Box<dyn Schedule> = match algorithm {
        A::RecursiveDoubling => Box::new(allgather::Doubling::new(rotation, cut)),
        A::Bruck => return Some(Box::new(allgather::Bruck { ranks, count })),
        A::Neighbour if ranks.is_multiple_of(2) => Box::new(neighbour::Neighbour { ranks, count }),
        A::Ring | A::Neighbour => Box::new(allgather::Ring { rotation, cut, ahead: 0 }),
        A::Linear => Box::new(direct::Direct {
            ranks,
            scratch: 0,
            sent: move |_| Span::input(0, count),
            received: move |from| Span::output(from * count, count),
        }),
        _ => return None,
    };
    let own =
        CopyOwn { ranks, spans: move |rank| (Span::input(0, count), Span::output(rank * count, count)) };
    Some(Box::new(Phases(vec![Box::new(own), gather])))
}

fn gather_by(problem: &Problem, algorithm: A) -> Built {
    let Problem { collective, ranks, root, count } = *problem;
    let shape = match algorithm {
        A::Linear => Shape::Star,
        A::Binomial => Shape::Binomial,
        A::LinearSync if collective == Collective::Gather => {
            return Some(Box::new(linear_sync::LinearSync { ranks, root, count }));
        }
        _ => return None,
    };
    Some(match collective {
        Collective::Gather => Box::new(gather::Gather::new(shape, ranks, root, count)),
        _ => Box::new(gather::Scatter::new(shape, ranks, root, count)),
    })
}

fn alltoall_by(problem: &Problem, algorithm: A) -> Built {
    let Problem { ranks, count, .. } = *problem;
    let way = match algorithm {
        A::Linear => ExchangeOrder::Linear,
        A::Pairwise => ExchangeOrder::Pairwise,
        A::Lex => ExchangeOrder::Lex,
        A::LexAsync => ExchangeOrder::LexAsync,
        A::Pex => ExchangeOrder::Pex,
        A::Scattered { window } => ExchangeOrder::Scattered(window.min(ranks.max(2) - 1)),
        A::Bruck => return Some(Box::new(bruck::Bruck { ranks, count })),
        A::Rex => return Some(Box::new(rex::Rex { ranks, count })),
        _ => return None,
    };
    Some(Box::new(Exchange { way, ranks, count }))
}

fn reduce_scatter_by(problem: &Problem, algorithm: A) -> Built {
    let Problem { ranks, count, .. } = *problem;
    Some(match algorithm {
        A::RecursiveHalving => Box::new(halving::Halving { ranks, count }),
        A::Pairwise => Box::new(reduce_scatter::Pairwise { ranks, count }),
        A::Ring => Box::new(reduce_scatter::Ring { ranks, count }),
        A::Linear => Box::new(Phases(vec![
            Box::new(direct::Direct {
                ranks,
                scratch: ranks * count,
                sent: move |to| Span::input(to * count, count),
                received: move |from| Span::scratch(from * count, count),
            }),
            Box::new(direct::CombineArrived { ranks, count }),
        ])),
        _ => return None,
    })
}

fn scan_by(problem: &Problem, algorithm: A) -> Built {
    let Problem { collective, ranks, count, .. } = *problem;
    let inclusive = collective == Collective::Scan;
    Some(match algorithm {
        A::RecursiveDoubling => Box::new(scan::Doubling { ranks, count, inclusive }),
        A::Linear => Box::new(scan::Chain { ranks, count, inclusive }),
        _ => return None,
    })
}

fn barrier_by(problem: &Problem, algorithm: A) -> Built {
    let ranks = problem.ranks;
    Some(match algorithm {
        A::Dissemination => Box::new(barrier::Dissemination { ranks }),
        A::RecursiveDoubling => Box::new(barrier::Doubling { ranks }),
        A::Central => Box::new(barrier::UpAndDown::new(Shape::Star, ranks)),
        A::Binomial => Box::new(barrier::UpAndDown::new(Shape::Binomial, ranks)),
        A::Linear => {
            Box::new(direct::Direct { ranks, scratch: 0, sent: |_| Span::EMPTY, received: |_| Span::EMPTY })
        }
        _ => return None,
    })
}
