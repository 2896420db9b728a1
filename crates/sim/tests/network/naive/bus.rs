//! A bus, frame by frame.

use std::collections::VecDeque;

use panto_machine::{Network, Switching};
use panto_sim::network::Transfer;

use super::Policy;

pub struct Bus<'a> {
    network: &'a Network,
    /// Messages with the times of the frames that remain.
    waiting: VecDeque<(usize, VecDeque<u64>)>,
    /// When the frame in service began.
    began: u64,
}

impl<'a> Bus<'a> {
    pub fn new(network: &'a Network) -> Self {
        Self { network, waiting: VecDeque::new(), began: 0 }
    }

    fn frames(&self, bytes: u64) -> VecDeque<u64> {
        let network = self.network;
        if let Switching::Wormhole { flit } = network.switching {
            return std::iter::repeat_n(
                network.link.of(flit).as_picos(),
                bytes.div_ceil(flit).max(1) as usize,
            )
            .collect();
        }
        let piece = network.link.piece(bytes);
        let mut frames = VecDeque::new();
        let mut sent = 0;
        while frames.is_empty() || sent < bytes {
            let frame = piece.packet.unwrap_or(bytes).min(bytes - sent);
            // Cumulative times are rounded, so that the total is rounded once.
            let time = piece.per_byte.of(sent + frame).as_picos() - piece.per_byte.of(sent).as_picos();
            frames.push_back(piece.startup.as_picos() + time);
            sent += frame;
        }
        let header = match network.switching {
            Switching::Packet => 0,
            Switching::CutThrough { header: h }
            | Switching::Circuit { control: h }
            | Switching::Flow { header: h } => network.setup.of(h).as_picos(),
            Switching::Wormhole { .. } => unreachable!(),
        };
        frames[0] += header;
        frames
    }
}

impl Policy for Bus<'_> {
    fn enter(&mut self, now: u64, message: usize, load: Transfer) {
        if self.waiting.is_empty() {
            self.began = now;
        }
        let frames = self.frames(load.bytes);
        self.waiting.push_back((message, frames));
    }

    fn next(&self) -> Option<u64> {
        self.waiting.front().map(|(_, frames)| self.began + frames[0])
    }

    fn step(&mut self) -> Vec<(usize, u64, u64)> {
        let (message, mut frames) = self.waiting.pop_front().unwrap();
        self.began += frames.pop_front().unwrap();
        if frames.is_empty() {
            return vec![(message, self.began, self.began)];
        }
        self.waiting.push_back((message, frames));
        Vec::new()
    }
}
