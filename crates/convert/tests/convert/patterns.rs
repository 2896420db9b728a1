//! Schedules of common communication patterns.

use crate::loggopsim::{Action, Schedule, Vertex};

/// Builds the vertices of one rank, step by step: everything of a step requires everything of the
/// step before.
struct Steps {
    vertices: Vec<Vertex>,
    before: Vec<usize>,
}

impl Steps {
    fn new() -> Self {
        Self { vertices: Vec::new(), before: Vec::new() }
    }

    fn step(&mut self, actions: impl IntoIterator<Item = Action>) -> &mut Self {
        let first = self.vertices.len();
        for action in actions {
            self.vertices.push(Vertex { action, requires: self.before.clone() });
        }
        if self.vertices.len() > first {
            self.before = (first..self.vertices.len()).collect();
        }
        self
    }
}

fn ranks(count: usize, rank: impl Fn(usize, &mut Steps)) -> Schedule {
    let vertices = |number| {
        let mut steps = Steps::new();
        rank(number, &mut steps);
        steps.vertices
    };
    (0..count).map(vertices).collect()
}

fn send(to: usize, bytes: u64, tag: u32) -> Action {
    Action::Send { to, bytes, tag }
}

fn receive(from: usize, bytes: u64, tag: u32) -> Action {
    Action::Receive { from, bytes, tag }
}

/// A message goes around a ring three times.
pub fn ring(count: usize, bytes: u64) -> Schedule {
    ranks(count, |rank, steps| {
        for round in 0..3 {
            let (next, last) = ((rank + 1) % count, (rank + count - 1) % count);
            if rank == 0 {
                steps.step([send(next, bytes, round)]).step([receive(last, bytes, round)]);
            } else {
                steps.step([receive(last, bytes, round)]).step([send(next, bytes, round)]);
            }
        }
    })
}

/// Ranks on a torus exchange messages with their neighbours and compute.
pub fn halo(dims: &[usize], bytes: u64) -> Schedule {
    let count = dims.iter().product();
    let neighbour = |rank: usize, dim: usize, by: usize| {
        let stride: usize = dims[..dim].iter().product();
        let at = rank / stride % dims[dim];
        rank - at * stride + (at + by) % dims[dim] * stride
    };
    ranks(count, |rank, steps| {
        for round in 0..4 {
            let directions = || (0..dims.len()).flat_map(|dim| [(dim, 1), (dim, dims[dim] - 1)]);
            let tag = |dim: usize, by: usize| round * 16 + 2 * dim as u32 + u32::from(by == 1);
            let sends = directions().map(|(dim, by)| send(neighbour(rank, dim, by), bytes, tag(dim, by)));
            let receives = directions()
                .map(|(dim, by)| receive(neighbour(rank, dim, dims[dim] - by), bytes, tag(dim, by)));
            steps.step(sends.chain(receives)).step([Action::Compute(1_000)]);
        }
    })
}

/// A wave passes over a grid from one corner to the opposite one.
pub fn wavefront(width: usize, bytes: u64) -> Schedule {
    ranks(width * width, |rank, steps| {
        let (x, y) = (rank % width, rank / width);
        for round in 0..3 {
            let west = (x > 0).then(|| receive(rank - 1, bytes, round));
            let north = (y > 0).then(|| receive(rank - width, bytes, round));
            let east = (x + 1 < width).then(|| send(rank + 1, bytes, round));
            let south = (y + 1 < width).then(|| send(rank + width, bytes, round));
            steps.step(west.into_iter().chain(north)).step([Action::Compute(700 + rank as u64)]);
            steps.step(east.into_iter().chain(south));
        }
    })
}

/// A dissemination barrier, with payload.
pub fn dissemination(count: usize, bytes: u64) -> Schedule {
    ranks(count, |rank, steps| {
        for round in 0..count.next_power_of_two().ilog2() {
            let by = 1 << round;
            let (to, from) = ((rank + by) % count, (rank + count - by) % count);
            steps.step([send(to, bytes, round), receive(from, bytes, round)]);
        }
    })
}

/// A broadcast along a binomial tree, and a reduction back.
pub fn binomial(count: usize, bytes: u64) -> Schedule {
    ranks(count, |rank, steps| {
        let low = if rank == 0 { count.next_power_of_two() } else { rank & rank.wrapping_neg() };
        let children = || (0..low.ilog2()).rev().map(|bit| rank + (1 << bit)).filter(|child| *child < count);
        let parent = rank - if rank == 0 { 0 } else { low };
        if rank > 0 {
            steps.step([receive(parent, bytes, 0)]);
        }
        steps.step(children().map(|child| send(child, bytes, 0)));
        steps.step(children().map(|child| receive(child, bytes, 1)));
        if rank > 0 {
            steps.step([send(parent, bytes, 1)]);
        }
    })
}

/// Everything to everybody at once, in the order of distance.
pub fn alltoall(count: usize, bytes: u64) -> Schedule {
    ranks(count, |rank, steps| {
        let sends = (1..count).map(|by| send((rank + by) % count, bytes, 0));
        let receives = (1..count).map(|by| receive((rank + count - by) % count, bytes, 0));
        steps.step(sends.chain(receives));
    })
}

/// Every rank sends to six others, which it chooses at random, and computes for different times,
/// less than `longest` nanoseconds.
pub fn sparse(count: usize, bytes: u64, seed: u64, longest: usize) -> Schedule {
    let mut state = seed;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut all: Vec<Steps> = (0..count).map(|_| Steps::new()).collect();
    for steps in &mut all {
        steps.step([Action::Compute(random(longest) as u64)]);
    }
    for round in 0..3 {
        let mut actions: Vec<Vec<Action>> = vec![Vec::new(); count];
        for rank in 0..count {
            for _ in 0..6 {
                let to = (rank + 1 + random(count - 1)) % count;
                actions[rank].push(send(to, bytes, round));
                actions[to].push(receive(rank, bytes, round));
            }
        }
        for (steps, actions) in all.iter_mut().zip(actions) {
            steps.step(actions).step([Action::Compute(random(longest) as u64)]);
        }
    }
    all.into_iter().map(|steps| steps.vertices).collect()
}
