//! Validation of a scenario before anything runs.

use super::{Action, Form, Group, Scenario, Step, flat};
use crate::error::Result;

/// Most steps of a participant, repetitions included.
const MAX_STEPS: u64 = 100_000;

/// Checks all that does not depend on the number of participants.
pub(in super::super) fn check(scenario: &Scenario) -> Result<()> {
    if scenario.groups.is_empty() {
        return Err(scenario.wrong(1, "no participants; add a group of [[participants]]"));
    }
    for group in &scenario.groups {
        length(scenario, group)?;
        clocks(scenario, group)?;
        flights(scenario, group)?;
    }
    orders(scenario)
}

fn length(scenario: &Scenario, group: &Group) -> Result<()> {
    fn steps(list: &[Step]) -> u64 {
        let one = |step: &Step| match &step.action {
            Action::Repeat(times, inner) => times.saturating_mul(steps(inner)),
            _ => 1,
        };
        list.iter().fold(0, |sum: u64, step| sum.saturating_add(one(step)))
    }
    if steps(&group.steps) <= MAX_STEPS {
        return Ok(());
    }
    Err(scenario.wrong(group.line, format!("these are more than {MAX_STEPS} actions; repeat fewer times")))
}

/// Checks that each participant starts its clock once and stops it once (S7), and that nothing
/// timed lies outside.
fn clocks(scenario: &Scenario, group: &Group) -> Result<()> {
    let wrong = |step: &Step, what: &str| Err(scenario.wrong(step.line, what));
    let (mut started, mut stopped) = (false, false);
    for step in &group.steps {
        match &step.action {
            Action::Start if started => return wrong(step, "`start` comes twice; a participant starts once"),
            Action::Start => started = true,
            Action::Stop if stopped => return wrong(step, "`stop` comes twice; a participant stops once"),
            Action::Stop if !started => return wrong(step, "`stop` comes before `start`; put `start` first"),
            Action::Stop => stopped = true,
            _ if stopped => {
                return wrong(
                    step,
                    "an action stands behind `stop`, where nothing is timed; put `stop` last",
                );
            }
            Action::Delay(_) | Action::Load(_) => {}
            _ if !started => {
                return wrong(
                    step,
                    "before `start` there may be only `delay` and `load`; put `start` before this",
                );
            }
            Action::Repeat(_, inner) => {
                let once =
                    |step: &&Step| matches!(step.action, Action::Start | Action::Stop | Action::Load(_));
                if let Some(step) = flat(inner).find(once) {
                    return wrong(
                        step,
                        "`start`, `stop` and `load` cannot be repeated; put this outside of the list",
                    );
                }
            }
            Action::Comp(_) | Action::Issue(_) | Action::Sync(_) => {}
        }
    }
    let line = group.steps.last().map_or(group.line, |step| step.line);
    if !started {
        return Err(scenario.wrong(
            group.line,
            "missing `start`: these participants never start their clock; begin with `start`",
        ));
    }
    if !stopped {
        return Err(scenario
            .wrong(line, "missing `stop`: these participants never stop their clock; end with `stop`"));
    }
    Ok(())
}

/// Checks that every operation is issued, then waited for, then perhaps issued again.
fn flights(scenario: &Scenario, group: &Group) -> Result<()> {
    let mut issued: Vec<Option<usize>> = vec![None; scenario.operations.len()];
    fly(scenario, &group.steps, &mut issued)?;
    let pending = issued.iter().enumerate().find_map(|(operation, line)| line.map(|line| (operation, line)));
    let Some((operation, line)) = pending else { return Ok(()) };
    let call = scenario.call_of("issue", operation);
    let sync = scenario.call_of("sync", operation);
    Err(scenario.wrong(line, format!("`{call}` is never waited for; add `{sync}` behind it, before `stop`")))
}

fn fly(scenario: &Scenario, steps: &[Step], issued: &mut Vec<Option<usize>>) -> Result<()> {
    for step in steps {
        match &step.action {
            Action::Issue(operation) => {
                let call = scenario.call_of("issue", *operation);
                if let Some(line) = issued[*operation].replace(step.line) {
                    let sync = scenario.call_of("sync", *operation);
                    return Err(scenario.wrong(
                        step.line,
                        format!("`{call}`, but it is in flight since line {line}; put `{sync}` between, or describe another operation"),
                    ));
                }
            }
            Action::Sync(operation) => {
                let call = scenario.call_of("sync", *operation);
                if issued[*operation].take().is_none() {
                    let issue = scenario.call_of("issue", *operation);
                    return Err(scenario
                        .wrong(step.line, format!("`{call}` without an issue; put `{issue}` before it")));
                }
            }
            Action::Delay(_) => not_while_blocking(scenario, step, issued)?,
            Action::Repeat(_, inner) => {
                let before = issued.clone();
                fly(scenario, inner, issued)?;
                if *issued != before {
                    return Err(scenario.wrong(
                        step.line,
                        "what is repeated must leave as many operations in flight as it found; keep each `issue` and its `sync` in one list",
                    ));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that a participant has no step within a blocking call.
fn not_while_blocking(scenario: &Scenario, step: &Step, issued: &[Option<usize>]) -> Result<()> {
    let blocks = |place: &usize| scenario.operations[*place].form == Some(Form::Blocking);
    let in_flight = (0..issued.len()).filter(|place| issued[*place].is_some());
    let Some(operation) = in_flight.into_iter().find(blocks) else { return Ok(()) };
    let name = &scenario.operations[operation].name;
    Err(scenario.wrong(
        step.line,
        format!("`delay` between issue and sync of `{name}`, which blocks: it is over by then; put the delay before the issue, or use call = \"non-blocking\""),
    ))
}

/// Checks that all participants issue the same operations in the same order, and wait for them in
/// the same order: otherwise they deadlock.
fn orders(scenario: &Scenario) -> Result<()> {
    let Some((first, others)) = scenario.groups.split_first() else { return Ok(()) };
    let expected = calls(&first.steps);
    for group in others {
        let found = calls(&group.steps);
        let differs = (0..expected.len().max(found.len())).find(|&place| {
            let kind = |calls: &[Called]| calls.get(place).map(|call| (call.issues, call.operation));
            kind(&expected) != kind(&found)
        });
        let Some(place) = differs else { continue };
        let words = |calls: &[Called]| {
            calls.get(place).map_or_else(
                || "nothing more".to_owned(),
                |call| {
                    format!(
                        "`{}`",
                        scenario.call_of(if call.issues { "issue" } else { "sync" }, call.operation)
                    )
                },
            )
        };
        let line = found.get(place).or(found.last()).map_or(group.line, |call| call.line);
        return Err(scenario.wrong(
            line,
            format!(
                "these participants come to {} where those of line {} come to {}: this would deadlock; use the same \
                 operations in the same order everywhere",
                words(&found),
                first.line,
                words(&expected)
            ),
        ));
    }
    Ok(())
}

struct Called {
    issues: bool,
    operation: usize,
    line: usize,
}

/// Returns issues and syncs in order, repeated ones as often as they occur.
fn calls(steps: &[Step]) -> Vec<Called> {
    let mut calls = Vec::new();
    for step in steps {
        match &step.action {
            Action::Issue(operation) => {
                calls.push(Called { issues: true, operation: *operation, line: step.line });
            }
            Action::Sync(operation) => {
                calls.push(Called { issues: false, operation: *operation, line: step.line });
            }
            Action::Repeat(times, inner) => (0..*times).for_each(|_| calls.extend(self::calls(inner))),
            _ => {}
        }
    }
    calls
}

impl Scenario {
    /// Formats `issue(a)`, or `issue` if there is only one operation.
    pub(in super::super) fn call_of(&self, what: &str, operation: usize) -> String {
        let name = &self.operations[operation].name;
        if self.operations.len() == 1 && self.operations[0].line == 0 {
            what.to_owned()
        } else {
            format!("{what}({name})")
        }
    }
}
