//! The times of all steps, if operations took a known time.

use panto_transport::Time;

use crate::scenario::language::Form;
use crate::scenario::script::{Instruction, Planned, Script};

/// Default time of an operation in the diagram.
const DEFAULT_TIME: Time = Time::from_nanos(20_000);

/// State of a participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activity {
    Late,
    Computing,
    Waiting,
}

/// One participant in the diagram.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Row {
    pub start: Time,
    pub stop: Time,
    pub parts: Vec<(Time, Time, Activity)>,
    /// Start of a load.
    pub load: Option<Time>,
}

/// All that is drawn.
pub(super) struct Diagram {
    pub rows: Vec<Row>,
    /// For each operation, from the first issue to the end, once for each time it is issued.
    pub flights: Vec<Vec<(Time, Time)>>,
}

/// An operation that was issued by at least one participant.
struct Issue {
    operation: usize,
    first: Time,
    last: Time,
    by: usize,
}

/// Position of a participant in its script.
struct Cursor {
    acts: Vec<Instruction>,
    next: usize,
    now: Time,
    /// Operations that it has issued.
    issued: usize,
    /// For each of its operations in flight, the index among all issues.
    in_flight: Vec<usize>,
    row: Row,
}

struct Stage<'s> {
    operations: &'s [Planned],
    ranks: usize,
    takes: Time,
    issues: Vec<Issue>,
}

/// Runs a script. Every participant proceeds until it needs the end of an operation, which is known
/// when all have issued it.
pub(super) fn play(script: &Script<'_>, ranks: usize) -> Diagram {
    let acts: Vec<Vec<Instruction>> = (0..ranks).map(|rank| script.instructions(rank)).collect();
    let operations = &script.operations;
    let mut stage = Stage { operations, ranks, takes: length(&acts), issues: Vec::new() };
    let player = |acts| Cursor {
        acts,
        next: 0,
        now: Time::ZERO,
        issued: 0,
        in_flight: vec![usize::MAX; operations.len()],
        row: Row::default(),
    };
    let mut players: Vec<Cursor> = acts.into_iter().map(player).collect();
    loop {
        let before: usize = players.iter().map(|player| player.next).sum();
        for player in &mut players {
            while stage.step(player) {}
        }
        if players.iter().map(|player| player.next).sum::<usize>() == before {
            break;
        }
    }
    let mut flights = vec![Vec::new(); operations.len()];
    for issue in &stage.issues {
        flights[issue.operation].push((issue.first, issue.last + stage.takes));
    }
    Diagram { rows: players.into_iter().map(|player| player.row).collect(), flights }
}

/// Returns a time at which all parts are visible: longer than what is computed meanwhile, shorter
/// than a delay.
fn length(acts: &[Vec<Instruction>]) -> Time {
    let longest = |pick: fn(&Instruction) -> Option<Time>| {
        acts.iter().flatten().filter_map(pick).max().unwrap_or_default()
    };
    let computation =
        longest(|act| if let Instruction::Comp(time) = act { Some(*time) } else { None }).as_picos();
    let delay = longest(|act| if let Instruction::Delay(time) = act { Some(*time) } else { None }).as_picos();
    match (computation, delay) {
        (0, 0) => DEFAULT_TIME,
        (0, delay) => Time::from_picos(delay / 2),
        (computation, _) => Time::from_picos(computation.saturating_mul(3) / 2),
    }
}

impl Stage<'_> {
    /// Runs one step, if the participant can proceed.
    fn step(&mut self, player: &mut Cursor) -> bool {
        let Some(act) = player.acts.get(player.next).copied() else { return false };
        match act {
            Instruction::Start => player.row.start = player.now,
            Instruction::Stop => player.row.stop = player.now,
            Instruction::Delay(time) => player.spend(time, Activity::Late),
            Instruction::Comp(time) => player.spend(time, Activity::Computing),
            Instruction::Load(_) => player.row.load = player.row.load.or(Some(player.now)),
            Instruction::Issue(operation) => {
                // A blocking call returns when it is complete: what was issued before is looked up
                // again.
                if player.in_flight[operation] == usize::MAX {
                    self.issue(player, operation);
                }
                if self.operations[operation].form == Form::Blocking && !self.wait(player, operation) {
                    return false;
                }
            }
            Instruction::Sync(operation) => {
                let blocking = self.operations[operation].form == Form::Blocking;
                if !blocking && !self.wait(player, operation) {
                    return false;
                }
                player.in_flight[operation] = usize::MAX;
            }
        }
        player.next += 1;
        true
    }

    fn issue(&mut self, player: &mut Cursor, operation: usize) {
        let (number, now) = (player.issued, player.now);
        if number == self.issues.len() {
            self.issues.push(Issue { operation, first: now, last: now, by: 0 });
        }
        let issue = &mut self.issues[number];
        (issue.first, issue.last, issue.by) = (issue.first.min(now), issue.last.max(now), issue.by + 1);
        player.in_flight[operation] = number;
        player.issued += 1;
    }

    /// Returns false if the end of the operation is still unknown.
    fn wait(&self, player: &mut Cursor, operation: usize) -> bool {
        let issue = &self.issues[player.in_flight[operation]];
        if issue.by < self.ranks {
            return false;
        }
        player.spend((issue.last + self.takes).since(player.now), Activity::Waiting);
        true
    }
}

impl Cursor {
    fn spend(&mut self, time: Time, doing: Activity) {
        let end = self.now + time;
        if end > self.now {
            self.row.parts.push((self.now, end, doing));
        }
        self.now = end;
    }
}
