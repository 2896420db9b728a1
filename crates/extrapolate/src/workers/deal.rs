//! The exchanges of a master with its workers in one trace, and the same dealt out in turn.

use rustc_hash::FxHashMap;

use super::{partner, shape};
use crate::call::{Partner, Shape, What};
use crate::read::{Numbers, RankCalls, Reading, Symbol, Takes};

/// Where an exchange stands among those of its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Position {
    First,
    Middle,
    Last,
    Only,
}

impl Position {
    const ALL: [Self; 4] = [Self::Middle, Self::First, Self::Last, Self::Only];

    fn of(number: usize, count: usize) -> Self {
        match (number, count) {
            (_, 1) => Self::Only,
            (0, _) => Self::First,
            (last, count) if last + 1 == count => Self::Last,
            _ => Self::Middle,
        }
    }
}

/// The calls of one place of an exchange: its numbers by position, and the computation before each.
#[derive(Default)]
struct Pool {
    numbers: FxHashMap<Position, Numbers>,
    before: FxHashMap<bool, Vec<u64>>,
}

impl Pool {
    fn add(&mut self, position: Position, numbers: &Numbers, before: u64) -> Result<(), String> {
        let known = self.numbers.entry(position).or_insert_with(|| numbers.clone());
        if known != numbers {
            return Err(format!(
                "the messages between rank 0 and its workers differ from one piece of work to another ({:?} and {:?} bytes, tags {:?} and {:?}), so that they cannot be dealt out",
                known.single[0], numbers.single[0], known.single[1], numbers.single[1]
            ));
        }
        self.before.entry(position == Position::First).or_default().push(before);
        Ok(())
    }

    fn numbers(&self, position: Position) -> Numbers {
        let others = Position::ALL.iter().filter_map(|other| self.numbers.get(other));
        self.numbers.get(&position).or_else(|| others.into_iter().next()).cloned().unwrap_or_default()
    }

    /// Returns the computation before an exchange: before the first of a worker something else is
    /// computed than before the others.
    fn before(&self, position: Position, number: usize) -> u64 {
        let is_first = position == Position::First;
        let pool = self.before.get(&is_first).or_else(|| self.before.get(&!is_first));
        pool.filter(|pool| !pool.is_empty()).map_or(0, |pool| pool[number % pool.len()])
    }
}

/// The exchanges of one trace.
pub struct Deal<'a> {
    ranks: &'a [&'a Reading],
    shapes: &'a [Shape],
    /// The master's calls of all exchanges: the first, and the one after the last.
    region: (usize, usize),
    receives: usize,
    has_last_reply: bool,
    reply: Option<u32>,
    /// The master's receives and replies.
    master: [Pool; 2],
    /// The first event of the exchanges of each worker, and their number.
    own: Vec<(usize, usize)>,
    /// The symbols of an exchange of a worker.
    unit: Vec<Symbol>,
    worker: Vec<Pool>,
}

impl<'a> Deal<'a> {
    pub fn new(ranks: &'a [&'a Reading], shapes: &'a [Shape], wildcard: u32) -> Result<Self, String> {
        let calls = &ranks[0].calls;
        let is_wildcard = |event: &usize| shape(calls, *event) == wildcard;
        let receives: Vec<usize> = (0..calls.calls.len()).filter(is_wildcard).collect();
        let reply_to = |at: usize| {
            let next = at + 1;
            let is_reply = next < calls.calls.len()
                && matches!(shapes[shape(calls, next) as usize].what, What::Send { .. })
                && partner(calls, next) == partner(calls, at);
            is_reply.then_some(next)
        };
        let mut replies: Vec<Option<usize>> = receives.iter().map(|at| reply_to(*at)).collect();
        // What follows the last receive may be the first message of something else.
        let tail = &replies[replies.len().saturating_sub(ranks.len() - 1)..];
        if 2 * tail.iter().flatten().count() <= tail.len()
            && let Some(last) = replies.last_mut()
        {
            *last = None;
        }
        let last = receives.last().copied().unwrap_or(0);
        let end = replies.last().copied().flatten().unwrap_or(last) + 1;
        let mut deal = Self {
            ranks,
            shapes,
            region: (receives.first().copied().unwrap_or(0), end),
            receives: receives.len(),
            has_last_reply: replies.last().is_some_and(Option::is_some),
            reply: replies.iter().flatten().next().map(|event| shape(calls, *event)),
            master: [Pool::default(), Pool::default()],
            own: Vec::new(),
            unit: Vec::new(),
            worker: Vec::new(),
        };
        deal.find_workers(wildcard)?;
        deal.pool_master(&receives, &replies)?;
        deal.pool_workers()?;
        Ok(deal)
    }

    fn workers(&self) -> usize {
        self.ranks.len() - 1
    }

    /// Returns the exchanges that a worker is dealt, by its number from 0.
    fn share(&self, worker: usize) -> usize {
        let workers = self.workers();
        self.receives / workers + usize::from(worker < self.receives % workers)
    }

    /// Finds the exchanges of all workers: their sends to the master, and what follows until the
    /// next.
    fn find_workers(&mut self, wildcard: u32) -> Result<(), String> {
        let comm = self.shapes[wildcard as usize].comm;
        let sends = |calls: &RankCalls| -> Vec<usize> {
            let is_send = |event: &usize| {
                let shape = &self.shapes[shape(calls, *event) as usize];
                matches!(shape.what, What::Send { .. })
                    && shape.comm == comm
                    && partner(calls, *event) == Some(0)
            };
            (0..calls.calls.len()).filter(is_send).collect()
        };
        let all: Vec<Vec<usize>> = self.ranks[1..].iter().map(|worker| sends(&worker.calls)).collect();
        let sent: usize = all.iter().map(Vec::len).sum();
        if sent != self.receives {
            return Err(format!(
                "rank 0 receives {} messages with MPI_ANY_SOURCE, and its workers send it {sent}",
                self.receives
            ));
        }
        let Some((busiest, most)) = (0..).zip(&all).max_by_key(|(_, sends)| sends.len()) else {
            return Ok(());
        };
        let length = most.get(1).map_or(1, |second| second - most[0]);
        let calls = &self.ranks[busiest + 1].calls;
        let symbols = calls.calls.iter().skip(most[0]).take(length);
        self.unit = symbols.map(|symbol| calls.symbols[*symbol as usize].clone()).collect();
        let usual = most[0];
        self.own = all.iter().map(|sends| (sends.first().copied().unwrap_or(usual), sends.len())).collect();
        for (reading, (start, count)) in self.ranks[1..].iter().zip(&self.own) {
            let events = reading.calls.calls.iter().skip(*start).take(count * length);
            let symbols = events.map(|symbol| &reading.calls.symbols[*symbol as usize]);
            let is_same =
                symbols.zip(self.unit.iter().cycle()).filter(|(one, other)| is_equal(one, other)).count();
            if is_same != count * length {
                return Err(format!(
                    "the exchanges of rank {} with rank 0 differ from those of rank {}",
                    reading.rank,
                    busiest + 1
                ));
            }
        }
        Ok(())
    }

    fn pool_master(&mut self, receives: &[usize], replies: &[Option<usize>]) -> Result<(), String> {
        let calls = &self.ranks[0].calls;
        let expected = self.region.1 - self.region.0;
        if receives.len() + replies.iter().flatten().count() != expected {
            return Err("rank 0 does something else between the exchanges with its workers".to_owned());
        }
        let mut seen: FxHashMap<u32, usize> = FxHashMap::default();
        for (at, reply) in receives.iter().zip(replies) {
            let source = partner(calls, *at).unwrap_or(0);
            let number = seen.entry(source).or_default();
            let count = (source as usize).checked_sub(1).and_then(|worker| self.own.get(worker));
            let position = Position::of(*number, count.map_or(0, |(_, count)| *count));
            *number += 1;
            for (pool, event) in self.master.iter_mut().zip([Some(*at), *reply]) {
                let Some(event) = event else { continue };
                pool.add(position, &calls.tuples[calls.numbers[event] as usize], calls.before[event])?;
            }
            let is_last = matches!(position, Position::Last | Position::Only);
            if reply.is_some() != (self.reply.is_some() && (self.has_last_reply || !is_last)) {
                return Err("rank 0 replies to some messages of its workers and not to others".to_owned());
            }
        }
        Ok(())
    }

    fn pool_workers(&mut self) -> Result<(), String> {
        let length = self.unit.len();
        let mut pools: Vec<Pool> = (0..length).map(|_| Pool::default()).collect();
        let most = self.own.iter().map(|(_, count)| *count).max().unwrap_or(0);
        for number in 0..most {
            for (reading, (start, count)) in self.ranks[1..].iter().zip(&self.own) {
                if number >= *count {
                    continue;
                }
                let calls = &reading.calls;
                for (place, pool) in pools.iter_mut().enumerate() {
                    let event = start + number * length + place;
                    let numbers = &calls.tuples[calls.numbers[event] as usize];
                    pool.add(Position::of(number, *count), numbers, calls.before[event])?;
                }
            }
        }
        self.worker = pools;
        Ok(())
    }

    /// Returns all ranks with the exchanges dealt out. `shapes` gets those of the master's calls
    /// with partners that move.
    pub fn readings(&self, shapes: &mut Vec<Shape>) -> Vec<Reading> {
        let master = Reading { calls: self.dealt_master(shapes), ..*self.ranks[0] };
        let workers = self.ranks[1..].iter().enumerate();
        let workers =
            workers.map(|(number, reading)| Reading { calls: self.dealt_worker(number), ..**reading });
        std::iter::once(master).chain(workers).collect()
    }

    fn dealt_master(&self, shapes: &mut Vec<Shape>) -> RankCalls {
        let old = &self.ranks[0].calls;
        let mut calls = cut(old, self.region);
        let mut moving = |of: u32| {
            let wanted = Shape { moves: true, ..shapes[of as usize].clone() };
            let known = shapes.iter().position(|shape| *shape == wanted).unwrap_or_else(|| {
                shapes.push(wanted);
                shapes.len() - 1
            });
            let partners = [Partner::Null].into_iter().collect();
            Symbol { shape: known as u32, partners, takes: Takes::default() }
        };
        let receive = moving(shape(old, self.region.0));
        let reply = self.reply.map(moving);
        let workers = self.workers();
        let mut events = Vec::new();
        for message in 0..self.receives {
            let left = self.receives - message;
            let has_reply = self.reply.is_some() && (self.has_last_reply || left > workers);
            // Where only the last messages have no reply they are a loop of their own.
            let is_same_loop = has_reply || self.reply.is_none();
            let turn = if is_same_loop { message } else { workers - left };
            let position = Position::of(message / workers, self.share(message % workers));
            for (pool, symbol) in
                self.master.iter().zip([Some(&receive), reply.as_ref().filter(|_| has_reply)])
            {
                let Some(symbol) = symbol else { continue };
                let mut numbers = pool.numbers(position);
                numbers.single.push(1 + (turn % workers) as i64);
                events.push((symbol.clone(), numbers, pool.before(position, message)));
            }
        }
        insert(&mut calls, self.region.0, events);
        calls
    }

    fn dealt_worker(&self, number: usize) -> RankCalls {
        let (start, count) = self.own[number];
        let length = self.unit.len();
        let mut calls = cut(&self.ranks[number + 1].calls, (start, start + count * length));
        let share = self.share(number);
        let exchanges = (0..share).flat_map(|exchange| {
            let position = Position::of(exchange, share);
            // Pieces of work are dealt in the order of the exchanges.
            let piece = if exchange == 0 { number } else { (exchange - 1) * self.workers() + number };
            self.unit.iter().zip(&self.worker).map(move |(symbol, pool)| {
                (symbol.clone(), pool.numbers(position), pool.before(position, piece))
            })
        });
        insert(&mut calls, start, exchanges.collect());
        calls
    }
}

fn is_equal(one: &Symbol, other: &Symbol) -> bool {
    one.shape == other.shape && one.partners == other.partners && one.takes.requests.is_empty()
}

/// Returns the calls without some events.
fn cut(calls: &RankCalls, (start, end): (usize, usize)) -> RankCalls {
    let mut calls = calls.clone();
    calls.calls.drain(start..end);
    calls.numbers.drain(start..end);
    calls.before.drain(start..end);
    calls
}

/// Inserts events.
fn insert(calls: &mut RankCalls, at: usize, events: Vec<(Symbol, Numbers, u64)>) {
    let mut symbols = Vec::with_capacity(events.len());
    let mut numbers = Vec::with_capacity(events.len());
    let mut before = Vec::with_capacity(events.len());
    for (symbol, tuple, computed) in events {
        symbols.push(place_of(&mut calls.symbols, symbol));
        numbers.push(place_of(&mut calls.tuples, tuple));
        before.push(computed);
    }
    calls.calls.splice(at..at, symbols);
    calls.numbers.splice(at..at, numbers);
    calls.before.splice(at..at, before);
}

/// Returns the place of an item in a list, at whose end it is added if it is new.
fn place_of<T: PartialEq>(list: &mut Vec<T>, item: T) -> u32 {
    let known = list.iter().rposition(|known| *known == item);
    known.unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    }) as u32
}
