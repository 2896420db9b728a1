//! Messages, and what is started and waited for.

use panto_trace::{Comm, Form, Slot, Tables};

use super::Export;
use crate::error::Result;

/// A message that this rank sends or receives.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    pub sends: bool,
    pub comm: Comm,
    /// The other rank; none if it is not known yet.
    pub other: Option<u32>,
    pub tag: Option<i64>,
    pub bytes: u64,
}

/// What was started.
#[derive(Debug, Clone, Copy)]
pub struct Started {
    message: Message,
    /// The other rank and the tag, once they are known.
    pub source: Option<(u32, i64)>,
    /// Where it stands.
    line: usize,
}

/// A place for requests.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// What is under way.
    pub parts: Vec<Started>,
    /// Is it persistent?
    is_persistent: bool,
    /// What starts with it then; a message to nobody is nothing.
    described: Option<Message>,
}

impl Message {
    fn known(&self) -> Option<(u32, i64)> {
        self.other.zip(self.tag)
    }

    fn line(&self, immediate: bool, (other, tag): (u32, i64)) -> String {
        let letter = if immediate { "i" } else { "" };
        let verb = if self.sends { "send" } else { "recv" };
        format!("{letter}{verb} {other} {tag} {}", self.bytes)
    }
}

impl Export<'_> {
    /// Sends or receives; nothing is a message to nobody.
    pub(super) fn message(
        &mut self,
        form: Form,
        message: Option<Message>,
        request: Option<Slot>,
    ) -> Result<()> {
        match form {
            Form::Blocking => {
                let Some(message) = message else { return Ok(()) };
                let known = message.known().ok_or_else(|| self.beyond("the trace does not say what came"))?;
                self.lines.push(message.line(false, known));
            }
            Form::Immediate => {
                let parts = message.map(|message| self.begin(message)).into_iter().collect();
                self.open(request, Request { parts, ..Request::default() });
            }
            Form::Persistent => {
                self.open(request, Request { parts: Vec::new(), is_persistent: true, described: message });
            }
            Form::Partitioned => return Err(self.beyond("it is filled part by part")),
        }
        Ok(())
    }

    /// A send and a receive at once.
    pub(super) fn both(
        &mut self,
        incoming: Option<Message>,
        outgoing: Option<Message>,
        request: Option<Slot>,
    ) -> Result<()> {
        let parts: Vec<Started> =
            [incoming, outgoing].into_iter().flatten().map(|message| self.begin(message)).collect();
        if request.is_some() {
            self.open(request, Request { parts, ..Request::default() });
            return Ok(());
        }
        parts.iter().try_for_each(|part| self.wait(part))
    }

    fn open(&mut self, request: Option<Slot>, new: Request) {
        if let Some(Slot(slot)) = request {
            self.requests.insert(slot, new);
        }
    }

    fn begin(&mut self, message: Message) -> Started {
        let source = message.known();
        // Where it is not known yet, the line is filled when the message has come.
        self.lines.push(source.map_or_else(String::new, |known| message.line(true, known)));
        Started { message, source, line: self.lines.len() - 1 }
    }

    /// Starts a persistent operation.
    pub(super) fn start(&mut self, slot: i64) -> Result<()> {
        let number = u32::try_from(slot).unwrap_or(u32::MAX);
        let known = self.requests.get(&number).filter(|request| request.is_persistent);
        let Some(described) = known.map(|request| request.described) else {
            return Err(self.beyond("what it starts is not known"));
        };
        let parts = described.map(|message| self.begin(message)).into_iter().collect();
        self.requests.insert(number, Request { parts, is_persistent: true, described });
        Ok(())
    }

    /// Waits for what a call completed. `outcomes` has position, source, tag and bytes of what came for wild cards.
    pub(super) fn complete(
        &mut self,
        tables: &Tables,
        requests: &[i64],
        completed: &[i64],
        outcomes: &[i64],
    ) -> Result<()> {
        for position in completed {
            let place = usize::try_from(*position).ok().and_then(|place| requests.get(place));
            let slot = place.and_then(|slot| u32::try_from(*slot).ok()).unwrap_or(u32::MAX);
            let Some(mut request) = self.requests.remove(&slot) else { continue };
            let outcome = outcomes.chunks_exact(4).find(|outcome| outcome[0] == *position);
            for mut part in request.parts.drain(..) {
                if part.source.is_none() {
                    self.fill(tables, &mut part, outcome)?;
                }
                self.wait(&part)?;
            }
            if request.is_persistent {
                self.requests.insert(slot, request);
            }
        }
        Ok(())
    }

    /// Fills the line of a receive, now that it is known what it got.
    fn fill(&mut self, tables: &Tables, part: &mut Started, outcome: Option<&[i64]>) -> Result<()> {
        let Some(&[_, source, tag, bytes]) = outcome else {
            return Err(self.beyond("the trace does not say what a receive with wild cards got"));
        };
        if source < 0 {
            return Err(self.beyond("an operation was cancelled"));
        }
        let known = (self.member(tables, part.message.comm, source)?, self.tag(part.message.comm, tag)?);
        part.message.bytes = u64::try_from(bytes).unwrap_or(0);
        part.source = Some(known);
        self.lines[part.line] = part.message.line(true, known);
        Ok(())
    }

    fn wait(&mut self, part: &Started) -> Result<()> {
        let (other, tag) = part.source.ok_or_else(|| self.beyond("the trace does not say what came"))?;
        let (source, destination) = if part.message.sends { (self.rank, other) } else { (other, self.rank) };
        self.lines.push(format!("wait {source} {destination} {tag}"));
        Ok(())
    }
}
