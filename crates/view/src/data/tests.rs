//! Compares tiles with naive binning, and checks the critical path of a known timeline.

use std::path::PathBuf;

use panto_random::SplitMix64;
use panto_timeline::{Cause, Message, State, StateKind, TimelineInfo, Writer};
use panto_units::Time;
use tempfile::TempDir;

use super::layout::{BINS, TileKind};
use super::{Progress, Query, Selector, TileIndex, View, pack, path};

/// Writes a timeline with `states` states per rank, of all kinds and lengths, with gaps; and
/// messages.
fn scene(ranks: u32, states: u64) -> (TempDir, PathBuf, Vec<(u32, State)>, Vec<Message>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("scene.ptl");
    let about = TimelineInfo {
        ranks,
        calls: vec!["MPI_Recv".into()],
        message_kinds: vec!["message".into()],
        ..TimelineInfo::default()
    };
    let mut writer = Writer::create(&path, &about).expect("it can be written");
    let (mut all, mut messages, mut random) = (Vec::new(), Vec::new(), SplitMix64::new(7));
    for rank in 0..ranks {
        let mut clock = 1_000_000 + random.below(1000);
        for _ in 0..states {
            let from = clock + random.below(3) * random.below(500);
            let bits = random.below(14);
            clock = from + random.below(1 << bits);
            let cause = Cause { rank: random.below(u64::from(ranks)) as u32, at: Time::from_picos(from) };
            let what = [
                StateKind::Compute,
                StateKind::Message,
                StateKind::Combine,
                StateKind::Access,
                StateKind::Wait(Some(cause)),
            ];
            let what = what[random.below(5) as usize];
            let state = State {
                kind: what,
                call: Some(0),
                from: Time::from_picos(from),
                to: Time::from_picos(clock),
            };
            writer.state(rank, state);
            all.push((rank, state));
            let sent = clock + random.below(100);
            let arrived = sent + random.below(1 << bits);
            let [sent, arrived, received] =
                [sent, arrived, arrived + random.below(3000)].map(Time::from_picos);
            let to = random.below(u64::from(ranks)) as u32;
            let message = Message {
                from: rank,
                to,
                bytes: random.below(100),
                class: 3,
                kind: 0,
                sent,
                arrived,
                received,
            };
            writer.message(message);
            messages.push(message);
        }
    }
    writer.finish().expect("there is room");
    (folder, path, all, messages)
}

fn open(path: &std::path::Path) -> View {
    View::open(path, &Progress::default()).expect("a valid timeline")
}

fn tile(view: &View, query: Query) -> Vec<u8> {
    view.respond(&query).expect("a valid timeline").expect("there is such a tile").bytes
}

fn word(tile: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(tile[4 * at..4 * at + 4].try_into().expect("four bytes"))
}

fn float(tile: &[u8], at: usize) -> f32 {
    f32::from_bits(word(tile, at))
}

/// Returns the picoseconds of a state within a window.
fn overlap(from: u64, to: u64, begin: u64, end: u64) -> u64 {
    to.min(end).saturating_sub(from.max(begin))
}

#[test]
fn bins_match_naive_binning() {
    let (_folder, path, states, _) = scene(70, 600);
    let mut view = open(&path);
    let top = view.top();
    // First from the overview, then from the file; single lines and groups.
    for (is_kept, group, level, column) in [
        (true, 0, top, 0),
        (true, 3, top - 1, 0),
        (true, 7, top - 1, 0),
        (true, 7, top - 2, 1),
        (false, 0, top, 0),
        (false, 3, top - 1, 0),
        (false, 7, top - 2, 1),
    ] {
        if !is_kept {
            view.overview.grids.clear();
        }
        let tile_bytes = tile(&view, Query::States(TileIndex { group, level, row: 0, column }));
        assert_eq!(word(&tile_bytes, 0), TileKind::Bins as u32, "{group} {level}");
        let rows = word(&tile_bytes, 3) as usize;
        let first = word(&tile_bytes, 4);
        for at in 0..rows * BINS {
            let (own, bin) = (first + (at / BINS) as u32, (at % BINS) as u64);
            let begin = view.origin + ((column * BINS as u64 + bin) << level);
            let end = begin + (1 << level);
            let lines = (((own + 1) << group).min(70) - (own << group)) as f32;
            let mine = states.iter().filter(|(line, _)| line >> group == own);
            let inside = |state: &State| overlap(state.from.as_picos(), state.to.as_picos(), begin, end);
            let mut sums = [0; 5];
            let (mut starts, mut longest) = (0, 0);
            for (_, state) in mine {
                sums[super::states::kind(&state.kind)] += inside(state);
                starts += u32::from((begin..end).contains(&state.from.as_picos()));
                if inside(state) > 0 {
                    longest = longest.max(state.length().as_picos());
                }
            }
            for (kind, sum) in sums.into_iter().enumerate() {
                let share = 255.0 * sum as f32 / (lines * (1_u64 << level) as f32);
                let byte = f32::from(tile_bytes[48 + kind * rows * BINS + at]);
                assert!((byte - share).abs() <= 1.01, "{group} {level} {at}: {byte} for {share}");
            }
            let words = 12 + 5 * rows * BINS / 4;
            assert_eq!(word(&tile_bytes, words + at), starts, "{group} {level} {at}");
            assert!(float(&tile_bytes, words + rows * BINS + at) >= longest as f32, "{group} {level} {at}");
        }
    }
}

#[test]
fn few_states_are_individual() {
    let (_folder, path, states, _) = scene(3, 40);
    let view = open(&path);
    let bytes = tile(&view, Query::States(TileIndex { group: 0, level: view.top(), row: 0, column: 0 }));
    assert_eq!(word(&bytes, 0), TileKind::States as u32);
    let count = word(&bytes, 5) as usize;
    assert_eq!(count, states.len());
    let mut last = (u8::MAX, 0_u32);
    let rows = &bytes[bytes.len() - 2 * count..];
    for (at, (line, state)) in states.iter().enumerate() {
        assert_eq!(u32::from(rows[at]), *line);
        let before = if rows[at] == last.0 { last.1 } else { 0 };
        let from = word(&bytes, 12 + at).wrapping_add(before);
        let to = from + word(&bytes, 12 + count + at);
        assert_eq!(u64::from(from), state.from.as_picos() - view.origin);
        assert_eq!(u64::from(to), state.to.as_picos() - view.origin);
        last = (rows[at], to);
    }
}

#[test]
fn queues_match_naive_counting() {
    let (_folder, path, _, messages) = scene(40, 400);
    let view = open(&path);
    for (level, column) in [(view.top(), 0), (11, 2), (6, 40)] {
        let bytes = tile(&view, Query::Traffic { level, column });
        for bin in 0..BINS {
            let begin = view.origin + ((column * BINS as u64 + bin as u64) << level);
            let end = begin + (1 << level);
            let width = (1_u64 << level) as f64;
            let share =
                |from: Time, to: Time| overlap(from.as_picos(), to.as_picos(), begin, end) as f64 / width;
            let travelling: f64 = messages.iter().map(|each| share(each.sent, each.arrived)).sum();
            let waiting: f64 = messages.iter().map(|each| share(each.arrived, each.received)).sum();
            for (column, expected) in [travelling, waiting].into_iter().enumerate() {
                let found = f64::from(float(&bytes, 12 + column * BINS + bin));
                assert!(
                    (found - expected).abs() < 1e-3 * (1.0 + expected),
                    "{level} {bin}: {found} for {expected}"
                );
            }
        }
    }
}

#[test]
fn the_critical_path_follows_causes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("path.ptl");
    let mut writer = Writer::create(&file, &TimelineInfo { ranks: 2, ..TimelineInfo::default() })
        .expect("it can be written");
    let at = Time::from_picos;
    writer.state(0, State { kind: StateKind::Compute, call: None, from: at(0), to: at(50) });
    writer.state(1, State { kind: StateKind::Compute, call: None, from: at(0), to: at(20) });
    let cause = Some(Cause { rank: 0, at: at(50) });
    writer.state(1, State { kind: StateKind::Wait(cause), call: None, from: at(20), to: at(60) });
    writer.state(1, State { kind: StateKind::Compute, call: None, from: at(60), to: at(100) });
    writer.finish().expect("there is room");
    let parts = open(&file).overview.path;
    let part = |line, from, to| path::PathSegment { line, from, to };
    assert_eq!(parts, [part(0, 0, 50), part(1, 60, 100)]);
}

#[test]
fn a_page_is_complete_or_names_its_finest_level() {
    let (_folder, path, ..) = scene(70, 600);
    let views = [open(&path)];
    let whole = pack(&views, usize::MAX).expect("a valid timeline");
    assert!(whole.list.contains("\"finest\":null"));
    let some = pack(&views, 300_000).expect("a valid timeline");
    assert!(!some.list.contains("\"finest\":null"));
    assert!(some.bytes.len() < whole.bytes.len() / 4, "{} of {}", some.bytes.len(), whole.bytes.len());
}

#[test]
fn single_ranks_are_packed_only_if_all_fit() {
    let (_folder, path, ..) = scene(1100, 3);
    let views = [open(&path)];
    let has = |budget: usize| {
        let list = pack(&views, budget).expect("a valid timeline").list;
        (list.contains("\"single\":true"), list.contains("0/states/0/"))
    };
    assert_eq!(has(usize::MAX), (true, true));
    assert_eq!(has(200_000), (false, false), "what does not fit leaves nothing behind");
}

#[test]
fn occurrences_are_numbered_in_time_order() {
    let (_folder, path, states, _) = scene(20, 200);
    let view = open(&path);
    let since = |time: Time| time.as_picos() - view.origin;
    for kind in [0, 4] {
        let is_wanted = |(_, state): &&(u32, State)| super::states::kind(&state.kind) == kind;
        let moments = |(line, state): &(u32, State)| (since(state.from), *line, since(state.to));
        let mut expected: Vec<(u64, u32, u64)> = states.iter().filter(is_wanted).map(moments).collect();
        expected.sort_unstable();
        let find = |which: Selector| {
            let answer =
                view.respond(&Query::Occurrence { call: 1, kind, which }).expect("a valid timeline")?;
            let found: [u64; 4] = serde_json::from_slice(&answer.bytes).expect("four random");
            Some((found[0] as usize, (found[2], found[1] as u32, found[3])))
        };
        for (number, found) in expected.iter().enumerate() {
            assert_eq!(find(Selector::Number(number as u64)), Some((number, *found)));
        }
        assert_eq!(find(Selector::Number(expected.len() as u64)), None);
        let (from, line, _) = expected[expected.len() / 2];
        assert_eq!(
            find(Selector::From { line, at: from }).map(|found| found.1),
            Some(expected[expected.len() / 2])
        );
        assert_eq!(find(Selector::From { line: 0, at: 0 }), Some((0, expected[0])));
        assert_eq!(find(Selector::From { line: 0, at: u64::MAX }), None);
    }
    let other = Query::Occurrence { call: 0, kind: 0, which: Selector::Number(0) };
    assert!(view.respond(&other).expect("a valid timeline").is_none(), "all states are in a call");
}

#[test]
fn queries_round_trip() {
    for text in [
        "meta",
        "summary",
        "states/0/12/3/4",
        "traffic/9/0",
        "occurrence/1/4/99",
        "occurrence/1/4/2/99",
        "profile",
        "queues/99",
        "totals/3/99",
        "near/3/99",
        "exchange/3/99/120",
    ] {
        assert_eq!(Query::parse(text).map(|query| query.key()).as_deref(), Some(text));
    }
    for text in ["", "../meta", "states/0/64/0/0", "states/64/1/0/0", "states/0/1/-1/0", "traffic/9", "meta/"]
    {
        assert_eq!(Query::parse(text), None, "{text}");
    }
}

#[test]
fn indices_out_of_range_have_no_tile() {
    let (_folder, path, ..) = scene(3, 4);
    let view = open(&path);
    for (group, level, row, column) in
        [(0, 0, 1, 0), (63, 0, 0, 0), (0, 63, 0, u64::MAX), (0, 60, 0, 1 << 40)]
    {
        assert!(
            view.respond(&Query::States(TileIndex { group, level, row, column }))
                .expect("a valid timeline")
                .is_none()
        );
    }
    assert!(view.respond(&Query::Traffic { level: 63, column: 1 }).expect("a valid timeline").is_none());
}

#[test]
fn neighbours_of_a_state_match_a_naive_search() {
    let (_folder, path, states, messages) = scene(3, 200);
    let view = open(&path);
    let since = |time: Time| time.as_picos() - view.origin;
    let ask = |query: Query| -> serde_json::Value {
        serde_json::from_slice(&view.respond(&query).expect("a valid timeline").expect("found").bytes)
            .expect("JSON")
    };
    for line in 0..3 {
        let mine: Vec<&State> = states
            .iter()
            .filter(|(rank, state)| *rank == line && state.from < state.to)
            .map(|(_, state)| state)
            .collect();
        for (place, state) in mine.iter().enumerate() {
            let found = ask(Query::Near { line, at: since(state.from) });
            let begin = |place: usize| mine.get(place).map(|state| since(state.from));
            let expected = [place.checked_sub(1).and_then(begin), begin(place), begin(place + 1)];
            assert_eq!([0, 1, 2].map(|at| found[at][2].as_u64()), expected, "line {line}, state {place}");
        }
        let (from, to) = (since(mine[3].from), since(mine[9].to));
        let expected = messages.iter().filter(|message| {
            let inside = |time| (from..=to).contains(&since(time));
            message.from == line && inside(message.sent)
                || message.to == line
                    && (inside(message.sent) || inside(message.arrived) || inside(message.received))
        });
        let found = ask(Query::Exchange { line, from, to });
        assert_eq!(found[0].as_array().map(Vec::len), Some(expected.count()), "line {line}");
        assert_eq!(found[1], true);
    }
    assert!(view.respond(&Query::Near { line: 3, at: 0 }).expect("a valid timeline").is_none());
    assert!(view.respond(&Query::Near { line: 2, at: u64::MAX }).expect("a valid timeline").is_some());
}

#[test]
fn totals_of_an_interval_match_naive_sums() {
    let (_folder, path, states, messages) = scene(5, 300);
    let view = open(&path);
    let since = |time: Time| time.as_picos() - view.origin;
    for (from, to) in [(0, view.span), (view.span / 3, view.span / 2), (1, 2), (view.span, view.span)] {
        let bytes = tile(&view, Query::Totals { from, to });
        let found: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
        for line in 0..5 {
            let mut expected = [0; 5];
            for (_, state) in states.iter().filter(|(rank, _)| *rank == line) {
                let kind = super::states::kind(&state.kind);
                expected[kind] += overlap(since(state.from), since(state.to), from, to);
            }
            let times =
                [0, 1, 2, 3, 4].map(|kind| found["lines"][line as usize][kind].as_u64().expect("a sum"));
            assert_eq!(times, expected, "line {line} from {from} to {to}");
        }
        let calls = found["calls"].as_array().expect("calls");
        let sum = |column: usize| calls.iter().map(|call| call[column].as_u64().expect("a sum")).sum::<u64>();
        let lines = found["lines"].as_array().expect("lines");
        let all: u64 =
            lines.iter().flat_map(|line| (0..5).map(|kind| line[kind].as_u64().expect("a sum"))).sum();
        assert_eq!(sum(3), all);
        let lengths = calls.iter().flat_map(|call| call[7].as_array().expect("lengths"));
        assert_eq!(lengths.map(|count| count.as_u64().expect("a count")).sum::<u64>(), sum(2));
        let whole = (from, to) == (0, view.span);
        let sent = messages.iter().filter(|message| whole || (from..to).contains(&since(message.sent)));
        let bytes: u64 = sent.map(|message| message.bytes).sum();
        assert_eq!(found["messageKinds"][0][1], bytes);
    }
}

#[test]
fn queues_match_a_naive_count() {
    let (_folder, path, _, messages) = scene(3, 120);
    let view = open(&path);
    let since = |time: Time| time.as_picos() - view.origin;
    for at in [0, view.span / 4, view.span / 2, view.span] {
        let found: serde_json::Value =
            serde_json::from_slice(&tile(&view, Query::Queues { at })).expect("JSON");
        for line in 0..3 {
            let mine = || messages.iter().filter(|message| message.to == line);
            let length = |at: u64| {
                mine().filter(|message| since(message.arrived) <= at && since(message.received) > at).count()
            };
            let arrivals = mine().map(|message| since(message.arrived)).filter(|arrived| *arrived <= at);
            let most = arrivals.map(length).max().unwrap_or(0);
            assert_eq!(found[1][line as usize], length(at), "line {line} at {at}");
            assert_eq!(found[2][line as usize], most, "line {line} until {at}");
        }
    }
}

#[test]
fn the_profile_of_the_path_adds_up() {
    let (_folder, path, states, _) = scene(4, 150);
    let view = open(&path);
    let found: serde_json::Value = serde_json::from_slice(&tile(&view, Query::Profile)).expect("JSON");
    let mut expected = 0;
    for segment in &view.overview.path {
        let mine = states.iter().filter(|(line, _)| *line == segment.line);
        let inside = |(_, state): &(u32, State)| {
            overlap(state.from.as_picos(), state.to.as_picos(), segment.from, segment.to)
        };
        expected += mine.map(inside).sum::<u64>();
    }
    let calls = found[0].as_array().expect("calls");
    assert_eq!(calls.iter().map(|call| call[2].as_u64().expect("a time")).sum::<u64>(), expected);
    let on_lines: u64 = view.overview.path.iter().map(|segment| segment.to - segment.from).sum();
    assert_eq!(found[2], on_lines);
    assert!(found[3].as_u64() >= Some(on_lines));
}
