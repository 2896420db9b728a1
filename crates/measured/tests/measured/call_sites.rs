//! Call sites: where waits are and what causes them, and where two runs differ.

use std::path::Path;

use panto_measured::{Differences, WaitStates};
use panto_timeline::{Cause, State, StateKind, Timeline, TimelineInfo, Writer};
use panto_units::Time;

/// The calls of a run: two sends and a receive.
const SITES: [&str; 3] = ["left (a.c:1)", "right (a.c:2)", "main (a.c:9)"];

/// Writes a run of two ranks: rank 0 is in the first send for that many nanoseconds and then in the
/// second, in which it ends the wait of rank 1.
fn run(path: &Path, first: u64, has_sites: bool) -> Timeline {
    let calls = ["MPI_Send", "MPI_Send", "MPI_Recv"].map(str::to_owned).to_vec();
    let mut about = TimelineInfo { ranks: 2, calls, ..TimelineInfo::default() };
    if has_sites {
        about.set_sites(SITES.map(|site| Some(site.to_owned())));
    }
    let mut writer = Writer::create(path, &about).expect("writable");
    let at = Time::from_nanos;
    let send =
        |call, from, to| State { kind: StateKind::Message, call: Some(call), from: at(from), to: at(to) };
    writer.state(0, send(0, 0, first));
    writer.state(0, send(1, first, first + 50));
    let kind = StateKind::Wait(Some(Cause { rank: 0, at: at(first + 10) }));
    writer.state(1, State { kind, call: Some(2), from: at(0), to: at(first + 20) });
    writer.finish().expect("written");
    Timeline::open(path).expect("a timeline")
}

#[test]
fn waits_have_the_place_that_waits_and_the_place_that_causes_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let waits = WaitStates::of(&run(&folder.path().join("a.ptl"), 100, true)).expect("sound");
    let [wait] = &waits.states[..] else { panic!("{waits:?}") };
    assert_eq!((wait.call.as_str(), wait.site.as_deref()), ("MPI_Recv", Some(SITES[2])));
    assert_eq!(wait.cause_site.as_deref(), Some(SITES[1]));
    let plain = WaitStates::of(&run(&folder.path().join("b.ptl"), 100, false)).expect("sound");
    assert_eq!((&plain.states[0].site, &plain.states[0].cause_site), (&None, &None));
}

#[test]
fn runs_are_compared_by_call_site_if_both_have_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    let old = run(&file("old.ptl"), 100, true);
    let compare = |new: Timeline| {
        let differences = Differences::of(&old, &new).expect("runs of one program");
        let rows = differences.functions.into_iter();
        rows.map(|row| {
            let by = (row.seconds() * 1e9).round();
            (row.call.unwrap_or_default(), row.site, by, row.ranks.len())
        })
        .collect::<Vec<_>>()
    };
    let row = |call: &str, site: usize, by: f64| (call.to_owned(), Some(SITES[site].to_owned()), by, 1);
    let with = compare(run(&file("new.ptl"), 400, true));
    let mut first_two = with[..2].to_vec();
    first_two.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(first_two, [row("MPI_Recv", 2, 300.0), row("MPI_Send", 0, 300.0)]);
    assert_eq!(with[2..], [row("MPI_Send", 1, 0.0)]);
    let without = compare(run(&file("plain.ptl"), 400, false));
    assert_eq!(without.len(), 2);
    assert!(
        without.iter().all(|(_, site, by, _)| site.is_none() && (by - 300.0).abs() < 1e-9),
        "{without:?}"
    );
}
