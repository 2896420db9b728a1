//! Messages between their send and the end of their receive.

use std::collections::VecDeque;

use panto_timeline::Message;
use panto_units::Time;
use rustc_hash::FxHashMap;

/// What sends and receives must agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChannelKey {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// The communicator.
    pub comm: u32,
    /// The tag.
    pub tag: i64,
}

/// A message: its channel, and its number in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferId {
    channel: u32,
    number: u64,
}

/// What is known of a message.
#[derive(Debug, Clone, Copy, Default)]
struct Transfer {
    bytes: u64,
    sent: Option<Time>,
    posted: Option<Time>,
    received: Option<Time>,
    /// Whether the sender is done with it.
    is_released: bool,
}

/// The messages of a channel in their order: those before `first` are complete.
struct Channel {
    key: ChannelKey,
    class: u32,
    first: u64,
    pending: VecDeque<Transfer>,
    sends: u64,
    receives: u64,
}

/// Messages that are not complete.
#[derive(Default)]
pub struct Transfers {
    numbers: FxHashMap<ChannelKey, u32>,
    classes: FxHashMap<(u32, i64), u32>,
    channels: Vec<Channel>,
}

impl Transfers {
    fn channel(&mut self, key: ChannelKey) -> u32 {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.channels.len() as u32;
        let classes = self.classes.len() as u32;
        let class = *self.classes.entry((key.comm, key.tag)).or_insert(classes);
        let pending = VecDeque::new();
        self.channels.push(Channel { key, class, first: 0, pending, sends: 0, receives: 0 });
        self.numbers.insert(key, number);
        number
    }

    /// A send begins.
    pub fn send(&mut self, key: ChannelKey, bytes: u64, at: Time) -> TransferId {
        let channel = self.channel(key);
        let place = &mut self.channels[channel as usize];
        let number = place.sends;
        place.sends += 1;
        let transfer = place.get_or_add(number);
        (transfer.bytes, transfer.sent) = (bytes, Some(at));
        TransferId { channel, number }
    }

    /// A receive is posted.
    pub fn receive(&mut self, key: ChannelKey, at: Time) -> TransferId {
        let id = self.next_received(key);
        let place = &mut self.channels[id.channel as usize];
        place.receives += 1;
        place.get_or_add(id.number).posted = Some(at);
        id
    }

    /// Returns the message that the next receive gets.
    pub fn next_received(&mut self, key: ChannelKey) -> TransferId {
        let channel = self.channel(key);
        TransferId { channel, number: self.channels[channel as usize].receives }
    }

    /// Returns the sender, and when it sent.
    pub fn sent(&self, id: TransferId) -> (u32, Option<Time>) {
        let channel = &self.channels[id.channel as usize];
        (channel.key.from, channel.get(id.number).and_then(|transfer| transfer.sent))
    }

    /// Returns the receiver, and when it posted its receive.
    pub fn posted(&self, id: TransferId) -> (u32, Option<Time>) {
        let channel = &self.channels[id.channel as usize];
        (channel.key.to, channel.get(id.number).and_then(|transfer| transfer.posted))
    }

    /// The sender is done with a message. Returns it if it is complete now.
    pub fn release(&mut self, id: TransferId) -> Option<Message> {
        self.change(id, |transfer| transfer.is_released = true)
    }

    /// A message was received. Returns it if it is complete now.
    pub fn received(&mut self, id: TransferId, at: Time) -> Option<Message> {
        self.change(id, |transfer| transfer.received = Some(at))
    }

    /// A receive was cancelled: the next one gets its message.
    pub fn withdraw(&mut self, id: TransferId) {
        let channel = &mut self.channels[id.channel as usize];
        let Some(place) = id.number.checked_sub(channel.first) else { return };
        let is_unsent = channel.pending.get(place as usize).is_some_and(|transfer| transfer.sent.is_none());
        if is_unsent && id.number + 1 == channel.receives {
            channel.pending.truncate(place as usize);
            channel.receives -= 1;
        }
    }

    /// Returns the messages that were received although their sender never completed them, and the
    /// number of those whose other end is missing.
    pub fn finish(mut self) -> (Vec<Message>, u64) {
        let (mut messages, mut unmatched) = (Vec::new(), 0);
        for channel in &mut self.channels {
            for transfer in channel.pending.iter_mut().filter(|transfer| !transfer.is_complete()) {
                transfer.is_released = true;
                messages.extend(transfer.message(channel.key, channel.class));
                unmatched += u64::from(transfer.sent.is_none() || transfer.posted.is_none());
            }
        }
        (messages, unmatched)
    }

    fn change(&mut self, id: TransferId, change: impl FnOnce(&mut Transfer)) -> Option<Message> {
        let channel = &mut self.channels[id.channel as usize];
        let place = usize::try_from(id.number.checked_sub(channel.first)?).ok()?;
        let transfer = channel.pending.get_mut(place)?;
        change(transfer);
        let message = transfer.message(channel.key, channel.class)?;
        while channel.pending.front().is_some_and(Transfer::is_complete) {
            channel.pending.pop_front();
            channel.first += 1;
        }
        Some(message)
    }
}

impl Channel {
    fn get(&self, number: u64) -> Option<&Transfer> {
        self.pending.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    fn get_or_add(&mut self, number: u64) -> &mut Transfer {
        let place = (number - self.first) as usize;
        if place >= self.pending.len() {
            self.pending.resize(place + 1, Transfer::default());
        }
        &mut self.pending[place]
    }
}

impl Transfer {
    fn is_complete(&self) -> bool {
        self.sent.is_some() && self.received.is_some() && self.is_released
    }

    /// Returns the message, if both ends are done with it.
    fn message(&self, key: ChannelKey, class: u32) -> Option<Message> {
        let (sent, received) = self.sent.zip(self.received).filter(|_| self.is_released)?;
        Some(Message {
            from: key.from,
            to: key.to,
            bytes: self.bytes,
            class,
            kind: 0,
            sent,
            arrived: received,
            received,
        })
    }
}
