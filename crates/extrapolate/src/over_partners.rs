//! Loops over partners: rows of equal calls whose partners differ, such as the steps of a butterfly
//! or the messages of an all-to-all exchange.

use crate::call::Partner;
use crate::fold::{CallItem, Item, LoopItem};
use crate::grid::{Grid, Shape};
use crate::partner::{Choice, Rules};
use crate::read::RankCalls;

/// The most calls of an iteration.
const LONGEST_BODY: usize = 4;

/// Returns the items with rows of equal calls as loops, where a rule explains the partners.
pub fn find(items: &[Item], calls: &RankCalls, rank: u32, ranks: u32) -> Vec<Item> {
    let Some(line) = Shape::Line.grid(ranks, false) else { return items.to_vec() };
    Finder { rules: Rules::without_trees(&line, Choice::Any), line, calls, rank }.row(items)
}

struct Finder<'a> {
    rules: Rules,
    line: Grid,
    calls: &'a RankCalls,
    rank: u32,
}

impl Finder<'_> {
    fn row(&self, items: &[Item]) -> Vec<Item> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < items.len() {
            if let Some((repeated, used)) = self.loop_at(&items[at..]) {
                found.push(Item::Loop(repeated));
                at += used;
                continue;
            }
            found.push(match &items[at] {
                Item::Loop(outer) => Item::Loop(LoopItem { body: self.row(&outer.body), ..outer.clone() }),
                call @ Item::Call(_) => call.clone(),
            });
            at += 1;
        }
        found
    }

    /// Returns a loop over partners that begins here, and the number of items that it replaces.
    fn loop_at(&self, items: &[Item]) -> Option<(LoopItem, usize)> {
        (1..=LONGEST_BODY).find_map(|length| {
            let count = self.repetitions(items, length);
            // A row of two may also be a pair of neighbors.
            (2..=count).rev().find_map(|count| {
                let body: Option<Vec<Item>> =
                    (0..length).map(|place| self.body_call(items, length, count, place)).collect();
                let Some(Item::Call(first)) = body.as_ref()?.first() else { return None };
                let executions = first.events.len() / count;
                let counts = vec![count as u32; executions];
                Some((LoopItem { body: body?, counts, is_over_partners: true }, length * count))
            })
        })
    }

    /// Returns how often the shapes of the first items are repeated.
    fn repetitions(&self, items: &[Item], length: usize) -> usize {
        let shape = |item: &Item| match item {
            Item::Call(call) => Some(self.calls.symbols[call.symbols[0] as usize].shape),
            Item::Loop(_) => None,
        };
        let body: Vec<Option<u32>> = items.iter().take(length).map(shape).collect();
        if body.len() < length || body.iter().any(Option::is_none) {
            return 0;
        }
        let is_same = |chunk: &&[Item]| chunk.iter().map(shape).eq(body.iter().copied());
        items.chunks_exact(length).take_while(is_same).count()
    }

    /// Joins a call of all iterations, if a rule explains its partners.
    fn body_call(&self, items: &[Item], length: usize, count: usize, place: usize) -> Option<Item> {
        let calls: Vec<&CallItem> = (0..count)
            .filter_map(|iteration| match &items[iteration * length + place] {
                Item::Call(call) => Some(call),
                Item::Loop(_) => None,
            })
            .collect();
        let symbols: Vec<u32> = calls.iter().map(|call| call.symbols[0]).collect();
        let symbol = |number: u32| &self.calls.symbols[number as usize];
        let partners = symbol(symbols[0]).partners.len();
        let is_explained = (0..partners).all(|partner| {
            let seen: Vec<Partner> = symbols.iter().map(|number| symbol(*number).partners[partner]).collect();
            !self.rules.explain(&self.line, self.rank, &seen, true).is_empty()
        });
        let executions = calls[0].events.len();
        let is_even = calls.iter().all(|call| call.events.len() == executions);
        let takes = &symbol(symbols[0]).takes;
        let is_simple = takes.is_all || takes.requests.is_empty();
        if (place == 0 && partners == 0) || !is_explained || !is_even || !is_simple {
            return None;
        }
        let events =
            (0..executions).flat_map(|execution| calls.iter().map(move |call| call.events[execution]));
        Some(Item::Call(CallItem { symbols, events: events.collect() }))
    }
}
