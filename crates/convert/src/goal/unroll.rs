//! Iterates over the operations of a rank of a program, with loops unrolled.

use panto_sim::program::{Code, Op};

/// Iterator over the operations of a rank, in execution order.
pub struct Unrolled<'a> {
    code: &'a Code,
    at: usize,
    listed: usize,
    loops: Vec<Loop>,
}

struct Loop {
    /// Program counter of the first operation of the body.
    begin: usize,
    /// Iterations left.
    left: u64,
    /// Program counter behind the loop.
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
    type Item = Op;

    /// Returns the next operation. Listed times are filled in; ends of loops are returned too, so
    /// that a caller that counts operations also counts empty loops.
    fn next(&mut self) -> Option<Op> {
        let act = self.code.ops.get(self.at).map_or(Op::End, |op| op.unpack());
        self.at += 1;
        match act {
            Op::Repeat { at, times } => {
                self.loops.push(Loop { begin: at as usize, left: times.saturating_sub(1), then: self.at });
                self.at = at as usize;
            }
            Op::End => self.end()?,
            Op::ComputeListed => return Some(Op::Compute(self.listed())),
            Op::CallListed { call } => return Some(Op::Call { call, before: self.listed() }),
            _ => {}
        }
        Some(act)
    }
}

#[cfg(test)]
mod tests {
    use panto_sim::program::PackedOp;
    use panto_units::Time;

    use super::*;

    #[test]
    fn loops_nest() {
        let ops = [
            Op::Compute(Time::from_nanos(1)),
            Op::Repeat { at: 4, times: 2 },
            Op::ComputeListed,
            Op::End,
            Op::Poll { times: 1 },
            Op::Repeat { at: 7, times: 3 },
            Op::End,
            Op::Copy { bytes: 1 },
            Op::End,
        ];
        let code = Code { ops: ops.map(PackedOp::from).to_vec(), times: vec![Time::from_nanos(9)], slots: 0 };
        let seen: Vec<Op> =
            Unrolled::new(&code).filter(|act| !matches!(act, Op::Repeat { .. } | Op::End)).collect();
        let (poll, copy) = (Op::Poll { times: 1 }, Op::Copy { bytes: 1 });
        let compute = |nanos| Op::Compute(Time::from_nanos(nanos));
        assert_eq!(seen, [compute(1), poll, copy, copy, copy, poll, copy, copy, copy, compute(9)]);
    }
}
