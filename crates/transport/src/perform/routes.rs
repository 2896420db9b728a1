//! What messages are known by: channels as tags.

use std::collections::HashMap;

use panto_sim::program::{Act, Program};

use crate::message::{FIRST_COLLECTIVE_TAG, Tag};

/// No message has this tag: whoever looks for it finds nothing.
pub(super) const NOBODYS: Tag = FIRST_COLLECTIVE_TAG - 1;

/// A channel on a transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) tag: Tag,
    /// The longest message.
    pub(super) most: usize,
}

/// All channels.
#[derive(Debug)]
pub(super) struct Routes {
    routes: Vec<Route>,
    /// The longest message of all.
    pub(super) most: usize,
}

impl Routes {
    pub(super) fn new(program: &Program) -> Result<Self, String> {
        let mut between: HashMap<(u32, u32), Tag> = HashMap::new();
        let mut routes = Vec::with_capacity(program.channels.len());
        for channel in &program.channels {
            // Messages between two ranks stay in order within a tag, as they do within a channel.
            let next = between.entry((channel.from, channel.to)).or_default();
            if *next == NOBODYS {
                return Err(format!(
                    "ranks {} and {} use more than {NOBODYS} tags and communicators, and no transport has so many tags",
                    channel.from, channel.to
                ));
            }
            routes.push(Route { tag: *next, most: 0 });
            *next += 1;
        }
        for op in program.codes.iter().flat_map(|code| &code.ops) {
            match op.act() {
                Act::Send { channel, bytes, .. } | Act::StartSend { channel, bytes, .. } => {
                    let bytes = usize::try_from(bytes).map_err(|_| format!("a message of {bytes} bytes"))?;
                    let route = &mut routes[channel as usize];
                    route.most = route.most.max(bytes);
                }
                Act::Remote { .. } => {
                    return Err("it has one-sided communication, which can be simulated only".into());
                }
                Act::File { .. } => {
                    return Err("it reads or writes files, which can be simulated only".into());
                }
                _ => {}
            }
        }
        let most = routes.iter().map(|route| route.most).max().unwrap_or(0);
        Ok(Self { routes, most })
    }

    pub(super) fn of(&self, channel: u32) -> Route {
        self.routes[channel as usize]
    }
}
