//! The timing of frames on full-duplex links of a given rate and a store-and-forward switch.
//!
//! A token bucket of the kernel lets the first frames of an idle link pass immediately and delays
//! those behind them. A real link does not: every byte takes its time, as it does here.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

/// An Ethernet address.
type Address = [u8; 6];

/// Bytes of a frame on the wire beside its contents: preamble, check sequence, interframe gap (IEEE
/// 802.3).
const FRAMING: usize = 8 + 4 + 12;
/// Minimum size of a frame in bytes, without its check sequence.
const MIN_FRAME: usize = 60;

/// Links from hosts to a switch and back.
pub struct Ethernet {
    /// Rate in bytes per second, in each direction.
    rate: u64,
    /// The time until which each host's link to the switch is busy, in nanoseconds.
    up: Vec<u64>,
    down: Vec<u64>,
    /// The port of each address, as learned.
    ports: HashMap<Address, usize>,
    in_flight: BinaryHeap<Reverse<Frame>>,
    count: u64,
}

/// A frame on a link.
struct Frame {
    /// The time when its last byte has crossed the link, in nanoseconds.
    at: u64,
    order: u64,
    /// The source port on the way up, the destination port on the way down.
    port: usize,
    is_down: bool,
    bytes: Vec<u8>,
}

impl Ethernet {
    pub fn new(hosts: usize, rate: u64) -> Self {
        Self {
            rate,
            up: vec![0; hosts],
            down: vec![0; hosts],
            ports: HashMap::new(),
            in_flight: BinaryHeap::new(),
            count: 0,
        }
    }

    /// Sends a frame from a host.
    pub fn send(&mut self, now: u64, port: usize, bytes: &[u8]) {
        if bytes.len() < 2 * size_of::<Address>() {
            return;
        }
        let at = self.up[port].max(now) + self.time(bytes.len());
        self.up[port] = at;
        self.push(at, port, false, bytes.to_vec());
    }

    /// Returns the time of the next event.
    pub fn next(&self) -> Option<u64> {
        self.in_flight.peek().map(|Reverse(frame)| frame.at)
    }

    /// Delivers the frames that have arrived by now, each with its host.
    pub fn arrived(&mut self, now: u64, mut deliver: impl FnMut(usize, &[u8])) {
        while self.next().is_some_and(|at| at <= now) {
            let Some(Reverse(frame)) = self.in_flight.pop() else { break };
            if frame.is_down {
                deliver(frame.port, &frame.bytes);
            } else {
                self.forward(&frame);
            }
        }
    }

    /// Forwards a frame that the switch has received completely.
    fn forward(&mut self, frame: &Frame) {
        let (to, from) = (address(&frame.bytes), address(&frame.bytes[size_of::<Address>()..]));
        self.ports.insert(from, frame.port);
        let known = self.ports.get(&to).copied();
        for port in (0..self.down.len()).filter(|&port| port != frame.port) {
            if known.is_none_or(|known| known == port) {
                let at = self.down[port].max(frame.at) + self.time(frame.bytes.len());
                self.down[port] = at;
                self.push(at, port, true, frame.bytes.clone());
            }
        }
    }

    fn push(&mut self, at: u64, port: usize, is_down: bool, bytes: Vec<u8>) {
        self.in_flight.push(Reverse(Frame { at, order: self.count, port, is_down, bytes }));
        self.count += 1;
    }

    /// Returns the time of a frame on a link, in nanoseconds.
    fn time(&self, bytes: usize) -> u64 {
        (bytes.max(MIN_FRAME) + FRAMING) as u64 * 1_000_000_000 / self.rate
    }
}

fn address(bytes: &[u8]) -> Address {
    let mut address = Address::default();
    address.copy_from_slice(&bytes[..size_of::<Address>()]);
    address
}

impl Ord for Frame {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}

impl PartialOrd for Frame {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Frame {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a frame that takes 1,000 ns on a link of one byte per nanosecond.
    fn frame(to: u8, from: u8) -> Vec<u8> {
        let mut bytes = vec![0; 1_000 - FRAMING];
        (bytes[5], bytes[11]) = (to, from);
        bytes
    }

    fn all(ethernet: &mut Ethernet) -> Vec<(u64, usize)> {
        let mut seen = Vec::new();
        while let Some(now) = ethernet.next() {
            ethernet.arrived(now, |port, _| seen.push((now, port)));
        }
        seen
    }

    /// Returns links of three hosts whose addresses the switch has learned.
    fn ethernet() -> Ethernet {
        let mut ethernet = Ethernet::new(3, 1_000_000_000);
        for port in 0..3 {
            ethernet.send(0, port, &frame(9, port as u8));
        }
        all(&mut ethernet);
        ethernet
    }

    #[test]
    fn a_frame_crosses_both_links_in_sequence() {
        let mut ethernet = ethernet();
        ethernet.send(10_000, 0, &frame(1, 0));
        ethernet.send(10_000, 0, &frame(2, 0));
        assert_eq!(all(&mut ethernet), [(12_000, 1), (13_000, 2)]);
    }

    #[test]
    fn frames_to_the_same_host_queue_at_the_switch() {
        let mut ethernet = ethernet();
        ethernet.send(10_000, 0, &frame(2, 0));
        ethernet.send(10_000, 1, &frame(2, 1));
        // Both directions of a link at once.
        ethernet.send(10_000, 2, &frame(0, 2));
        assert_eq!(all(&mut ethernet), [(12_000, 2), (12_000, 0), (13_000, 2)]);
    }

    #[test]
    fn frames_to_unknown_addresses_are_flooded() {
        let mut ethernet = ethernet();
        ethernet.send(10_000, 1, &frame(7, 1));
        assert_eq!(all(&mut ethernet), [(12_000, 0), (12_000, 2)]);
        ethernet.send(20_000, 1, &[0; 3]);
        assert_eq!(all(&mut ethernet), []);
    }
}
