//! Loops over the children of a tree: how many children a rank has depends on the rank, and one
//! child, or none, is a loop as well.

use crate::call::Partner;
use crate::fold::{CallItem, Item, LoopItem};
use crate::observe::Member;
use crate::partner::Each;
use crate::read::Symbol;

/// Returns the items of each rank with the rows of calls to all children as loops; none if no
/// function is called along a tree. `sizes` has the ranks of each trace.
pub fn find(members: &[Member], shapes: usize, sizes: &[u32]) -> Option<Vec<Vec<Item>>> {
    let found: Vec<(u32, Each)> = (0..shapes as u32)
        .filter_map(|shape| {
            Some((shape, Each::children().find(|each| is_along(*each, shape, members, sizes))?))
        })
        .collect();
    let of = |member: &Member| {
        let ranks = sizes[member.trace];
        found.iter().fold(member.items.clone(), |items, (shape, each)| {
            Rows { member, each: *each, shape: *shape, ranks }.replaced(&items)
        })
    };
    (!found.is_empty()).then(|| members.iter().map(of).collect())
}

/// Returns whether all calls of a shape, on all ranks, are to all children in order; and some rank
/// has several.
fn is_along(each: Each, shape: u32, members: &[Member], sizes: &[u32]) -> bool {
    let longest = members.iter().map(|member| {
        let rows = Rows { member, each, shape, ranks: sizes[member.trace] };
        rows.longest(&member.items)
    });
    longest.collect::<Option<Vec<usize>>>().is_some_and(|longest| longest.into_iter().max() > Some(1))
}

/// The rows of calls of a shape on a rank.
struct Rows<'a> {
    member: &'a Member,
    each: Each,
    shape: u32,
    ranks: u32,
}

impl Rows<'_> {
    fn symbol(&self, item: &Item) -> Option<&Symbol> {
        let Item::Call(call) = item else { return None };
        let symbol = &self.member.calls.symbols[call.symbols[0] as usize];
        (symbol.shape == self.shape).then_some(symbol)
    }

    /// Returns the number of children if the first items are calls to them.
    fn children(&self, items: &[Item]) -> Option<usize> {
        let rank = self.member.rank;
        let count = self.each.count(rank, self.ranks) as usize;
        let row = items.get(..count).filter(|row| !row.is_empty())?;
        let fits = |(i, item): (u32, &Item)| {
            let partner = self.each.partner(rank, self.ranks, i).map(Partner::Rank);
            self.symbol(item).is_some_and(|symbol| {
                symbol.partners.len() == 1 && symbol.partners.first().copied() == partner
            })
        };
        (0..).zip(row).all(fits).then_some(count)
    }

    /// Returns the length of the rows, 0 without any; none if some row is not all children.
    fn longest(&self, items: &[Item]) -> Option<usize> {
        let (mut at, mut longest) = (0, 0);
        while let Some(item) = items.get(at) {
            if let Item::Loop(inner) = item {
                longest = longest.max(self.longest(&inner.body)?);
                at += 1;
            } else if self.symbol(item).is_some() {
                let count = self.children(&items[at..])?;
                longest = longest.max(count);
                at += count;
            } else {
                at += 1;
            }
        }
        Some(longest)
    }

    fn replaced(&self, items: &[Item]) -> Vec<Item> {
        let mut found = Vec::with_capacity(items.len());
        let mut at = 0;
        while at < items.len() {
            if let Some(count) = self.children(&items[at..]) {
                found.push(Item::Loop(joined(&items[at..at + count])));
                at += count;
                continue;
            }
            found.push(match &items[at] {
                Item::Loop(outer) if !outer.is_over_partners => {
                    Item::Loop(LoopItem { body: self.replaced(&outer.body), ..outer.clone() })
                }
                other => other.clone(),
            });
            at += 1;
        }
        found
    }
}

/// Returns a row of calls as a loop.
fn joined(row: &[Item]) -> LoopItem {
    let calls = || {
        row.iter().filter_map(|item| match item {
            Item::Call(call) => Some(call),
            Item::Loop(_) => None,
        })
    };
    let executions = calls().map(|call| call.events.len()).min().unwrap_or(0);
    let events = (0..executions).flat_map(|execution| calls().map(move |call| call.events[execution]));
    let call = CallItem { events: events.collect(), symbols: calls().map(|call| call.symbols[0]).collect() };
    LoopItem {
        body: vec![Item::Call(call)],
        counts: vec![row.len() as u32; executions],
        is_over_partners: true,
    }
}
