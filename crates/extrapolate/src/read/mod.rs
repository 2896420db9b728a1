//! The calls of a rank as symbols and numbers.
//!
//! A *symbol* is a call with its shape, its partners and the requests that it completes; equal
//! symbols in a row of calls are what loops are found by. Bytes, tags and computation are kept
//! beside it and do not distinguish symbols. Polls that found nothing are left out: they depend on
//! time.

mod pending;
mod translate;

use panto_trace::{RankTrace, Tables, Trace};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::call::{Partner, Shape};
use crate::error::{Error, Result};
use pending::Pending;
use translate::{Poll, Translated};

/// A call of a rank that differs from others by more than numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Symbol {
    /// The number of its shape.
    pub shape: u32,
    pub partners: SmallVec<[Partner; 2]>,
    pub takes: Takes,
}

/// The requests that a call completes, starts or frees.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Takes {
    /// Whether these are all requests of the rank that can be taken.
    pub is_all: bool,
    /// For each the symbol of the call that made it, and its place among those of this symbol.
    /// Empty if there are many and they are all.
    pub requests: Vec<(u32, u32)>,
}

/// The numbers of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Numbers {
    /// As [`What::numbers`](crate::call::What::numbers) names them.
    pub single: SmallVec<[i64; 9]>,
    /// Sizes for each rank, where a collective has them.
    pub lists: [Vec<i64>; 2],
}

/// A rank of a trace with its calls.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The number of its trace.
    pub trace: usize,
    pub rank: u32,
    /// The ranks of its trace.
    pub ranks: u32,
    pub calls: RankCalls,
}

/// The calls of a rank.
#[derive(Debug, Clone, Default)]
pub struct RankCalls {
    /// The symbol of each call.
    pub calls: Vec<u32>,
    /// The numbers of each call.
    pub numbers: Vec<u32>,
    /// The computation before each call, in nanoseconds.
    pub before: Vec<u64>,
    pub symbols: Vec<Symbol>,
    pub tuples: Vec<Numbers>,
    pub shapes: Vec<Shape>,
    pub tables: Tables,
}

/// Reads the calls of all ranks of a trace.
pub fn read(trace: &Trace) -> Result<Vec<RankCalls>> {
    let threads = panto_parallel::cores();
    let ranks = trace.ranks();
    panto_parallel::map(ranks.len(), threads, |rank| read_rank(trace, &ranks[rank])).into_iter().collect()
}

fn read_rank(trace: &Trace, rank: &RankTrace) -> Result<RankCalls> {
    let mut reader = Reader { rank: rank.rank(), all: RankCalls::default(), ..Reader::default() };
    let place = || format!("{}, rank {}", trace.path().display(), rank.rank());
    let mut events = rank.events();
    while let Some(event) = events.next()? {
        let (before, tables) = (event.before(), event.tables());
        let call = translate::translate(event.name(), &event.action()?, reader.rank, tables);
        match call {
            // What a program does before MPI_Init is not computation of the ranks.
            Ok(call) if call.is_start() => reader.add(call, 0),
            Ok(call) => reader.add(call, before),
            Err(Poll::Nothing) => reader.carry += before,
            Err(Poll::Unsupported(call)) => return Err(Error::Unsupported { place: place(), call }),
        }
    }
    if reader.pending.has_unknown() {
        let call = "a completion of requests whose start was not recorded".to_owned();
        return Err(Error::Unsupported { place: place(), call });
    }
    reader.all.tables = rank.tables()?;
    Ok(reader.all)
}

#[derive(Default)]
struct Reader {
    rank: u32,
    all: RankCalls,
    pending: Pending,
    shapes: FxHashMap<Shape, u32>,
    symbols: FxHashMap<Symbol, u32>,
    tuples: FxHashMap<Numbers, u32>,
    /// Computation before polls that are left out.
    carry: u64,
}

impl Reader {
    fn add(&mut self, call: Translated<'_>, before: u64) {
        let Translated { shape, partners, numbers, makes, uses } = call;
        let (what, is_persistent) = (shape.what, shape.what.is_persistent());
        let shape = intern(&mut self.shapes, &mut self.all.shapes, shape);
        let takes = self.pending.take(what, uses);
        let symbol = Symbol { shape, partners, takes };
        let symbol = intern(&mut self.symbols, &mut self.all.symbols, symbol);
        let numbers = intern(&mut self.tuples, &mut self.all.tuples, numbers);
        if let Some(slot) = makes {
            self.pending.make(slot, symbol, is_persistent);
        }
        self.all.calls.push(symbol);
        self.all.numbers.push(numbers);
        self.all.before.push(before + std::mem::take(&mut self.carry));
    }
}

fn intern<T: Clone + Eq + std::hash::Hash>(known: &mut FxHashMap<T, u32>, all: &mut Vec<T>, item: T) -> u32 {
    if let Some(number) = known.get(&item) {
        return *number;
    }
    let number = all.len() as u32;
    all.push(item.clone());
    known.insert(item, number);
    number
}
