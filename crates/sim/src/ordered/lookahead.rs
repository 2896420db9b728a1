//! The lookahead of a rank: what it computes before it does anything that others can observe.

use panto_units::Time;

use super::messages::slot_of;
use super::rank_run::RankRun;
use crate::observe::Observer;
use crate::program::{Op, PackedOp};

impl<C: AsRef<[PackedOp]>, O: Observer> RankRun<'_, C, O> {
    /// The least time that the rank computes after its current wait before it does anything else.
    pub(super) fn lookahead(&self) -> Time {
        let traced = match self.after_waits().map(|op| op.unpack()) {
            Some(Op::Compute(time) | Op::Call { before: time, .. }) => time,
            Some(Op::ComputeListed | Op::CallListed { .. }) => self.listed(),
            _ => return Time::ZERO,
        };
        self.config.compute_scale(self.program.home(self.rank)).apply(traced)
    }

    /// The operation after the current one and the waits that follow it.
    fn after_waits(&self) -> Option<&PackedOp> {
        let state = &*self.state;
        let ops = state.ops.as_ref();
        let after = ops.get(state.pc as usize + 1..)?;
        let next = after.iter().find(|op| slot_of(Some(op)).is_none())?;
        if !next.is_end() {
            return Some(next);
        }
        let innermost = state.loops.last()?;
        ops.get(if innermost.remaining > 0 { innermost.start } else { innermost.return_pc } as usize)
    }
}
