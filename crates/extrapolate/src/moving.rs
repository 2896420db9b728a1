//! Roots that move from one iteration of a loop to the next, such as those of the panels of a
//! matrix that are broadcast along the rows and columns of a mesh.
//!
//! Such a call has one symbol, whatever its root, so that its loop is found; the root is a number
//! of the call, its place in the communicator, and has a rule as bytes have.

use std::collections::BTreeMap;

use panto_trace::{CallForm, Collective as Pattern, CollectiveKind};
use rustc_hash::FxHashMap;

use crate::call::{Partner, Shape, What};
use crate::comms;
use crate::read::{Numbers, RankCalls, Reading};

/// The least number of different roots of a call, in some communicator: two may be the first and
/// the last rank.
const LEAST_ROOTS: usize = 3;

/// Returns the calls with moving roots as numbers; none if no root moves.
pub fn rewrite(readings: &[Reading], shapes: &[Shape]) -> Option<(Vec<Reading>, Vec<Shape>)> {
    let moving: Vec<bool> = (0..shapes.len() as u32).map(|shape| moves(readings, shapes, shape)).collect();
    let most =
        readings.iter().flat_map(|reading| roots(reading, &moving).into_values().map(|roots| roots.len()));
    if most.max().unwrap_or(0) < LEAST_ROOTS {
        return None;
    }
    let mut shapes = shapes.to_vec();
    for (shape, moves) in shapes.iter_mut().zip(&moving) {
        shape.moves |= *moves;
    }
    let readings = readings.iter().map(|reading| {
        let calls = with_roots(&reading.calls, &moving, &shapes);
        Reading { calls, ..*reading }
    });
    Some((readings.collect(), shapes))
}

/// Returns whether every member of the communicator is a root of such calls, on all ranks of all
/// traces.
fn moves(readings: &[Reading], shapes: &[Shape], shape: u32) -> bool {
    let only: Vec<bool> = (0..shapes.len() as u32).map(|other| other == shape).collect();
    let Shape { what: What::Collective(collective), comm: Some(comm), moves: false, .. } =
        shapes[shape as usize]
    else {
        return false;
    };
    let kinds = [Pattern::Broadcast, Pattern::Reduce].map(CollectiveKind::from);
    let is_simple = kinds.contains(&collective.kind) && collective.form == CallForm::Blocking;
    is_simple
        && readings.iter().all(|reading| {
            let members = reading.calls.tables.comms()[comm as usize].members.len() as usize;
            roots(reading, &only).values().all(|roots| roots.len() == members)
        })
}

/// Returns the different roots of calls of these shapes.
fn roots(reading: &Reading, wanted: &[bool]) -> BTreeMap<u32, Vec<Partner>> {
    let mut roots: BTreeMap<u32, Vec<Partner>> = BTreeMap::new();
    for symbol in reading.calls.symbols.iter().filter(|symbol| wanted[symbol.shape as usize]) {
        let known = roots.entry(symbol.shape).or_default();
        if !known.contains(&symbol.partners[0]) {
            known.push(symbol.partners[0]);
        }
    }
    roots
}

fn with_roots(calls: &RankCalls, moving: &[bool], shapes: &[Shape]) -> RankCalls {
    let mut calls = calls.clone();
    // All symbols of a shape become the first one.
    let mut first: FxHashMap<u32, u32> = FxHashMap::default();
    let mut tuples: FxHashMap<(u32, i64), u32> = FxHashMap::default();
    let partners: Vec<Partner> = calls
        .symbols
        .iter()
        .map(|symbol| symbol.partners.first().copied().unwrap_or(Partner::Null))
        .collect();
    for event in 0..calls.calls.len() {
        let symbol = calls.calls[event];
        let shape = calls.symbols[symbol as usize].shape;
        if !moving[shape as usize] {
            continue;
        }
        let root = root(&calls, shapes[shape as usize].comm, partners[symbol as usize]);
        let common = *first.entry(shape).or_insert(symbol);
        calls.symbols[common as usize].partners[0] = Partner::Null;
        calls.calls[event] = common;
        let numbers = calls.numbers[event];
        calls.numbers[event] = *tuples.entry((numbers, root)).or_insert_with(|| {
            let mut with_root: Numbers = calls.tuples[numbers as usize].clone();
            with_root.single.push(root);
            calls.tuples.push(with_root);
            calls.tuples.len() as u32 - 1
        });
    }
    calls
}

/// Returns the place of a root in its communicator.
fn root(calls: &RankCalls, comm: Option<u32>, partner: Partner) -> i64 {
    let members = comm.and_then(|comm| calls.tables.comms().get(comm as usize));
    match (partner, members) {
        (Partner::Rank(rank), Some(comm)) => comms::position(&comm.members, rank).map_or(-1, i64::from),
        _ => -1,
    }
}
