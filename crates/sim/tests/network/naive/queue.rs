//! Store and forward, cut-through: a queue in front of each link.

use std::collections::{HashMap, VecDeque};

use panto_machine::{Network, Switching};
use panto_sim::network::Transfer;

use super::{Policy, route, width};

pub struct Queue<'a> {
    network: &'a Network,
    messages: HashMap<usize, Message>,
    links: HashMap<u64, Link>,
    /// Time, message and kind of event.
    events: Vec<(u64, usize, Event)>,
}

struct Message {
    route: Vec<u64>,
    bytes: u64,
    left: u64,
    /// The injection order.
    order: usize,
}

#[derive(Default)]
struct Link {
    waiting: VecDeque<(usize, usize)>,
    busy: usize,
}

#[derive(Clone, Copy)]
enum Event {
    /// The head arrives at this link of its route.
    Head(usize),
    /// The message releases the link.
    Free(u64),
}

impl<'a> Queue<'a> {
    pub fn new(network: &'a Network) -> Self {
        Self { network, messages: HashMap::new(), links: HashMap::new(), events: Vec::new() }
    }

    /// The time for which a link is occupied, and the time after which the head proceeds.
    fn times(&self, bytes: u64) -> (u64, u64) {
        let whole = self.network.link.of(bytes).as_picos();
        match self.network.switching {
            Switching::CutThrough { header } => {
                let head = self.network.setup.of(header).as_picos();
                (head + whole, head)
            }
            _ => (whole, whole),
        }
    }

    /// Serves waiting messages in order while there are free channels.
    fn serve(&mut self, link: u64, now: u64) -> Vec<(usize, u64, u64)> {
        let mut known = Vec::new();
        while self.links[&link].busy < width(self.network, link)
            && let Some((message, hop)) = self.links.get_mut(&link).unwrap().waiting.pop_front()
        {
            self.links.get_mut(&link).unwrap().busy += 1;
            let (hold, step) = self.times(self.messages[&message].bytes);
            self.events.push((now + hold, message, Event::Free(link)));
            let about = self.messages.get_mut(&message).unwrap();
            if hop == 0 {
                about.left = now + hold;
            }
            if hop + 1 == about.route.len() {
                known.push((message, about.left, now + hold));
            } else {
                self.events.push((now + step, message, Event::Head(hop + 1)));
            }
        }
        known
    }
}

impl Policy for Queue<'_> {
    fn enter(&mut self, now: u64, message: usize, load: Transfer) {
        let route = route(self.network, load);
        let about = Message { route, bytes: load.bytes, left: 0, order: self.messages.len() };
        self.messages.insert(message, about);
        self.events.push((now, message, Event::Head(0)));
    }

    fn next(&self) -> Option<u64> {
        self.events.iter().map(|(time, ..)| *time).min()
    }

    fn step(&mut self) -> Vec<(usize, u64, u64)> {
        self.events.sort_by_key(|(time, message, _)| (*time, self.messages[message].order));
        let (now, message, event) = self.events.remove(0);
        let link = match event {
            Event::Head(hop) => {
                let link = self.messages[&message].route[hop];
                self.links.entry(link).or_default().waiting.push_back((message, hop));
                link
            }
            Event::Free(link) => {
                self.links.get_mut(&link).unwrap().busy -= 1;
                link
            }
        };
        self.serve(link, now)
    }
}
