//! What depends on the order of events is decided in virtual time, not by the order in which
//! coroutines run.

use panto_machine::Protocol;
use panto_transport::simulated::{Endpoint, Sharing};
use panto_transport::{Result, Selector, SendMode, Time, Transport, WaitPolicy, World, scope};

use crate::machines::{busy, simple, world};

const MODELS: [Sharing; 2] = [Sharing::None, Sharing::Links];

fn us(micros: u64) -> Time {
    Time::from_nanos(micros * 1_000)
}

/// Rank r sends after 10 (4 - r) microseconds, so the last rank is the first.
fn late_and_early(t: &Endpoint) -> Result<Vec<usize>> {
    if t.rank() > 0 {
        t.compute(us(10 * (4 - t.rank() as u64)));
        t.send(SendMode::Standard, &[], 0, 1)?;
        return Ok(vec![]);
    }
    (0..3).map(|_| t.receive(&mut [], Selector::tag(1)).map(|status| status.source)).collect()
}

/// Rank 0 receives from the others by `receive`, and must get the messages in the order of arrival.
fn receives_the_last_rank_first(receive: impl Fn(&Endpoint) -> Result<Vec<usize>> + Sync) {
    for model in MODELS {
        let rank = |t: &Endpoint| if t.rank() > 0 { late_and_early(t) } else { receive(t) };
        let got = world(simple(4, Protocol::Buffered), model).run(4, rank).expect("it runs");
        assert_eq!(got[0], [3, 2, 1], "{model:?}");
    }
}

#[test]
fn a_wildcard_takes_the_first_arrival() {
    receives_the_last_rank_first(late_and_early);
}

/// The receives are posted before anything is sent.
#[test]
fn posted_wildcards_take_arrivals_in_order() {
    receives_the_last_rank_first(|t| {
        let mut buffers = [[0; 1]; 3];
        scope(t, |s| {
            let requests: Result<Vec<_>> =
                buffers.iter_mut().map(|buffer| s.receive(buffer, Selector::tag(1))).collect();
            Ok(s.wait_all(requests?)?.into_iter().map(|done| done.status.source).collect())
        })
    });
}

/// A later message never overtakes an earlier one of the same sender that the receive accepts too,
/// however much faster it is.
#[test]
fn a_short_message_does_not_overtake_a_long_one() {
    for model in MODELS {
        let got = world(simple(2, Protocol::Buffered), model).run(2, |t| {
            if t.rank() == 1 {
                t.send(SendMode::Standard, &vec![1; 100_000], 0, 1)?;
                t.send(SendMode::Standard, &[2; 1], 0, 2)?;
                return Ok(vec![]);
            }
            let mut buffer = vec![0; 100_000];
            (0..2).map(|_| t.receive(&mut buffer, Selector::any()).map(|status| status.len)).collect()
        });
        assert_eq!(got.map_err(|e: panto_transport::Error| e).expect("it runs")[0], [100_000, 1]);
    }
}

#[test]
fn a_test_sees_exactly_what_has_arrived() {
    for model in MODELS {
        let seen = world(simple(2, Protocol::Buffered), model).run(2, |t| {
            if t.rank() == 1 {
                t.compute(us(20));
                t.send(SendMode::Standard, &[], 0, 1)?;
                return Ok((Time::ZERO, Time::ZERO));
            }
            scope(t, |s| {
                let mut request = s.receive(&mut [], Selector::new(1, 1))?;
                loop {
                    let before = t.now();
                    match s.test(request)? {
                        Ok(_) => return Ok::<_, panto_transport::Error>((before, t.now())),
                        Err(pending) => request = pending,
                    }
                }
            })
        });
        let (before, after) = seen.expect("it runs")[0];
        // The message arrives at 20 + 0.1 + 1 us and takes 0.2 us to receive; an unsuccessful test
        // takes 0.1 us.
        assert_eq!((before, after), (Time::from_nanos(21_100), Time::from_nanos(21_300)));
    }
}

#[test]
fn the_first_of_several_is_the_first_in_time() {
    receives_the_last_rank_first(|t| {
        let mut buffers = [[0; 1]; 3];
        scope(t, |s| {
            let named = |(i, buffer)| s.receive(buffer, Selector::new(i + 1, 1));
            let mut requests =
                buffers.iter_mut().map(|b| &mut b[..]).enumerate().map(named).collect::<Result<Vec<_>>>()?;
            let mut order = Vec::new();
            while !requests.is_empty() {
                order.push(s.wait_any(&mut requests)?.1.status.source);
            }
            Ok(order)
        })
    });
}

#[test]
fn waiting_for_a_point_in_time() {
    let times = world(simple(2, Protocol::Buffered), Sharing::Links).run(2, |t| {
        t.wait_until(us(5 + t.rank() as u64), WaitPolicy::Sleep)?;
        t.wait_until(us(1), WaitPolicy::Spin)?;
        Ok::<_, panto_transport::Error>(t.now())
    });
    assert_eq!(times.expect("it runs"), [us(5), us(6)]);
}

/// Random traffic with wildcards gives the same picoseconds on each run.
#[test]
fn runs_are_identical() {
    for model in MODELS {
        for protocol in crate::machines::PROTOCOLS {
            let once = || {
                let traffic = |t: &Endpoint| {
                    panto_transport::conformance::random_traffic(t, 7)?;
                    Ok::<_, panto_transport::conformance::Violation>(t.now())
                };
                world(busy(6, protocol), model).run(6, traffic).expect("it runs")
            };
            let (first, second) = (once(), once());
            assert_eq!(first, second, "{protocol:?}, {model:?}");
            assert!(first.iter().all(|&time| time > Time::ZERO));
        }
    }
}

/// Cancelling is decided in virtual time too: a message that has arrived is received.
#[test]
fn a_receive_is_cancelled_only_if_its_message_has_not_arrived() {
    for model in MODELS {
        let cancelled = |at: u64| {
            let got = world(simple(2, Protocol::Buffered), model).run(2, move |t| {
                if t.rank() == 1 {
                    t.compute(us(10));
                    t.send(SendMode::Standard, &[7], 0, 1)?;
                    return Ok(true);
                }
                let mut buffer = [0];
                let done = scope(t, |s| {
                    // A wildcard receive first, so that messages are taken in the order of arrival.
                    let first = s.receive(&mut [], Selector::tag(2))?;
                    let _ = s.cancel(first);
                    let request = s.receive(&mut buffer, Selector::new(1, 1))?;
                    t.wait_until(us(at), WaitPolicy::Sleep)?;
                    Ok::<_, panto_transport::Error>(s.cancel(request).is_ok())
                })?;
                if !done {
                    t.receive(&mut buffer, Selector::new(1, 1))?;
                }
                assert_eq!(buffer, [7]);
                Ok::<_, panto_transport::Error>(done)
            });
            !got.expect("it runs")[0]
        };
        assert_eq!([cancelled(1), cancelled(1_000)], [true, false], "{model:?}");
    }
}

/// The receive was posted long ago, although its coroutine may not have run yet.
#[test]
fn a_synchronous_send_that_was_received_cannot_be_cancelled() {
    for model in MODELS {
        let got = world(simple(2, Protocol::Buffered), model).run(2, |t| {
            if t.rank() == 1 {
                return t.receive(&mut [0], Selector::new(0, 1)).map(|_| true);
            }
            scope(t, |s| {
                let request = s.send(SendMode::Synchronous, &[1], 1, 1)?;
                t.compute(us(1_000));
                Ok(s.cancel(request).is_ok())
            })
        });
        assert_eq!(got.expect("it runs"), [true, true]);
    }
}
