//! Timelines for the browser tests and the frame-rate benchmark, and the pages and servers that
//! show them.
//!
//! `scenes pages FOLDER` writes timelines and pages; `scenes serve FILE...` serves timelines,
//! prints the address and ends at the end of its standard input; `scenes halo FILE SIDE MILLIONS`
//! writes a large timeline.

use panto_testkit::halo;
use std::io::Read;
use std::path::{Path, PathBuf};

use halo::{Event, Halo};
use panto_timeline::{Cause, Message, State, StateKind, TimelineInfo, Writer};
use panto_units::Time;
use panto_view::{Options, fragment, page, serve};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["pages", folder] => pages(Path::new(folder)),
        ["serve", files @ ..] => run(&files.iter().map(PathBuf::from).collect::<Vec<_>>()),
        ["halo", file, side, millions] => {
            large(Path::new(file), side.parse()?, 1000 * millions.parse::<u64>()?)
        }
        _ => Err("scenes pages FOLDER | serve FILE... | halo FILE SIDE MILLIONS".into()),
    }
}

fn run(files: &[PathBuf]) -> Result<()> {
    let server = serve(files, 0)?;
    println!("{}", server.url());
    std::thread::spawn(move || server.run());
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Writes timelines of all kinds, each with its page.
fn pages(folder: &Path) -> Result<()> {
    let file = |name: &str| folder.join(format!("{name}.ptl"));
    large(&file("halo"), 4, 0)?;
    large(&file("many"), 16, 300)?;
    ring(&file("ring"), 8, 40, 1)?;
    ring(&file("slow"), 8, 40, 2)?;
    ring(&file("one"), 1, 5, 1)?;
    measured(&file("measured"))?;
    wide(&file("wide"))?;
    empty(&file("empty"))?;
    three_states(&file("nanosecond"), 1000)?;
    three_states(&file("month"), 2_600_000_000_000_000_000)?;
    for name in ["halo", "many", "ring", "one", "measured", "wide", "empty", "nanosecond", "month"] {
        let path = file(name);
        std::fs::write(folder.join(format!("{name}.html")), page(&[&path], &Options::default())?)?;
    }
    let both = page(&[&file("ring"), &file("slow")], &Options::default())?;
    std::fs::write(folder.join("both.html"), both)?;
    let small = Options { budget: 60_000, ..Options::default() };
    std::fs::write(folder.join("coarse.html"), page(&[&file("many")], &small)?)?;
    std::fs::write(folder.join("folded.html"), page(&[&file("wide")], &small)?)?;
    let parts = [
        fragment(&[&file("ring")], &Options::for_report())?.markup,
        fragment(&[&file("halo")], &Options::for_report())?.markup,
    ];
    let report = format!(
        "<!doctype html><meta charset=utf-8><title>report</title><h1>A report</h1>{}",
        parts.concat()
    );
    std::fs::write(folder.join("report.html"), report)?;
    Ok(())
}

/// Writes a halo exchange on a torus: ten steps, or about `thousands` thousand states if that is
/// more.
fn large(path: &Path, side: u32, thousands: u64) -> Result<()> {
    let mut halo = Halo::new(side, 60_000);
    let mut about = halo.about();
    about.facts.push(("topology".into(), format!("torus {side}x{side}, {} processors", side * side)));
    let mut writer = Writer::create(path, &about)?;
    let steps = (thousands * 1000 / 14 / u64::from(side * side)).max(10);
    for _ in 0..steps {
        halo.step(|event| match event {
            Event::State(rank, state) => writer.state(rank, state),
            Event::Message(message) => writer.message(message),
        });
    }
    writer.finish()?;
    Ok(())
}

/// Writes a token ring, with names that look like markup.
fn ring(path: &Path, ranks: u32, rounds: u32, slowness: u64) -> Result<()> {
    let about = TimelineInfo {
        ranks,
        facts: vec![
            ("program".into(), "<img src=x onerror=alert(1)> \"ring\"".into()),
            ("topology".into(), format!("ring, {ranks} processors")),
        ],
        calls: vec!["MPI_Recv".into(), "MPI_Send</script><b>".into()],
        message_kinds: vec!["message".into()],
        ..TimelineInfo::default()
    };
    let mut writer = Writer::create(path, &about)?;
    let mut clocks = vec![0; ranks as usize];
    let state = |what, call, from, to| State {
        kind: what,
        call,
        from: Time::from_nanos(from),
        to: Time::from_nanos(to),
    };
    let mut sent = 0;
    for step in 0..u64::from(rounds * ranks) {
        let rank = (step % u64::from(ranks)) as usize;
        let before = ((step + u64::from(ranks) - 1) % u64::from(ranks)) as u32;
        if step > 0 && ranks > 1 {
            let arrived = (sent + 400 * slowness).max(clocks[rank]);
            let cause = Cause { rank: before, at: Time::from_nanos(sent) };
            writer.state(rank as u32, state(StateKind::Wait(Some(cause)), Some(0), clocks[rank], arrived));
            writer.state(rank as u32, state(StateKind::Message, Some(0), arrived, arrived + 100));
            let [sent, arrived, received] = [sent, arrived, arrived + 100].map(Time::from_nanos);
            let bytes = 1 << (step % 20);
            writer.message(Message {
                from: before,
                to: rank as u32,
                bytes,
                class: 7,
                kind: 0,
                sent,
                arrived,
                received,
            });
            clocks[rank] = received.as_picos() / 1000;
        }
        let work = slowness * (1500 + 700 * (step % 5));
        let clock = clocks[rank];
        writer.state(rank as u32, state(StateKind::Compute, None, clock, clock + work));
        writer.state(rank as u32, state(StateKind::Message, Some(1), clock + work, clock + work + 150));
        writer.state(rank as u32, state(StateKind::Combine, None, clock + work + 150, clock + work + 300));
        clocks[rank] = clock + work + 300;
        sent = clock + work + 150;
    }
    writer.finish()?;
    Ok(())
}

/// Writes a message as a measured run has it: sent when its call begins, arrived when it is
/// received.
fn measured(path: &Path) -> Result<()> {
    let about = TimelineInfo {
        ranks: 2,
        facts: vec![("run".into(), "measured".into())],
        calls: vec!["MPI_Send".into(), "MPI_Recv".into()],
        message_kinds: vec!["message".into()],
        ..TimelineInfo::default()
    };
    let mut writer = Writer::create(path, &about)?;
    let [begin, sent, done, received] = [0, 1000, 1400, 1500].map(Time::from_nanos);
    let state = |kind, call, from, to| State { kind, call, from, to };
    let cause = Cause { rank: 0, at: sent };
    writer.state(0, state(StateKind::Compute, None, begin, sent));
    writer.state(0, state(StateKind::Message, Some(0), sent, done));
    writer.state(1, state(StateKind::Wait(Some(cause)), Some(1), begin, sent));
    writer.state(1, state(StateKind::Message, Some(1), sent, received));
    let message =
        Message { from: 0, to: 1, bytes: 1024, class: 5, kind: 0, sent, arrived: received, received };
    writer.message(message);
    writer.finish()?;
    Ok(())
}

/// Writes a timeline of a hundred thousand ranks.
fn wide(path: &Path) -> Result<()> {
    let ranks = 100_000;
    let about = TimelineInfo { ranks, message_kinds: vec!["message".into()], ..TimelineInfo::default() };
    let mut writer = Writer::create(path, &about)?;
    for rank in 0..ranks {
        let middle = Time::from_nanos(1000 + u64::from(rank % 1000));
        writer.state(rank, State { kind: StateKind::Compute, call: None, from: Time::ZERO, to: middle });
        writer.state(
            rank,
            State { kind: StateKind::Wait(None), call: None, from: middle, to: Time::from_nanos(2500) },
        );
        let to = (rank + 1) % ranks;
        writer.message(Message {
            from: rank,
            to,
            bytes: 8,
            class: 0,
            kind: 0,
            sent: middle,
            arrived: Time::from_nanos(2300),
            received: Time::from_nanos(2500),
        });
    }
    writer.finish()?;
    Ok(())
}

fn empty(path: &Path) -> Result<()> {
    Writer::create(path, &TimelineInfo { ranks: 4, ..TimelineInfo::default() })?.finish()?;
    Ok(())
}

/// Writes three states within `length` picoseconds.
fn three_states(path: &Path, length: u64) -> Result<()> {
    let mut writer = Writer::create(path, &TimelineInfo { ranks: 2, ..TimelineInfo::default() })?;
    let at = Time::from_picos;
    writer.state(0, State { kind: StateKind::Compute, call: None, from: at(0), to: at(length / 2) });
    writer.state(0, State { kind: StateKind::Message, call: None, from: at(length / 2), to: at(length) });
    writer.state(
        1,
        State { kind: StateKind::Compute, call: None, from: at(length / 3), to: at(length / 3 + 1) },
    );
    writer.finish()?;
    Ok(())
}
