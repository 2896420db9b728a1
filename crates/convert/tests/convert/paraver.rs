//! Paraver exports, read by a strict parser written from BSC's description of the format.

use std::collections::{BTreeMap, BTreeSet};

use panto_convert::paraver;
use panto_timeline::Timeline;

use crate::support::folder;
use crate::timelines::{extremes, halo, small};

#[derive(Default)]
struct Totals {
    /// Nanoseconds by (task, state).
    states: BTreeMap<(u64, u64), u64>,
    messages: u64,
    threads: u64,
}

/// Parses `nodes(cpus):applications:tasks(threads:node,...)`, and the end of the trace.
fn header(line: &str) -> (u64, u64, Vec<u64>) {
    let rest = line.strip_prefix("#Paraver (01/01/2000 at 00:00):").expect("the header");
    let (end, rest) = rest.split_once("_ns:1(").expect("the end, and one node");
    let (cpus, rest) = rest.split_once("):1:").expect("processors, and one application");
    let (tasks, rest) = rest.split_once('(').expect("tasks");
    let list = rest.strip_suffix(')').expect("the list of tasks");
    let number = |text: &str| text.parse::<u64>().unwrap_or_else(|_| panic!("{text}"));
    let threads = list.split(',').filter(|task| !task.is_empty());
    let threads: Vec<u64> = threads.map(|task| number(task.strip_suffix(":1").expect("on node 1"))).collect();
    assert_eq!(threads.len() as u64, number(tasks));
    assert_eq!(threads.iter().sum::<u64>(), number(cpus));
    (number(end), number(cpus), threads)
}

/// Returns the numbers below a heading of the `.pcf` file.
fn section(text: &str, heading: &str) -> BTreeSet<u64> {
    let lines = text.lines().skip_while(|line| *line != heading).skip(1);
    let lines = lines.take_while(|line| !line.is_empty() && *line != "VALUES");
    lines
        .map(|line| line.split("    ").next().and_then(|word| word.parse().ok()).expect("a number"))
        .collect()
}

fn values(text: &str, kind: u64) -> BTreeSet<u64> {
    let start = text.find(&format!("9    {kind}    ")).expect("the type of the event");
    section(&text[start..], "VALUES")
}

/// Checks the three files: objects exist, records are in time order, states do not overlap, calls
/// end, all numbers have names.
fn check(trace: &str, config: &str, rows: &str) -> Totals {
    let mut lines = trace.lines();
    let (end, cpus, threads) = header(lines.next().expect("a header"));
    assert!(rows.contains(&format!("LEVEL CPU SIZE {cpus}\n")), "{rows}");
    assert!(rows.contains(&format!("LEVEL THREAD SIZE {cpus}\n")), "{rows}");
    assert_eq!(rows.lines().filter(|line| line.starts_with("rank ")).count() as u64, cpus);
    let named = section(config, "STATES");
    assert_eq!(named, section(config, "STATES_COLOR"));
    let mut totals = Totals { threads: cpus, ..Totals::default() };
    let (mut last, mut until, mut inside) = (0, BTreeMap::new(), BTreeMap::new());
    for line in lines {
        let fields: Vec<u64> = line.split(':').map(|word| word.parse().expect("a number")).collect();
        let object = |at: usize| {
            let [cpu, application, task, thread] = fields[at..at + 4] else { panic!("{line}") };
            assert!(application == 1 && (1..=cpus).contains(&cpu), "{line}");
            assert!((1..=threads[task as usize - 1]).contains(&thread), "{line}");
            (task, thread)
        };
        assert!(fields[5] >= last && fields[5] <= end, "{line} after {last}");
        last = fields[5];
        match fields[..] {
            [1, _, _, task, _, from, to, state] => {
                let before = until.insert(object(1), to).unwrap_or(0);
                assert!(
                    before <= from && from < to && to <= end,
                    "{line}: the previous state ends at {before}"
                );
                assert!(named.contains(&state), "{line}");
                *totals.states.entry((task, state)).or_default() += to - from;
            }
            [2, .., kind, value] => {
                assert!(values(config, kind).contains(&value), "{line}");
                let before: u64 = inside.insert((object(1), kind), value).unwrap_or(0);
                assert_ne!(before == 0, value == 0, "{line}: a call begins, and then it ends");
            }
            [3, .., bytes, tag] => {
                assert_eq!(fields.len(), 15, "{line}");
                object(1);
                object(7);
                assert!(fields[5] == fields[6] && fields[6] <= fields[12], "{line}");
                assert!(fields[12] <= fields[11] && fields[11] <= end, "{line}");
                assert!(bytes > 0 || tag > 0, "{line}");
                totals.messages += 1;
            }
            _ => panic!("{line}"),
        }
    }
    assert!(inside.values().all(|value| *value == 0), "every call ends");
    totals
}

fn written(timeline: &Timeline) -> Totals {
    let folder = folder();
    let target = folder.path().join("out.prv");
    let exported = paraver::write(timeline, &target).unwrap_or_else(|error| panic!("{error}"));
    let [trace, config, rows] =
        paraver::files(&target).map(|path| std::fs::read_to_string(path).expect("text"));
    assert_eq!(exported.operations as usize, trace.lines().count() - 1);
    check(&trace, &config, &rows)
}

#[test]
fn paraver_matches_the_timeline() {
    let folder = folder();
    let timeline = halo(folder.path(), 4, 20);
    let totals = written(&timeline);
    assert_eq!(totals.messages, timeline.counts().1);
    for (task, sum) in (1..).zip(timeline.summary().expect("a valid timeline").ranks()) {
        for (state, time) in [(1, sum.compute), (24, sum.message), (3, sum.wait)] {
            let found = totals.states.get(&(task, state)).copied().unwrap_or(0);
            // Each end is rounded down to a nanosecond.
            assert!(found.abs_diff(time.as_picos() / 1000) <= sum.states, "task {task}, state {state}");
        }
    }
}

#[test]
fn paraver_handles_helpers_and_extreme_timelines() {
    let folder = folder();
    let totals = written(&small(folder.path()));
    assert_eq!((totals.threads, totals.messages), (3, 4));
    for timeline in extremes(folder.path()) {
        written(&timeline);
    }
}
