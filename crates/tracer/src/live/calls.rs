//! Calls in virtual time: what is reported and asked before they are made.

use std::ffi::c_int;

use panto_coupling::Ended;
use panto_coupling::message::{Kind, Question, Reply};
use panto_trace::{Action, CallForm, Collective, Peer};

use super::{Plan, complete, is_on, leave, persistent, point, rooted, system_clocks, turn, with};
use crate::call_context::CallContext;
use crate::function::Function;
use crate::rank;
use crate::thread_state::ActiveCall;

/// Begins a call.
fn enter(site: &'static Function, is_wide: bool, entered: &mut ActiveCall) {
    let (thread, measured) = (entered.thread(), entered.before());
    turn::set_waits(site.plan().may_wait());
    with(|_, live| {
        live.switch_to(thread);
        (live.site, live.is_wide, live.measured, live.outcome) = (Some(site), is_wide, measured, None);
        live.is_failed_poll = false;
        if let Plan::Refused(why) = site.plan() {
            live.refuse(why);
        }
    });
}

/// Makes a call whose arguments need not be prepared. Returns whether it was recorded before.
pub fn traced(
    site: &'static Function,
    is_wide: bool,
    words: &[usize],
    entered: &mut ActiveCall,
    real: &mut dyn FnMut() -> c_int,
    record: &mut dyn FnMut(&mut ActiveCall),
) -> (c_int, bool) {
    enter(site, is_wide, entered);
    match site.plan() {
        Plan::Before => {
            record(entered);
            (real(), true)
        }
        Plan::Send => {
            record(entered);
            (point::send(words), true)
        }
        Plan::Collective => {
            record(entered);
            (rooted::carry_out(site, is_wide, words, real), true)
        }
        Plan::StartSend => (point::start_send(words), false),
        Plan::StartReceive => (point::start_receive(words, real), false),
        Plan::DefineReceive => (persistent::define(words, real), false),
        Plan::StartExchange => (point::start_exchange(words), false),
        Plan::CreationByMembers => {
            with(|rank, live| live.hold(&mut rank.recorder));
            (real(), false)
        }
        Plan::Creation(comm) => {
            report_creation(words[comm]);
            (real(), false)
        }
        Plan::Window(comm) => {
            report_barrier(words[comm]);
            (real(), false)
        }
        Plan::GetStatus => (complete::get_status(words, real), false),
        Plan::Cancel => (complete::cancel(words), false),
        Plan::After | Plan::Waits | Plan::Refused(_) => (real(), false),
    }
}

/// After a call of [`traced`] was recorded.
pub fn recorded(site: &'static Function, words: &[usize]) {
    match site.plan() {
        Plan::StartReceive => point::started_receive(words),
        Plan::StartExchange => point::started_exchange(words),
        Plan::DefineReceive => persistent::defined(words),
        _ => {}
    }
}

/// Prepares a call: what is reported and asked before it is made. Returns whether it was recorded.
pub fn prepared<P>(
    site: &'static Function,
    is_wide: bool,
    entered: &mut ActiveCall,
    before: impl FnOnce() -> P,
    real: impl FnOnce(&mut P) -> c_int,
    record: &mut dyn FnMut(&mut ActiveCall, &mut P),
) -> (c_int, P, bool) {
    enter(site, is_wide, entered);
    let mut prepared = before();
    let is_before = site.plan() == Plan::Before;
    if is_before {
        record(entered, &mut prepared);
    }
    let outcome = with(|_, live| live.outcome.take());
    let code = outcome.unwrap_or_else(|| real(&mut prepared));
    (code, prepared, is_before)
}

/// Runs a function on the current call before it is made.
pub fn with_call<T>(body: impl FnOnce(&mut CallContext<'_>) -> T) -> T {
    let done = rank::with(|rank| {
        let live = rank.live.as_mut()?;
        let (site, is_wide, before) = (live.site?, live.is_wide, live.before());
        Some(body(&mut CallContext::before_the_call(rank, site, is_wide, before)))
    });
    done.flatten().unwrap_or_else(|| leave())
}

/// Reports that a communicator is made. All members of the original wait for each other.
fn report_creation(comm: usize) {
    with_call(|at| {
        let parent = at.comm(comm).number;
        at.report(&Action::Communicator { parent, comm: None, request: None });
    });
}

/// Reports that a window is made, which is a barrier.
fn report_barrier(comm: usize) {
    with_call(|at| {
        let comm = at.comm(comm).number;
        at.report(&Action::Collective {
            pattern: Collective::Barrier.into(),
            form: CallForm::Blocking,
            comm,
            root: Peer::Null,
            datatype: None,
            receive_type: None,
            commutes: true,
            in_place: false,
            bytes: 0,
            receive_bytes: 0,
            request: None,
            send_sizes: &[],
            receive_sizes: &[],
        });
    });
}

/// Reports that the rank ends, before it waits for the others in `MPI_Finalize`.
pub fn finalise(site: &'static Function, entered: &mut ActiveCall) {
    if !is_on() {
        return;
    }
    enter(site, false, entered);
    with_call(|at| at.report(&Action::Finalise {}));
    system_clocks::end(|| with_call(|at| at.ask(&Question::Clock)).clock);
    with(|_, live| {
        live.end.end().unwrap_or_else(|Ended| leave());
        live.check_computation();
        live.hidden.complete_all(|| live.end.have_all_ended());
    });
}

/// The rank ends the job by `MPI_Abort`.
pub fn abort() {
    if is_on() {
        rank::with(|rank| {
            if let Some(live) = &mut rank.live {
                let _ = live.end.report(Kind::Abort, &[]);
            }
        });
    }
}

impl CallContext<'_> {
    /// Reports the current call before it is made.
    pub fn report(&mut self, action: &Action<'_>) {
        let (name, before) = (self.name(), self.before);
        let rank = &mut *self.rank;
        if let Some(live) = &mut rank.live {
            live.report(&mut rank.recorder, name, action, before);
        }
    }

    /// Asks what the simulation decides.
    pub fn ask(&mut self, question: &Question) -> Reply {
        let rank = &mut *self.rank;
        match &mut rank.live {
            Some(live) => live.ask(&mut rank.recorder, question),
            None => leave(),
        }
    }

    /// Reports the computation before the current call, for a question that comes before the call.
    pub fn report_computation(&mut self) {
        if let Some(live) = &mut self.rank.live
            && live.computation.is_measured()
        {
            live.report_computation(live.before());
        }
    }

    /// The current call is a poll that found nothing.
    pub fn set_failed_poll(&mut self) {
        if let Some(live) = &mut self.rank.live {
            live.is_failed_poll = true;
            self.before = live.before();
        }
    }
}
