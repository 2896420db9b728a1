//! Matching that only threads permit: withdrawn sends, and messages to the sending rank of any
//! size.

use std::sync::Barrier;

use panto_transport::threads::Threads;
use panto_transport::{Error, Result, Selector, SendMode, Transport, World, scope};

#[test]
fn standard_sends_to_the_sending_rank_never_wait() {
    let send_first = |t: &_| -> Result<()> { to_oneself(t, &vec![3; 1 << 20]) };
    Threads::default().run(2, send_first).unwrap();
}

fn to_oneself(t: &impl Transport, data: &[u8]) -> Result<()> {
    t.send(SendMode::Standard, data, t.rank(), 1)?;
    let mut buffer = vec![0; data.len()];
    t.receive(&mut buffer, Selector::new(t.rank(), 1))?;
    assert_eq!(buffer, data);
    Ok(())
}

/// Rank 1 starts a synchronous send with this tag and withdraws it before rank 0 has matched it.
fn withdraw(t: &impl Transport, tag: u32) -> Result<()> {
    let data = [9; 3];
    scope(t, |s| {
        let request = s.send(SendMode::Synchronous, &data, 0, tag)?;
        assert!(s.cancel(request).is_err(), "it was not received");
        Ok(())
    })
}

/// A receive that a withdrawn message has matched keeps its position in the order of posting.
#[test]
fn withdrawn_sends_do_not_reorder_receives() {
    let meet = Barrier::new(2);
    let run = |t: &_| -> Result<()> { withdrawn_between(t, &meet) };
    Threads::default().run(2, run).unwrap();
}

fn withdrawn_between(t: &impl Transport, meet: &Barrier) -> Result<()> {
    if t.rank() == 1 {
        withdraw(t, 2)?;
        meet.wait();
        meet.wait();
        t.send(SendMode::Standard, &[1], 0, 1)?;
        return t.send(SendMode::Standard, &[2], 0, 3);
    }
    let (mut one, mut other) = ([0], [0]);
    // The ranks share memory, so a barrier of threads can synchronise them without messages.
    scope(t, |s| {
        let first = s.receive(&mut one, Selector::tag(1))?;
        let second = s.receive(&mut other, Selector::any())?;
        meet.wait();
        let second = s.test(second)?.unwrap_err();
        meet.wait();
        assert_eq!(s.wait(first)?.status.tag, 1);
        assert_eq!(s.wait(second)?.status.tag, 3);
        Ok(())
    })
}

/// A probe must not report a withdrawn message.
#[test]
fn withdrawn_sends_are_not_probed() {
    let meet = Barrier::new(2);
    let run = |t: &_| -> Result<()> { probe_after_withdrawal(t, &meet) };
    Threads::default().run(2, run).unwrap();
}

fn probe_after_withdrawal(t: &impl Transport, meet: &Barrier) -> Result<()> {
    if t.rank() == 1 {
        withdraw(t, 2)?;
        t.send(SendMode::Standard, &[1], 0, 2)?;
        meet.wait();
        return Ok(());
    }
    meet.wait();
    assert_eq!(t.probe(Selector::any())?.len, 1);
    assert_eq!(t.receive(&mut [0], Selector::any())?.len, 1);
    assert_eq!(t.try_probe(Selector::any())?, None);
    Ok(())
}

/// A send that was cancelled by a failed scope is received completely or not at all, however the
/// two race.
#[test]
fn a_withdrawn_send_is_received_completely_or_not_at_all() {
    let run = |t: &_| -> Result<()> { (0..500).try_for_each(|round| race(t, round)) };
    Threads::default().run(2, run).unwrap();
}

fn race(t: &impl Transport, round: usize) -> Result<()> {
    if t.rank() == 1 {
        let mut data = vec![7; 20_000];
        let _: std::result::Result<(), Error> = scope(t, |s| {
            let request = s.send(SendMode::Standard, &data, 0, 2)?;
            if round.is_multiple_of(3) {
                std::thread::yield_now();
            }
            let _ = s.cancel(request);
            Ok(())
        });
        // The memory belongs to the sender again: a late read would see this.
        data.fill(1);
        return t.send(SendMode::Standard, &[], 0, 3);
    }
    let mut buffer = vec![0; 20_000];
    let status = t.receive(&mut buffer, Selector::source(1))?;
    if status.tag == 2 {
        assert!(buffer.iter().all(|&byte| byte == 7));
        t.receive(&mut [], Selector::new(1, 3))?;
    }
    Ok(())
}
