//! Checks that hold for all ranks together: collectives agree, and sends match receives.

use panto_trace::{RankTrace, Ranks, SharedId, Trace};

use super::channels::{ChannelCounts, Count};
use super::collective::SAME_ORDER;
use super::context::Context;
use super::error::{CallError, Error, Result};
use crate::program::{Channel, Code, Op, PackedOp};

const NEVER_RECEIVED: &str = "a message is sent and never received";
const IN_TRANSIT: &str = "a message is sent, and the trace ends before it is received";

/// Checks all ranks together. With `--lenient`, and where ranks end too early, messages that were
/// never received are received at the end of their rank, so that no sender blocks indefinitely.
pub fn check(context: &mut Context<'_>, trace: &Trace, codes: &mut [Code]) -> Result<()> {
    check_collectives(context, trace)?;
    let mut surplus = Vec::new();
    for (number, channel, counts) in context.channels.unbalanced() {
        let may_be_open = context.options.lenient || context.cut.is_some();
        if !may_be_open || counts.receives.number > counts.sends.number {
            return Err(unbalanced(context, channel, counts));
        }
        surplus.push((number, channel, counts.sends.number - counts.receives.number));
    }
    let lost = if context.cut.is_some() { IN_TRANSIT } else { NEVER_RECEIVED };
    for (number, channel, count) in surplus {
        context.notes.warn_times(lost.to_owned(), count);
        receive_surplus(&mut codes[channel.to as usize], number, count);
    }
    Ok(())
}

/// Checks that the lowest rank of each communicator has collectives if any member has. Ranks are
/// read in order, so it is then the first, and the others were compared with it when they were
/// read.
fn check_collectives(context: &Context<'_>, trace: &Trace) -> Result<()> {
    let mut comms: Vec<(u32, u32)> = context.collectives.comms().collect();
    comms.sort_unstable();
    for (comm, first) in comms {
        let shared = context.world.comm(SharedId(comm));
        let members = shared.members.iter().chain(shared.others.iter().flat_map(Ranks::iter));
        let Some(rank) = members.min().filter(|lowest| *lowest != first) else { continue };
        let position = trace.ranks().get(rank as usize).map_or(0, RankTrace::events_count);
        let call = context.collectives.nth(comm, 0).map_or("", |instance| context.calls.name(instance.call));
        let message = format!(
            "collective mismatch on a communicator (from {}): rank {first} calls {call}, but this rank ends without any collective there; {SAME_ORDER}",
            shared.made_by
        );
        return Err(Error::Call(Box::new(CallError { rank, position, call: "end".to_owned(), message })));
    }
    Ok(())
}

/// An error about different numbers of sends and receives.
fn unbalanced(context: &Context<'_>, channel: Channel, counts: ChannelCounts) -> Error {
    let home = |code: u32| {
        let helper = code.checked_sub(context.helpers.ranks());
        helper.map_or(code, |helper| context.helpers.homes()[helper as usize])
    };
    let (from, to) = (home(channel.from), home(channel.to));
    let (sends, receives) = (counts.sends.number, counts.receives.number);
    let tag =
        context.channels.tag(channel.match_key).map_or_else(String::new, |tag| format!(" with tag {tag}"));
    let is_unsent = receives > sends;
    let (rank, Count { last, .. }) = if is_unsent { (to, counts.receives) } else { (from, counts.sends) };
    let mismatch = if is_unsent {
        format!("rank {to} receives {receives} messages{tag} from rank {from}, which sends {sends}")
    } else {
        format!("rank {from} sends {sends} messages{tag} to rank {to}, which receives {receives}")
    };
    let remedy =
        if is_unsent { "trace the whole program" } else { "trace the whole program, or use --lenient" };
    let message = format!("{mismatch} of them on this communicator; this call is the last of them; {remedy}");
    let call = context.calls.name(last.call).to_owned();
    Error::Call(Box::new(CallError { rank, position: last.position, call, message }))
}

/// Receives messages at the end of a rank that the traced program did not receive.
fn receive_surplus(code: &mut Code, channel: u32, count: u64) {
    let slot = code.slots;
    code.slots += 1;
    let body = code.ops.len() as u32;
    code.ops.extend([Op::StartReceive { slot, channel }, Op::Free { slot }, Op::End].map(PackedOp::from));
    let repeat = Op::Repeat { at: body, times: count }.into();
    let end = code.ops.iter().position(|op| op.unpack() == Op::End).unwrap_or(0);
    // No operation moves, since loops refer to their positions: the last one of the main part is
    // replaced by a jump to a copy of it that the receives follow.
    let Some(last) = end.checked_sub(1) else { return };
    let at = code.ops.len() as u32;
    let moved = code.ops[last];
    code.ops.extend([moved, repeat, Op::End.into()]);
    code.ops[last] = Op::Repeat { at, times: 1 }.into();
}
