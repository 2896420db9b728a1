//! What a rank does for itself before others can see anything of it.

use panto_units::Time;

use super::messages::slot_of;
use super::walk::Walk;
use crate::observe::Observer;
use crate::program::{Act, Op};

impl<O: Observer> Walk<'_, '_, O> {
    /// How long the rank computes at least, from when it need not wait any more until it does anything else.
    pub(super) fn lead(&self) -> Time {
        let traced = match self.after_waiting().map(|op| op.act()) {
            Some(Act::Compute(time) | Act::Call { before: time, .. }) => time,
            Some(Act::ComputeListed | Act::CallListed { .. }) => self.listed(),
            _ => return Time::ZERO,
        };
        self.setting.pace(self.program.home(self.rank)).of(traced)
    }

    /// The operation behind the one that the rank is at, and behind those in which it waits for more.
    fn after_waiting(&self) -> Option<&Op> {
        let place = &*self.place;
        let after = place.ops.get(place.at as usize + 1..)?;
        let next = after.iter().find(|op| slot_of(Some(op)).is_none())?;
        if !next.is_end() {
            return Some(next);
        }
        let innermost = place.loops.last()?;
        place.ops.get(if innermost.left > 0 { innermost.at } else { innermost.back } as usize)
    }
}
