//! A scenario in words.

use panto_results::scenario::CollectiveCall;

use super::language::{Action, Group, Participants, Peer, Scenario, Step};

/// Returns the steps of each group, one line each, and the operations.
pub fn describe(scenario: &Scenario) -> Vec<String> {
    let mut lines: Vec<String> = scenario.groups.iter().map(|group| in_words(scenario, group)).collect();
    lines.extend(scenario.operations.iter().filter(|operation| operation.line > 0).map(|operation| {
        let call = operation.collective.map_or_else(|| "$collective".into(), |call| call.to_string());
        let moves = operation.collective.is_none_or(CollectiveCall::has_data);
        let size = operation.bytes.map_or_else(|| "$size".into(), panto_units::bytes);
        let size = if moves { format!(" of {size}") } else { String::new() };
        let root = if operation.root == Participants::First {
            String::new()
        } else {
            format!(", root {}", operation.root)
        };
        let form = operation.form.map_or_else(String::new, |form| format!(", {form}"));
        format!("{} is {call}{size}{root}{form}", operation.name)
    }));
    lines
}

fn in_words(scenario: &Scenario, group: &Group) -> String {
    let who: Vec<String> = group.who.iter().map(Participants::to_string).collect();
    format!("{}: {}", who.join(", "), sentence(scenario, &group.steps))
}

fn sentence(scenario: &Scenario, steps: &[Step]) -> String {
    steps.iter().map(|step| action(scenario, &step.action)).collect::<Vec<_>>().join(", ")
}

fn action(scenario: &Scenario, action: &Action) -> String {
    match action {
        Action::Start => "start".into(),
        Action::Stop => "stop".into(),
        Action::Delay(amount) => format!("wait for {amount}"),
        Action::Comp(amount) => format!("compute for {amount}"),
        Action::Issue(operation) => format!("issue {}", scenario.operations[*operation].name),
        Action::Sync(operation) => format!("wait for {}", scenario.operations[*operation].name),
        Action::Load(load) => {
            let size = load.bytes.map_or_else(|| "$size".into(), panto_units::bytes);
            let peer = match load.peer {
                Peer::Next => "the next participant",
                Peer::Previous => "the previous participant",
                Peer::Across => "the participant half of all ranks away",
            };
            let messages =
                if load.messages == 1 { "a message".into() } else { format!("{} messages", load.messages) };
            format!("start sending {messages} of {size} to {peer}")
        }
        Action::Repeat(times, inner) => format!("{times} times ({})", sentence(scenario, inner)),
    }
}
