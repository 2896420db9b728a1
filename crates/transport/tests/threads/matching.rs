//! Matching where it depends on what threads can do: cancelled sends, and messages to oneself of any size.

use std::sync::Barrier;

use panto_transport::threads::Threads;
use panto_transport::{Error, Mode, Result, Transport, Want, World, scope};

#[test]
fn standard_sends_to_oneself_never_wait() {
    let send_first = |t: &_| -> Result<()> { to_oneself(t, &vec![3; 1 << 20]) };
    Threads::default().run(2, send_first).unwrap();
}

fn to_oneself(t: &impl Transport, data: &[u8]) -> Result<()> {
    t.send(Mode::Standard, data, t.rank(), 1)?;
    let mut buffer = vec![0; data.len()];
    t.receive(&mut buffer, Want::new(t.rank(), 1))?;
    assert_eq!(buffer, data);
    Ok(())
}

/// Rank 1 starts a synchronous send with this tag and takes it back before rank 0 has looked.
fn withdraw(t: &impl Transport, tag: u32) -> Result<()> {
    let data = [9; 3];
    scope(t, |s| {
        let request = s.send(Mode::Synchronous, &data, 0, tag)?;
        assert!(s.cancel(request).is_err(), "nobody has taken it");
        Ok(())
    })
}

/// A receive that a withdrawn message has matched stays where it was in the order of posting.
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
        t.send(Mode::Standard, &[1], 0, 1)?;
        return t.send(Mode::Standard, &[2], 0, 3);
    }
    let (mut one, mut other) = ([0], [0]);
    // Both sides reach into the world's memory, so the barrier of threads may stand between them.
    scope(t, |s| {
        let first = s.receive(&mut one, Want::tag(1))?;
        let second = s.receive(&mut other, Want::any())?;
        meet.wait();
        let second = s.test(second)?.unwrap_err();
        meet.wait();
        assert_eq!(s.wait(first)?.status.tag, 1);
        assert_eq!(s.wait(second)?.status.tag, 3);
        Ok(())
    })
}

/// A probe must not promise a message that is no more.
#[test]
fn withdrawn_sends_are_not_probed() {
    let meet = Barrier::new(2);
    let run = |t: &_| -> Result<()> { probe_after_withdrawal(t, &meet) };
    Threads::default().run(2, run).unwrap();
}

fn probe_after_withdrawal(t: &impl Transport, meet: &Barrier) -> Result<()> {
    if t.rank() == 1 {
        withdraw(t, 2)?;
        t.send(Mode::Standard, &[1], 0, 2)?;
        meet.wait();
        return Ok(());
    }
    meet.wait();
    assert_eq!(t.probe(Want::any())?.len, 1);
    assert_eq!(t.receive(&mut [0], Want::any())?.len, 1);
    assert_eq!(t.try_probe(Want::any())?, None);
    Ok(())
}

/// A send that a failed scope gave up reaches nobody, however the two race.
#[test]
fn a_withdrawn_send_is_whole_or_not_there() {
    let run = |t: &_| -> Result<()> { (0..500).try_for_each(|round| race(t, round)) };
    Threads::default().run(2, run).unwrap();
}

fn race(t: &impl Transport, round: usize) -> Result<()> {
    if t.rank() == 1 {
        let mut data = vec![7; 20_000];
        let _: std::result::Result<(), Error> = scope(t, |s| {
            let request = s.send(Mode::Standard, &data, 0, 2)?;
            if round.is_multiple_of(3) {
                std::thread::yield_now();
            }
            let _ = s.cancel(request);
            Ok(())
        });
        // The memory is ours again: whoever still read it would see this.
        data.fill(1);
        return t.send(Mode::Standard, &[], 0, 3);
    }
    let mut buffer = vec![0; 20_000];
    let status = t.receive(&mut buffer, Want::from(1))?;
    if status.tag == 2 {
        assert!(buffer.iter().all(|&byte| byte == 7));
        t.receive(&mut [], Want::new(1, 3))?;
    }
    Ok(())
}
