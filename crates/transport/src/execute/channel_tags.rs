//! The tags of a program's channels on a transport.

use std::collections::HashMap;

use panto_sim::program::{Op, Program};

use crate::message::{FIRST_COLLECTIVE_TAG, Tag};

/// A tag that no message has: a probe for it always fails.
pub(super) const UNUSED_TAG: Tag = FIRST_COLLECTIVE_TAG - 1;

/// A channel on a transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChannelTag {
    pub(super) tag: Tag,
    /// The length of its longest message in bytes.
    pub(super) max_len: usize,
}

/// The tags of all channels of a program.
#[derive(Debug)]
pub(super) struct ChannelTags {
    channel_tags: Vec<ChannelTag>,
    /// The length of the longest message of all channels in bytes.
    pub(super) max_len: usize,
}

impl ChannelTags {
    pub(super) fn new(program: &Program) -> Result<Self, String> {
        let mut between: HashMap<(u32, u32), Tag> = HashMap::new();
        let mut channel_tags = Vec::with_capacity(program.channels.len());
        for channel in &program.channels {
            // Channels between two ranks get different tags: messages stay in order within a tag,
            // as within a channel.
            let next = between.entry((channel.from, channel.to)).or_default();
            if *next == UNUSED_TAG {
                return Err(format!(
                    "ranks {} and {} use more than {UNUSED_TAG} combinations of tag and communicator, more than a transport has tags",
                    channel.from, channel.to
                ));
            }
            channel_tags.push(ChannelTag { tag: *next, max_len: 0 });
            *next += 1;
        }
        for op in program.codes.iter().flat_map(|code| &code.ops) {
            match op.unpack() {
                Op::Send { channel, bytes, .. } | Op::StartSend { channel, bytes, .. } => {
                    let bytes = usize::try_from(bytes).map_err(|_| format!("a message of {bytes} bytes"))?;
                    let channel_tag = &mut channel_tags[channel as usize];
                    channel_tag.max_len = channel_tag.max_len.max(bytes);
                }
                Op::Remote { .. } => {
                    return Err("it has one-sided communication, which can only be simulated".into());
                }
                Op::File { .. } => {
                    return Err("it reads or writes files, which can only be simulated".into());
                }
                _ => {}
            }
        }
        let max_len = channel_tags.iter().map(|channel_tag| channel_tag.max_len).max().unwrap_or(0);
        Ok(Self { channel_tags, max_len })
    }

    pub(super) fn of(&self, channel: u32) -> ChannelTag {
        self.channel_tags[channel as usize]
    }
}
