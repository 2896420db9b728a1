//! Real processes in the virtual time of a simulated machine (P5, P21, P24).
//!
//! The ranks of a job report their calls through shared memory ([`panto_coupling`]), and this end
//! simulates them as they come ([`panto_sim::replay::Online`]) and answers what depends on virtual
//! time. Ranks that ask nothing run ahead; their calls wait in memory up to a bound.

use std::fmt;
use std::time::{Duration, Instant};

use panto_coupling::message::{self, Kind};
use panto_coupling::{Hub, WaitOutcome};
use panto_sim::replay::{Inquiry, Online, OnlineError};
use panto_trace::{Action, Comm, Field, MOST_CONSTANTS, Name};
use panto_units::Time;

use crate::case::Case;

/// Operations of a rank that wait to be simulated, above which no more are taken: 16 MiB.
const MAX_BACKLOG: usize = 1 << 20;

/// Messages of a rank that are taken in a row, so that no rank waits long for the others.
const MAX_IN_A_ROW: usize = 1_024;

/// How long the simulation sleeps at most before it looks whether the job still runs.
const PATIENCE: Duration = Duration::from_millis(50);

/// How long no rank may compute or call before the user is notified.
const LONG_SILENCE: Duration = Duration::from_secs(20);

/// How long the launcher has to end a job of which a rank is gone.
const LONG_GONE: Duration = Duration::from_secs(3);

/// Why a run in virtual time ended too early.
#[derive(Debug)]
pub enum CoupledFailure {
    /// A rank made a call that cannot be run in virtual time.
    Refused {
        /// The rank.
        rank: u32,
        /// The function, and why.
        reason: String,
    },
    /// The simulation cannot continue: a deadlock, or a call that cannot be simulated.
    Simulation(OnlineError),
    /// A rank reported something that makes no sense.
    Nonsense {
        /// The rank.
        rank: u32,
        /// What is wrong.
        reason: &'static str,
    },
    /// A process ended before its rank had finalised MPI, and the job did not.
    Gone {
        /// The rank.
        rank: u32,
    },
    /// A rank makes a communicator, and the ranks that it waits for never do.
    Held {
        /// The rank.
        rank: u32,
    },
    /// The job ended before all ranks had finalised MPI.
    Ended,
}

impl fmt::Display for CoupledFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { rank, reason } => write!(f, "rank {rank}, {reason}"),
            Self::Simulation(error) => error.fmt(f),
            Self::Nonsense { rank, reason } => {
                write!(f, "rank {rank}: {reason}; the program may have overwritten memory")
            }
            Self::Gone { rank } => {
                write!(f, "rank {rank} has ended without MPI_Finalize, and the others wait for it")
            }
            Self::Held { rank } => write!(
                f,
                "deadlock: rank {rank} waits in MPI_Comm_create_group or MPI_Intercomm_create for ranks that \
                 do not call it, and no other rank can proceed"
            ),
            Self::Ended => f.write_str("the program ended before all ranks had called MPI_Finalize"),
        }
    }
}

impl std::error::Error for CoupledFailure {}

impl From<OnlineError> for CoupledFailure {
    fn from(error: OnlineError) -> Self {
        Self::Simulation(error)
    }
}

/// A job while it runs.
pub struct CoupledRun<'a> {
    hub: &'a mut Hub,
    online: Online<'a>,
    /// Whether each rank waits for a reply.
    asks: Vec<bool>,
    has_ended: Vec<bool>,
    /// Whether a rank has called `MPI_Abort`: the job is about to end.
    is_aborted: bool,
    /// A process that was found to be gone, and when.
    gone: Option<(u32, Instant)>,
    words: Vec<u64>,
    bytes: Vec<u8>,
}

impl<'a> CoupledRun<'a> {
    /// Couples a job of `ranks` ranks to a machine.
    pub fn new(hub: &'a mut Hub, case: &'a Case, ranks: u32) -> Self {
        let config = case.run_config(None);
        for rank in 0..ranks {
            hub.set_speed(rank, config.compute_scale(rank).speed());
        }
        let online = Online::new(config, ranks);
        let none = vec![false; ranks as usize];
        Self {
            hub,
            online,
            asks: none.clone(),
            has_ended: none,
            is_aborted: false,
            gone: None,
            words: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Simulates until all ranks have ended; returns the end of each. `has_ended` returns whether
    /// the job has, and `notify` gets what the user should know meanwhile.
    pub fn serve(
        mut self,
        has_ended: impl Fn() -> bool,
        mut notify: impl FnMut(&str),
    ) -> Result<Vec<Time>, CoupledFailure> {
        let ranks = self.asks.len() as u32;
        let mut silence = Silence::new();
        loop {
            // Looked at before messages are taken: what a rank wrote before its end is not lost.
            let is_last = has_ended();
            let mut is_busy = self.take_all()?;
            self.online.run()?;
            is_busy |= self.reply_all();
            if self.online.is_done() {
                return Ok((0..ranks).map(|rank| self.online.clock(rank)).collect());
            }
            if is_busy {
                silence = Silence::new();
                continue;
            }
            let deadlock = if self.is_aborted { None } else { self.online.deadlock() };
            if let Some(deadlock) = deadlock {
                return Err(deadlock.into());
            }
            if is_last {
                return Err(CoupledFailure::Ended);
            }
            let waited = self.hub.wait(PATIENCE, || {
                (0..ranks).any(|rank| self.is_awaited(rank) && self.hub.has_message(rank))
            });
            if waited == WaitOutcome::Timeout {
                if let Some(rank) = self.gone_for_long() {
                    return Err(CoupledFailure::Gone { rank });
                }
                if let Some(rank) = self.held_for_long(silence.since) {
                    return Err(CoupledFailure::Held { rank });
                }
            }
            if silence.is_long(|| self.processor_time()) {
                notify(&self.describe_silence());
            }
        }
    }

    /// Returns whether messages of a rank are taken now.
    fn is_awaited(&self, rank: u32) -> bool {
        let index = rank as usize;
        !self.asks[index] && !self.has_ended[index] && self.online.backlog(rank) < MAX_BACKLOG
    }

    /// Takes the messages of all ranks; returns whether there were any.
    fn take_all(&mut self) -> Result<bool, CoupledFailure> {
        let mut is_busy = false;
        for rank in 0..self.asks.len() as u32 {
            for _ in 0..MAX_IN_A_ROW {
                if !self.is_awaited(rank) || !self.take(rank)? {
                    break;
                }
                is_busy = true;
            }
        }
        Ok(is_busy)
    }

    /// Takes the next message of a rank; returns false if there is none.
    fn take(&mut self, rank: u32) -> Result<bool, CoupledFailure> {
        let nonsense = |reason| CoupledFailure::Nonsense { rank, reason };
        let Some((kind, words)) = self.hub.take(rank).map_err(nonsense)? else { return Ok(false) };
        let online = &mut self.online;
        match kind {
            Kind::Define => {
                self.bytes.clear();
                message::take_bytes(words, &mut self.bytes).ok_or(nonsense("incomplete definitions"))?;
                online.define(rank, &self.bytes)?;
            }
            Kind::Call => report_call(online, rank, words)?.ok_or(nonsense("an unknown call"))?,
            Kind::Compute => {
                let nanos = words.first().copied().unwrap_or(0);
                online.compute(rank, Time::from_picos(nanos.saturating_mul(1_000)));
            }
            Kind::Ask => {
                let question = message::Question::take(words).ok_or(nonsense("an unknown question"))?;
                let inquiry = inquiry(question).ok_or(nonsense("a question about an unknown rank"))?;
                online.ask(rank, &inquiry)?;
                self.asks[rank as usize] = true;
            }
            Kind::Hold => online.hold(rank),
            Kind::End => {
                online.end(rank);
                self.has_ended[rank as usize] = true;
            }
            Kind::Abort => {
                self.is_aborted = true;
                self.has_ended[rank as usize] = true;
            }
            Kind::Refuse => {
                self.bytes.clear();
                message::take_bytes(words, &mut self.bytes).ok_or(nonsense("an incomplete reason"))?;
                let reason = String::from_utf8_lossy(&self.bytes).into_owned();
                return Err(CoupledFailure::Refused { rank, reason });
            }
        }
        Ok(true)
    }

    /// Passes replies on; returns whether there were any.
    fn reply_all(&mut self) -> bool {
        let mut is_busy = false;
        while let Some((rank, reply)) = self.online.next_reply() {
            self.words.clear();
            message::put_reply(&mut self.words, &reply);
            self.words.truncate(message::MAX_REPLY);
            self.asks[rank as usize] = false;
            self.hub.reply(rank, &self.words);
            is_busy = true;
        }
        is_busy
    }

    /// Returns a rank whose process has been gone for some time without `MPI_Finalize`. Launchers
    /// end the other ranks then, or not.
    fn gone_for_long(&mut self) -> Option<u32> {
        let is_gone = |rank: &u32| {
            let process = self.hub.process(*rank).filter(|_| !self.has_ended[*rank as usize]);
            process.is_some_and(|process| ticks_of(process).is_none())
        };
        let Some(rank) = (0..self.asks.len() as u32).find(is_gone) else {
            self.gone = None;
            return None;
        };
        let (known, since) = *self.gone.get_or_insert((rank, Instant::now()));
        (since.elapsed() > LONG_GONE).then_some(known)
    }

    /// After some time without a message: if a rank waits for a reply, lets it overtake those that
    /// are held. Returns one that is held if all others wait, too, and have for long.
    fn held_for_long(&mut self, since: Instant) -> Option<u32> {
        let held = self.online.held()?;
        let ranks = 0..self.asks.len() as u32;
        let waits = |rank: u32| !self.has_ended[rank as usize] && !self.is_awaited(rank);
        if ranks.into_iter().any(waits) && self.online.overtake_held() {
            return None;
        }
        (!self.online.has_starved() && since.elapsed() > LONG_GONE).then_some(held)
    }

    /// Returns the processor time that all processes of the job have used, in clock ticks.
    fn processor_time(&self) -> u64 {
        let ranks = 0..self.asks.len() as u32;
        ranks.filter_map(|rank| self.hub.process(rank)).filter_map(ticks_of).sum()
    }

    fn describe_silence(&self) -> String {
        let silent = (0..self.asks.len() as u32).filter(|rank| self.online.is_starved(*rank));
        let ranks: Vec<String> = silent.take(4).map(|rank| rank.to_string()).collect();
        format!(
            "no rank has computed or called MPI for {} s; the simulation waits for the next call of rank {}",
            LONG_SILENCE.as_secs(),
            ranks.join(", ")
        )
    }
}

/// Passes a call on; `None` if its words make no sense.
fn report_call(online: &mut Online<'_>, rank: u32, words: &[u64]) -> Result<Option<()>, CoupledFailure> {
    let Some((&[name, kind, before], parts)) = words.split_first_chunk() else { return Ok(None) };
    let (Ok(name), Some(kind)) = (u32::try_from(name), panto_trace::Kind::get(kind as i64)) else {
        return Ok(None);
    };
    let parts: Vec<i64> = parts.iter().map(|part| *part as i64).collect();
    let Some((own, values)) = parts.split_at_checked(kind.constants()) else { return Ok(None) };
    let mut constants = [0; MOST_CONSTANTS];
    constants[..own.len()].copy_from_slice(own);
    let Some(action) = Action::join(kind, &constants, values) else { return Ok(None) };
    let before = Time::from_picos(before.saturating_mul(1_000));
    online.call(rank, Name(name), &action, before)?;
    Ok(Some(()))
}

fn inquiry(question: message::Question) -> Option<Inquiry> {
    Some(match question {
        message::Question::Clock => Inquiry::Clock,
        message::Question::Test(kind, requests) => Inquiry::Test(kind, requests),
        message::Question::Cancel(request) => Inquiry::Cancel(request),
        message::Question::Probe { comm, from, tag } => {
            Inquiry::Probe { comm: Comm(comm), from: Field::get(from)?, tag }
        }
    })
}

/// A time without messages, in which ranks may compute.
struct Silence {
    since: Instant,
    ticks: Option<u64>,
}

impl Silence {
    fn new() -> Self {
        Self { since: Instant::now(), ticks: None }
    }

    /// Returns whether it has become long, and no rank has computed: once.
    fn is_long(&mut self, ticks: impl Fn() -> u64) -> bool {
        if self.since.elapsed() < LONG_SILENCE {
            return false;
        }
        let now = ticks();
        let computed = self.ticks.replace(now).map(|before| now.saturating_sub(before));
        self.since = Instant::now();
        // 5 % of the time: 100 ticks are a second. Ranks that wait in MPI poll now and then.
        computed.is_some_and(|ticks| ticks < LONG_SILENCE.as_secs() * 5)
    }
}

/// Returns the processor time of a process, in clock ticks; `None` if it has ended.
fn ticks_of(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may contain spaces; the times are fields 14 and 15 of the line.
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    // Its parent has not yet noticed the end of a zombie.
    fields.next().filter(|state| *state != "Z")?;
    let mut fields = fields.skip(10);
    let mut time = || fields.next()?.parse::<u64>().ok();
    Some(time()? + time()?)
}
