//! When everybody does what, if operations took a known time.

use panto_transport::Time;

use crate::scenario::language::Form;
use crate::scenario::script::{Act, Planned, Script};

/// What an operation takes in the diagram where no other time is known.
const USUAL: Time = Time::from_nanos(20_000);

/// What a participant is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    Late,
    Computing,
    Waiting,
}

/// One participant in the diagram.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Row {
    pub start: Time,
    pub stop: Time,
    pub parts: Vec<(Time, Time, Doing)>,
    /// When a load began.
    pub load: Option<Time>,
}

/// All that is drawn.
pub(super) struct Picture {
    pub rows: Vec<Row>,
    /// For each operation, from the first issue to the end, as often as it is issued.
    pub flights: Vec<Vec<(Time, Time)>>,
}

/// An operation that somebody has issued.
struct Issue {
    operation: usize,
    first: Time,
    last: Time,
    by: usize,
}

/// Where a participant is.
struct Player {
    acts: Vec<Act>,
    next: usize,
    now: Time,
    /// How many operations it has issued.
    issued: usize,
    /// For each operation that it has in flight, the how manieth of all that is.
    flying: Vec<usize>,
    row: Row,
}

struct Stage<'s> {
    operations: &'s [Planned],
    ranks: usize,
    takes: Time,
    issues: Vec<Issue>,
}

/// Plays a script. Everybody goes on until it must know when an operation ends, which is known when all have issued it.
pub(super) fn play(script: &Script<'_>, ranks: usize) -> Picture {
    let acts: Vec<Vec<Act>> = (0..ranks).map(|rank| script.acts(rank)).collect();
    let operations = &script.operations;
    let mut stage = Stage { operations, ranks, takes: length(&acts), issues: Vec::new() };
    let player = |acts| Player {
        acts,
        next: 0,
        now: Time::ZERO,
        issued: 0,
        flying: vec![usize::MAX; operations.len()],
        row: Row::default(),
    };
    let mut players: Vec<Player> = acts.into_iter().map(player).collect();
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
    Picture { rows: players.into_iter().map(|player| player.row).collect(), flights }
}

/// So that all parts can be seen: longer than what is computed meanwhile, shorter than a delay.
fn length(acts: &[Vec<Act>]) -> Time {
    let longest =
        |pick: fn(&Act) -> Option<Time>| acts.iter().flatten().filter_map(pick).max().unwrap_or_default();
    let computation = longest(|act| if let Act::Comp(time) = act { Some(*time) } else { None }).as_picos();
    let delay = longest(|act| if let Act::Delay(time) = act { Some(*time) } else { None }).as_picos();
    match (computation, delay) {
        (0, 0) => USUAL,
        (0, delay) => Time::from_picos(delay / 2),
        (computation, _) => Time::from_picos(computation.saturating_mul(3) / 2),
    }
}

impl Stage<'_> {
    /// One act, if the participant can go on.
    fn step(&mut self, player: &mut Player) -> bool {
        let Some(act) = player.acts.get(player.next).copied() else { return false };
        match act {
            Act::Start => player.row.start = player.now,
            Act::Stop => player.row.stop = player.now,
            Act::Delay(time) => player.spend(time, Doing::Late),
            Act::Comp(time) => player.spend(time, Doing::Computing),
            Act::Load(_) => player.row.load = player.row.load.or(Some(player.now)),
            Act::Issue(operation) => {
                // A blocking call is left when it is over: what was issued before is looked up again.
                if player.flying[operation] == usize::MAX {
                    self.issue(player, operation);
                }
                if self.operations[operation].form == Form::Blocking && !self.wait(player, operation) {
                    return false;
                }
            }
            Act::Sync(operation) => {
                let blocking = self.operations[operation].form == Form::Blocking;
                if !blocking && !self.wait(player, operation) {
                    return false;
                }
                player.flying[operation] = usize::MAX;
            }
        }
        player.next += 1;
        true
    }

    fn issue(&mut self, player: &mut Player, operation: usize) {
        let (number, now) = (player.issued, player.now);
        if number == self.issues.len() {
            self.issues.push(Issue { operation, first: now, last: now, by: 0 });
        }
        let issue = &mut self.issues[number];
        (issue.first, issue.last, issue.by) = (issue.first.min(now), issue.last.max(now), issue.by + 1);
        player.flying[operation] = number;
        player.issued += 1;
    }

    /// False if it is not known yet when the operation ends.
    fn wait(&self, player: &mut Player, operation: usize) -> bool {
        let issue = &self.issues[player.flying[operation]];
        if issue.by < self.ranks {
            return false;
        }
        player.spend((issue.last + self.takes).since(player.now), Doing::Waiting);
        true
    }
}

impl Player {
    fn spend(&mut self, time: Time, doing: Doing) {
        let end = self.now + time;
        if end > self.now {
            self.row.parts.push((self.now, end, doing));
        }
        self.now = end;
    }
}
