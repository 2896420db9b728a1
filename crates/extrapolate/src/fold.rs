//! Loops in the calls of a rank.
//!
//! Calls are appended one after the other. Where the end of the row repeats what stands before it,
//! the two become a loop, and where it repeats the body of a loop, the loop gets one more
//! iteration. Loops are items themselves, so nested loops are found the same way; two loops with
//! equal bodies are equal items, however often they are repeated.

use rustc_hash::FxHashMap;

/// The most items of a loop's body. Each call is compared with this number of earlier ones.
const WINDOW: usize = 512;

/// A call or a loop of a rank, with all its executions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    Call(CallItem),
    Loop(LoopItem),
}

/// A call, with the events that are executions of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallItem {
    /// Its symbols: one, or one for each iteration of a loop over partners.
    pub symbols: Vec<u32>,
    /// Numbers of events, in their order.
    pub events: Vec<u32>,
}

/// A loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopItem {
    pub body: Vec<Item>,
    /// The number of iterations in each execution.
    pub counts: Vec<u32>,
    /// Whether partners differ from one iteration to the next.
    pub is_over_partners: bool,
}

/// Finds the loops of a row of symbols.
pub fn fold(symbols: &[u32]) -> Vec<Item> {
    let mut row = Row::default();
    for (event, symbol) in symbols.iter().enumerate() {
        let call = CallItem { symbols: vec![*symbol], events: vec![event as u32] };
        let key = row.key(vec![KEY_OF_CALL, *symbol]);
        row.push(key, Item::Call(call));
    }
    row.items
}

/// Marks the key of a call, as opposed to that of a loop.
const KEY_OF_CALL: u32 = u32::MAX;

#[derive(Default)]
struct Row {
    items: Vec<Item>,
    keys: Vec<u32>,
    /// Keys by what they stand for: a symbol, or the keys of a body.
    known: FxHashMap<Vec<u32>, u32>,
    /// The bodies of loops by the loops' keys.
    bodies: FxHashMap<u32, Vec<u32>>,
}

impl Row {
    fn key(&mut self, of: Vec<u32>) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry(of).or_insert(next)
    }

    fn push(&mut self, key: u32, item: Item) {
        self.items.push(item);
        self.keys.push(key);
        while self.continue_loop() || self.begin_loop() {}
    }

    /// Adds an iteration to a loop that the last items repeat.
    fn continue_loop(&mut self) -> bool {
        let end = self.keys.len();
        let earliest = end.saturating_sub(WINDOW + 1);
        let mut places = (earliest..end.saturating_sub(1)).rev();
        let Some((at, depth)) = places.find_map(|at| Some((at, self.repeated(at)?))) else { return false };
        let iteration = self.items.split_off(at + 1);
        self.keys.truncate(at + 1);
        let mut item = self.items.last_mut();
        for _ in 0..depth {
            item = item.and_then(|item| match item {
                Item::Loop(outer) => outer.body.last_mut(),
                Item::Call(_) => None,
            });
        }
        if let Some(Item::Loop(found)) = item
            && let Some(count) = found.counts.last_mut()
        {
            *count += 1;
            absorb(&mut found.body, iteration);
        }
        true
    }

    /// Returns whether the items after a loop repeat its body, or that of the loop that ends its
    /// body, and so on: how deep it is.
    fn repeated(&self, at: usize) -> Option<usize> {
        let mut key = self.keys[at];
        for depth in 0.. {
            let body = self.bodies.get(&key)?;
            if body[..] == self.keys[at + 1..] {
                return Some(depth);
            }
            key = *body.last()?;
        }
        None
    }

    /// Makes a loop of the last items if the items before are equal.
    fn begin_loop(&mut self) -> bool {
        let end = self.keys.len();
        let longest = (end / 2).min(WINDOW);
        let is_twice = |length: &usize| {
            let (middle, start) = (end - length, end - 2 * length);
            self.keys[end - 1] == self.keys[middle - 1] && self.keys[middle..] == self.keys[start..middle]
        };
        let Some(length) = (1..=longest).find(is_twice) else { return false };
        let second = self.items.split_off(end - length);
        let mut body = self.items.split_off(end - 2 * length);
        let keys = self.keys.split_off(end - length);
        self.keys.truncate(end - 2 * length);
        absorb(&mut body, second);
        let key = self.key(keys.clone());
        self.bodies.insert(key, keys);
        self.keys.push(key);
        self.items.push(Item::Loop(LoopItem { body, counts: vec![2], is_over_partners: false }));
        true
    }
}

/// Adds the executions of items to equal items.
fn absorb(body: &mut [Item], iteration: Vec<Item>) {
    for (item, again) in body.iter_mut().zip(iteration) {
        match (item, again) {
            (Item::Call(call), Item::Call(again)) => call.events.extend(again.events),
            (Item::Loop(own), Item::Loop(again)) => {
                own.counts.extend(again.counts);
                absorb(&mut own.body, again.body);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows calls as letters and loops as `3(...)`.
    fn show(items: &[Item]) -> String {
        let one = |item: &Item| match item {
            Item::Call(call) => char::from(b'a' + call.symbols[0] as u8).to_string(),
            Item::Loop(found) => {
                let counts: Vec<String> = found.counts.iter().map(u32::to_string).collect();
                format!("{}({})", counts.join(","), show(&found.body))
            }
        };
        items.iter().map(one).collect()
    }

    fn folded(text: &str) -> String {
        let symbols: Vec<u32> = text.bytes().map(|byte| u32::from(byte - b'a')).collect();
        show(&fold(&symbols))
    }

    #[test]
    fn repetitions_become_loops() {
        assert_eq!(folded("abcbcbcd"), "a3(bc)d");
        assert_eq!(folded("aaaa"), "4(a)");
        assert_eq!(folded("abcde"), "abcde");
    }

    #[test]
    fn loops_in_loops_keep_the_counts_of_each_execution() {
        assert_eq!(folded("xaabxaab"), "2(x2,2(a)b)");
        assert_eq!(folded("aaabaabaab"), "3(3,2,2(a)b)");
        assert_eq!(folded("xaaxaaaxaaaa"), "3(x2,3,4(a))");
    }

    #[test]
    fn events_are_in_their_order() {
        let items = fold(&[0, 1, 2, 1, 2, 1, 2]);
        let Item::Loop(found) = &items[1] else { panic!("{items:?}") };
        let Item::Call(call) = &found.body[1] else { panic!("{found:?}") };
        assert_eq!(call.events, [2, 4, 6]);
    }
}
