//! The messages and receives in flight while a program is recorded.

use std::collections::VecDeque;

use super::step::MessageSpec;
use crate::ahead::rank::NONE;
use crate::engine::SendProtocol;
use crate::slab::Slab;

/// A message, its receive, or both.
#[derive(Debug)]
pub(super) struct Message {
    /// The protocol and spec of the message, if it has been sent.
    pub(super) sent: Option<(SendProtocol, u32)>,
    pub(super) is_posted: bool,
    /// Whether the sender will still wait for the completion.
    send_pending: bool,
    /// Whether the receiver will still take the message.
    pub(super) receive_pending: bool,
    /// The rank that is blocked on this: the sender until the receive is posted, or the receiver
    /// until the message is sent.
    pub(super) blocked_rank: u32,
}

/// What is in flight on one channel. One of the two queues is empty.
#[derive(Debug)]
pub(super) struct Channel {
    sent: VecDeque<u32>,
    posted: VecDeque<u32>,
    /// The receiver, if it is blocked in a probe.
    pub(super) prober: u32,
}

/// Everything in flight.
#[derive(Debug)]
pub(super) struct Messages {
    all: Slab<Message>,
    channels: Vec<Channel>,
}

/// Returns whether the sender waits for the receive under this protocol.
pub(super) fn waits_for_receive(protocol: SendProtocol) -> bool {
    matches!(protocol, SendProtocol::Synchronous | SendProtocol::Rendezvous)
}

impl Messages {
    pub(super) fn new(channels: usize) -> Self {
        let channel = || Channel { sent: VecDeque::new(), posted: VecDeque::new(), prober: NONE };
        Self { all: Slab::default(), channels: (0..channels).map(|_| channel()).collect() }
    }

    /// Returns the largest number of messages in flight so far.
    pub(super) fn max_in_flight(&self) -> usize {
        self.all.len()
    }

    pub(super) fn channel(&mut self, spec: MessageSpec) -> &mut Channel {
        &mut self.channels[spec.channel as usize]
    }

    pub(super) fn get(&mut self, message: u32) -> &mut Message {
        &mut self.all[message]
    }

    /// Sends a message. Returns the number of the receive that it matches, or a new one.
    pub(super) fn send(&mut self, channel: u32, protocol: SendProtocol, spec: u32) -> u32 {
        let Self { all, channels } = self;
        let channel = &mut channels[channel as usize];
        let number = channel.posted.pop_front().unwrap_or_else(|| {
            let number = insert(all);
            channel.sent.push_back(number);
            number
        });
        let message = &mut all[number];
        message.sent = Some((protocol, spec));
        message.send_pending = !protocol.is_buffered();
        number
    }

    /// Posts a receive. Returns the number of the message that it matches, or a new one.
    pub(super) fn post(&mut self, channel: u32) -> u32 {
        let Self { all, channels } = self;
        let channel = &mut channels[channel as usize];
        let number = channel.sent.pop_front().unwrap_or_else(|| {
            let number = insert(all);
            channel.posted.push_back(number);
            number
        });
        all[number].is_posted = true;
        number
    }

    /// Returns the first message that has no receive posted.
    pub(super) fn first(&self, channel: u32) -> Option<u32> {
        self.channels[channel as usize].sent.front().copied()
    }

    /// Notes that the sender will not wait for the completion any more.
    pub(super) fn drop_send(&mut self, number: u32) {
        self.get(number).send_pending = false;
        self.free_if_complete(number);
    }

    /// Notes that the receiver has taken the message, or will not.
    pub(super) fn drop_receive(&mut self, number: u32) {
        self.get(number).receive_pending = false;
        self.free_if_complete(number);
    }

    /// Frees the number of a message that is sent, posted and complete on both sides.
    pub(super) fn free_if_complete(&mut self, number: u32) {
        let message = &self.all[number];
        let is_complete = !message.send_pending && !message.receive_pending;
        if is_complete && message.is_posted && message.sent.is_some() {
            self.all.free(number);
        }
    }
}

fn insert(all: &mut Slab<Message>) -> u32 {
    all.insert(Message {
        sent: None,
        is_posted: false,
        send_pending: false,
        receive_pending: true,
        blocked_rank: NONE,
    })
}
