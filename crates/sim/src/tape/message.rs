//! Messages and receives that are under way, while a tape is recorded.

use std::collections::VecDeque;

use super::step::Parcel;
use crate::ahead::rank::NONE;
use crate::engine::Manner;
use crate::slots::Slots;

/// A message, its receive, or both.
#[derive(Debug)]
pub(super) struct Message {
    /// The message, if it was sent: how, and its number among the parcels.
    pub(super) sent: Option<(Manner, u32)>,
    pub(super) is_posted: bool,
    /// Does its sender still want to know when it ends?
    sender_cares: bool,
    /// Does its receiver still have to take it?
    pub(super) receiver_cares: bool,
    /// The rank that can go on when this is known: the sender when it is posted, the receiver when it is sent.
    pub(super) waits: u32,
}

/// What is under way on one channel: one of the two is empty.
#[derive(Debug)]
pub(super) struct Channel {
    sent: VecDeque<u32>,
    posted: VecDeque<u32>,
    /// The receiver, if it waits to know of a message.
    pub(super) prober: u32,
}

/// Everything that is under way.
#[derive(Debug)]
pub(super) struct Messages {
    all: Slots<Message>,
    channels: Vec<Channel>,
}

/// Does a sender wait for the receive?
pub(super) fn asks(manner: Manner) -> bool {
    matches!(manner, Manner::Synchronous | Manner::Rendezvous)
}

impl Messages {
    pub(super) fn new(channels: usize) -> Self {
        let channel = || Channel { sent: VecDeque::new(), posted: VecDeque::new(), prober: NONE };
        Self { all: Slots::default(), channels: (0..channels).map(|_| channel()).collect() }
    }

    /// How many places are needed.
    pub(super) fn places(&self) -> usize {
        self.all.len()
    }

    pub(super) fn channel(&mut self, parcel: Parcel) -> &mut Channel {
        &mut self.channels[parcel.channel as usize]
    }

    pub(super) fn get(&mut self, message: u32) -> &mut Message {
        &mut self.all[message]
    }

    /// A message is sent: the place of the receive that it meets, or a new one.
    pub(super) fn send(&mut self, channel: u32, manner: Manner, parcel: u32) -> u32 {
        let Self { all, channels } = self;
        let channel = &mut channels[channel as usize];
        let number = channel.posted.pop_front().unwrap_or_else(|| {
            let number = insert(all);
            channel.sent.push_back(number);
            number
        });
        let message = &mut all[number];
        message.sent = Some((manner, parcel));
        message.sender_cares = manner != Manner::Buffered;
        number
    }

    /// A receive is posted: the place of the message that it meets, or a new one.
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

    /// The first message that no receive was posted for.
    pub(super) fn first(&self, channel: u32) -> Option<u32> {
        self.channels[channel as usize].sent.front().copied()
    }

    /// The sender does not care any more.
    pub(super) fn leave(&mut self, number: u32) {
        self.get(number).sender_cares = false;
        self.forget_if_over(number);
    }

    /// The receiver does not care any more.
    pub(super) fn drop_receive(&mut self, number: u32) {
        self.get(number).receiver_cares = false;
        self.forget_if_over(number);
    }

    /// Its place is free when nobody will ask for it.
    pub(super) fn forget_if_over(&mut self, number: u32) {
        let message = &self.all[number];
        let is_over = !message.sender_cares && !message.receiver_cares;
        if is_over && message.is_posted && message.sent.is_some() {
            self.all.give_back(number);
        }
    }
}

fn insert(all: &mut Slots<Message>) -> u32 {
    all.put(Message { sent: None, is_posted: false, sender_cares: false, receiver_cares: true, waits: NONE })
}
