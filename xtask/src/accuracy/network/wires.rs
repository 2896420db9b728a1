//! When a frame is where, on cables that carry so many bytes a second and a switch that stores each frame before it passes it on.
//!
//! A shaper of the kernel lets the first frames of an idle cable pass in no time and delays those behind them. A cable does not: every
//! byte takes its time, and so does it here.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

/// An Ethernet address.
type Address = [u8; 6];

/// What a frame has beside its bytes: preamble, check sequence and the gap before the next (IEEE 802.3).
const AROUND: usize = 8 + 4 + 12;
/// The shortest frame without its check sequence.
const SHORTEST: usize = 60;

/// Cables from hosts to a switch and back.
pub struct Wires {
    /// Bytes a second, each way.
    rate: u64,
    /// Until when each host's cable to the switch is taken, and that from it. Nanoseconds.
    up: Vec<u64>,
    down: Vec<u64>,
    /// Behind which port an address is.
    ports: HashMap<Address, usize>,
    under_way: BinaryHeap<Reverse<Frame>>,
    count: u64,
}

/// A frame on a cable.
struct Frame {
    /// When its last byte is over the cable.
    at: u64,
    order: u64,
    /// Where it comes from; where it goes to when it is on its second cable.
    port: usize,
    is_down: bool,
    bytes: Vec<u8>,
}

impl Wires {
    pub fn new(hosts: usize, rate: u64) -> Self {
        Self {
            rate,
            up: vec![0; hosts],
            down: vec![0; hosts],
            ports: HashMap::new(),
            under_way: BinaryHeap::new(),
            count: 0,
        }
    }

    /// A host puts a frame on its cable.
    pub fn send(&mut self, now: u64, port: usize, bytes: &[u8]) {
        if bytes.len() < 2 * size_of::<Address>() {
            return;
        }
        let at = self.up[port].max(now) + self.time(bytes.len());
        self.up[port] = at;
        self.push(at, port, false, bytes.to_vec());
    }

    /// When something happens next.
    pub fn next(&self) -> Option<u64> {
        self.under_way.peek().map(|Reverse(frame)| frame.at)
    }

    /// Frames that have come to their host by now: which host, and the frame.
    pub fn arrived(&mut self, now: u64, mut deliver: impl FnMut(usize, &[u8])) {
        while self.next().is_some_and(|at| at <= now) {
            let Some(Reverse(frame)) = self.under_way.pop() else { break };
            if frame.is_down {
                deliver(frame.port, &frame.bytes);
            } else {
                self.pass_on(&frame);
            }
        }
    }

    /// The switch has a whole frame.
    fn pass_on(&mut self, frame: &Frame) {
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
        self.under_way.push(Reverse(Frame { at, order: self.count, port, is_down, bytes }));
        self.count += 1;
    }

    /// How long a frame takes a cable.
    fn time(&self, bytes: usize) -> u64 {
        (bytes.max(SHORTEST) + AROUND) as u64 * 1_000_000_000 / self.rate
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

    /// A frame that takes a cable of a byte a nanosecond 1,000 ns.
    fn frame(to: u8, from: u8) -> Vec<u8> {
        let mut bytes = vec![0; 1_000 - AROUND];
        (bytes[5], bytes[11]) = (to, from);
        bytes
    }

    fn all(wires: &mut Wires) -> Vec<(u64, usize)> {
        let mut seen = Vec::new();
        while let Some(now) = wires.next() {
            wires.arrived(now, |port, _| seen.push((now, port)));
        }
        seen
    }

    /// Three hosts that the switch knows.
    fn wires() -> Wires {
        let mut wires = Wires::new(3, 1_000_000_000);
        for port in 0..3 {
            wires.send(0, port, &frame(9, port as u8));
        }
        all(&mut wires);
        wires
    }

    #[test]
    fn a_frame_takes_both_cables_one_after_the_other() {
        let mut wires = wires();
        wires.send(10_000, 0, &frame(1, 0));
        wires.send(10_000, 0, &frame(2, 0));
        assert_eq!(all(&mut wires), [(12_000, 1), (13_000, 2)]);
    }

    #[test]
    fn who_sends_to_the_same_host_waits_at_the_switch() {
        let mut wires = wires();
        wires.send(10_000, 0, &frame(2, 0));
        wires.send(10_000, 1, &frame(2, 1));
        // Both ways of a cable at once.
        wires.send(10_000, 2, &frame(0, 2));
        assert_eq!(all(&mut wires), [(12_000, 2), (12_000, 0), (13_000, 2)]);
    }

    #[test]
    fn whom_the_switch_does_not_know_it_seeks_everywhere() {
        let mut wires = wires();
        wires.send(10_000, 1, &frame(7, 1));
        assert_eq!(all(&mut wires), [(12_000, 0), (12_000, 2)]);
        wires.send(20_000, 1, &[0; 3]);
        assert_eq!(all(&mut wires), []);
    }
}
