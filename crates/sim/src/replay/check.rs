//! Do the ranks fit together?

use panto_trace::{RankTrace, Ranks, SharedId, Trace};

use super::channels::{Count, Traffic};
use super::error::{At, Error, Result};
use super::shared::Shared;
use crate::program::{Act, Channel, Code, Op};

/// Checks all ranks together. Those who are lenient get messages that nobody received out of the way.
pub fn check(shared: &mut Shared<'_>, trace: &Trace, codes: &mut [Code]) -> Result<()> {
    check_collectives(shared, trace)?;
    let mut surplus = Vec::new();
    for (number, channel, traffic) in shared.channels.unequal() {
        if !shared.options.lenient || traffic.receives.number > traffic.sends.number {
            return Err(unequal(shared, channel, traffic));
        }
        surplus.push((number, channel, traffic.sends.number - traffic.receives.number));
    }
    for (number, channel, count) in surplus {
        shared.notes.warn_of("a message that nobody receives".to_owned(), count);
        take(&mut codes[channel.to as usize], number, count);
    }
    Ok(())
}

/// The lowest rank of a communicator comes first, if it has any collective there at all. Others were compared with it when they ended.
fn check_collectives(shared: &Shared<'_>, trace: &Trace) -> Result<()> {
    let mut comms: Vec<(u32, u32)> = shared.agreed.comms().collect();
    comms.sort_unstable();
    for (comm, first) in comms {
        let about = shared.world.comm(SharedId(comm));
        let members = about.members.iter().chain(about.others.iter().flat_map(Ranks::iter));
        let Some(rank) = members.min().filter(|lowest| *lowest != first) else { continue };
        let position = trace.ranks().get(rank as usize).map_or(0, RankTrace::events_count);
        let call = shared.agreed.nth(comm, 0).map_or("", |instance| shared.calls.name(instance.call));
        let what = format!(
            "the rank ends here and has no collective of a communicator (from {}), where rank {first} has {call}; the members must do the same in the same order",
            about.made_by
        );
        return Err(Error::Call(Box::new(At { rank, position, call: "end".to_owned(), what })));
    }
    Ok(())
}

fn unequal(shared: &Shared<'_>, channel: Channel, traffic: Traffic) -> Error {
    let home = |code: u32| {
        let helper = code.checked_sub(shared.helpers.ranks());
        helper.map_or(code, |helper| shared.helpers.homes()[helper as usize])
    };
    let (from, to) = (home(channel.from), home(channel.to));
    let (sends, receives) = (traffic.sends.number, traffic.receives.number);
    let tag = shared.channels.tag(channel.class).map_or_else(String::new, |tag| format!(" with tag {tag}"));
    let is_unsent = receives > sends;
    let (rank, Count { last, .. }) = if is_unsent { (to, traffic.receives) } else { (from, traffic.sends) };
    let way = if is_unsent {
        format!("rank {to} receives {receives} messages{tag} from rank {from}, which sends {sends}")
    } else {
        format!("rank {from} sends {sends} messages{tag} to rank {to}, which receives {receives}")
    };
    let remedy =
        if is_unsent { "trace the whole program" } else { "trace the whole program, or use --lenient" };
    let what = format!("{way} of them on this communicator, and this is the last; {remedy}");
    let call = shared.calls.name(last.call).to_owned();
    Error::Call(Box::new(At { rank, position: last.position, call, what }))
}

/// Takes messages that nobody received, at the end of a rank: else a sender might wait for ever.
fn take(code: &mut Code, channel: u32, count: u64) {
    let slot = code.slots;
    code.slots += 1;
    let taking = code.ops.len() as u32;
    code.ops.extend([Act::StartReceive { slot, channel }, Act::Free { slot }, Act::End].map(Op::from));
    let repeat = Act::Repeat { at: taking, times: count }.into();
    let end = code.ops.iter().position(|op| op.act() == Act::End).unwrap_or(0);
    // The last operation of the main part makes room: it is done from elsewhere, with the rest behind it. Other places stay as they are.
    let Some(last) = end.checked_sub(1) else { return };
    let at = code.ops.len() as u32;
    let moved = code.ops[last];
    code.ops.extend([moved, repeat, Act::End.into()]);
    code.ops[last] = Act::Repeat { at, times: 1 }.into();
}
