//! A hub and ranks on threads, through a real file.
#![allow(missing_docs, reason = "a test")]

use std::path::PathBuf;
use std::time::Duration;

use panto_coupling::message::{Kind, MAX_WORDS, Question, Reply, put_reply, take_reply};
use panto_coupling::{Ended, Hub, RankEnd, WaitOutcome};
use panto_units::Time;

const LONG: Duration = Duration::from_secs(60);

struct Memory {
    hub: Hub,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

fn memory() -> Memory {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory");
    Memory { hub: Hub::create(&path).unwrap(), path, _folder: folder }
}

fn attach(memory: &Memory, rank: u32, ranks: u32) -> std::io::Result<RankEnd> {
    RankEnd::attach(&memory.path, rank, ranks, std::process::id())
}

#[test]
fn messages_arrive_in_order_whatever_their_lengths() {
    let mut memory = memory();
    let mut end = attach(&memory, 0, 1).unwrap();
    let sender = std::thread::spawn(move || {
        for number in 0..20_000_u64 {
            let words: Vec<u64> = (0..number % 37).map(|word| number * 100 + word).collect();
            end.report(Kind::Call, &words).unwrap();
        }
        end.report(Kind::Call, &vec![1; MAX_WORDS]).unwrap();
        end.report(Kind::End, &[]).unwrap();
    });
    let mut number = 0;
    loop {
        memory.hub.wait(LONG, || memory.hub.has_message(0));
        let Some((kind, words)) = memory.hub.take(0).unwrap() else { continue };
        if kind == Kind::End {
            break;
        }
        if number < 20_000 {
            assert!((0..number % 37).map(|word| number * 100 + word).eq(words.iter().copied()));
        }
        number += 1;
    }
    assert_eq!(number, 20_001);
    sender.join().unwrap();
}

#[test]
fn a_question_waits_for_its_reply() {
    let mut memory = memory();
    let mut ends: Vec<RankEnd> = (0..3).map(|rank| attach(&memory, rank, 3).unwrap()).collect();
    assert_eq!(memory.hub.ranks(), Some(3));
    std::thread::scope(|scope| {
        for (rank, end) in (0..).zip(&mut ends) {
            scope.spawn(move || {
                for round in 0..1_000_u64 {
                    let mut words = Vec::new();
                    Question::Clock.put(&mut words);
                    end.report(Kind::Ask, &words).unwrap();
                    words.clear();
                    assert!(end.reply(&mut words, None).unwrap());
                    assert_eq!(take_reply(&words).unwrap().clock, Time::from_picos(rank * 1_000 + round));
                }
                end.report(Kind::End, &[]).unwrap();
            });
        }
        let (mut rounds, mut ended) = ([0; 3], 0);
        while ended < 3 {
            memory.hub.wait(LONG, || (0..3).any(|rank| memory.hub.has_message(rank)));
            for rank in 0..3 {
                match memory.hub.take(rank).unwrap().map(|(kind, _)| kind) {
                    Some(Kind::Ask) => {
                        let clock = Time::from_picos(u64::from(rank) * 1_000 + rounds[rank as usize]);
                        rounds[rank as usize] += 1;
                        let mut words = Vec::new();
                        put_reply(&mut words, &Reply { clock, ..Reply::default() });
                        memory.hub.reply(rank, &words);
                    }
                    Some(Kind::End) => ended += 1,
                    _ => {}
                }
            }
        }
    });
}

#[test]
fn the_end_of_the_run_reaches_ranks_that_wait() {
    let memory = memory();
    let mut end = attach(&memory, 0, 1).unwrap();
    let waiter = std::thread::spawn(move || {
        end.report(Kind::Ask, &[0]).unwrap();
        end.reply(&mut Vec::new(), None)
    });
    memory.hub.wait(LONG, || memory.hub.has_message(0));
    memory.hub.end();
    assert_eq!(waiter.join().unwrap(), Err(Ended));
}

#[test]
fn a_hub_without_messages_waits_in_vain() {
    let memory = memory();
    let outcome = memory.hub.wait(Duration::from_millis(5), || false);
    assert_eq!((outcome, memory.hub.ranks(), memory.hub.process(0)), (WaitOutcome::Timeout, None, None));
}

#[test]
fn ranks_that_do_not_belong_together_are_refused() {
    let memory = memory();
    let _first = attach(&memory, 0, 2).unwrap();
    let refused =
        |rank, ranks| attach(&memory, rank, ranks).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(refused(0, 2).contains("rank 0 runs already"), "{}", refused(0, 2));
    assert!(refused(1, 3).contains("a job of 3 ranks, and others are in one of 2"));
    assert!(refused(1, 100_000).contains("up to 1024 can run"));
    std::fs::write(memory.path.with_file_name("other"), b"no").unwrap();
    let other = RankEnd::attach(&memory.path.with_file_name("other"), 0, 1, 1);
    assert!(other.err().unwrap().to_string().contains("another version"));
}
