//! What a rank of a program does, with loops unrolled.

use panto_sim::program::{Act, Code};

/// Goes through the operations of a rank.
pub struct Unrolled<'a> {
    code: &'a Code,
    at: usize,
    listed: usize,
    loops: Vec<Loop>,
}

struct Loop {
    /// Where it begins,
    begin: usize,
    /// how often it is done again,
    left: u64,
    /// and where it goes on then.
    then: usize,
}

impl<'a> Unrolled<'a> {
    pub fn new(code: &'a Code) -> Self {
        Self { code, at: 0, listed: 0, loops: Vec::new() }
    }

    fn end(&mut self) -> Option<()> {
        let last = self.loops.last_mut()?;
        if last.left > 0 {
            last.left -= 1;
            self.at = last.begin;
        } else {
            self.at = last.then;
            self.loops.pop();
        }
        Some(())
    }

    fn listed(&mut self) -> panto_units::Time {
        self.listed += 1;
        self.code.times.get(self.listed - 1).copied().unwrap_or_default()
    }
}

impl Iterator for Unrolled<'_> {
    type Item = Act;

    /// The next operation. Times from lists stand in it; the ends of loops are seen, so that empty ones can be counted.
    fn next(&mut self) -> Option<Act> {
        let act = self.code.ops.get(self.at).map_or(Act::End, |op| op.act());
        self.at += 1;
        match act {
            Act::Repeat { at, times } => {
                self.loops.push(Loop { begin: at as usize, left: times.saturating_sub(1), then: self.at });
                self.at = at as usize;
            }
            Act::End => self.end()?,
            Act::ComputeListed => return Some(Act::Compute(self.listed())),
            Act::CallListed { call } => return Some(Act::Call { call, before: self.listed() }),
            _ => {}
        }
        Some(act)
    }
}

#[cfg(test)]
mod tests {
    use panto_sim::program::Op;
    use panto_units::Time;

    use super::*;

    #[test]
    fn loops_nest() {
        let ops = [
            Act::Compute(Time::from_nanos(1)),
            Act::Repeat { at: 4, times: 2 },
            Act::ComputeListed,
            Act::End,
            Act::Poll { times: 1 },
            Act::Repeat { at: 7, times: 3 },
            Act::End,
            Act::Copy { bytes: 1 },
            Act::End,
        ];
        let code = Code { ops: ops.map(Op::from).to_vec(), times: vec![Time::from_nanos(9)], slots: 0 };
        let seen: Vec<Act> =
            Unrolled::new(&code).filter(|act| !matches!(act, Act::Repeat { .. } | Act::End)).collect();
        let (poll, copy) = (Act::Poll { times: 1 }, Act::Copy { bytes: 1 });
        let compute = |nanos| Act::Compute(Time::from_nanos(nanos));
        assert_eq!(seen, [compute(1), poll, copy, copy, copy, poll, copy, copy, copy, compute(9)]);
    }
}
