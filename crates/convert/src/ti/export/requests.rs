//! Export of point-to-point messages and their requests.

use panto_trace::{CallForm, Comm, Slot, Tables};

use super::Export;
use crate::error::Result;

/// A message that this rank sends or receives.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    pub sends: bool,
    pub comm: Comm,
    /// Peer's rank; `None` while a wildcard is unmatched.
    pub other: Option<u32>,
    pub tag: Option<i64>,
    pub bytes: u64,
}

/// An operation in progress.
#[derive(Debug, Clone, Copy)]
pub struct Started {
    message: Message,
    /// Peer's rank and tag, once known.
    pub source: Option<(u32, i64)>,
    /// Index of its line.
    line: usize,
}

/// A request.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Operations in progress.
    pub parts: Vec<Started>,
    /// Whether the request is persistent.
    is_persistent: bool,
    /// Message of a persistent request; `None` for `MPI_PROC_NULL`.
    template: Option<Message>,
}

impl Message {
    fn known(&self) -> Option<(u32, i64)> {
        self.other.zip(self.tag)
    }

    fn line(&self, immediate: bool, (other, tag): (u32, i64)) -> String {
        let prefix = if immediate { "i" } else { "" };
        let verb = if self.sends { "send" } else { "recv" };
        format!("{prefix}{verb} {other} {tag} {}", self.bytes)
    }
}

impl Export<'_> {
    /// Exports a send or receive; `None` is a message to or from `MPI_PROC_NULL`.
    pub(super) fn message(
        &mut self,
        form: CallForm,
        message: Option<Message>,
        request: Option<Slot>,
    ) -> Result<()> {
        match form {
            CallForm::Blocking => {
                let Some(message) = message else { return Ok(()) };
                let known = message
                    .known()
                    .ok_or_else(|| self.unsupported("the trace does not record the received message"))?;
                self.lines.push(message.line(false, known));
            }
            CallForm::Immediate => {
                let parts = message.map(|message| self.begin(message)).into_iter().collect();
                self.open(request, Request { parts, ..Request::default() });
            }
            CallForm::Persistent => {
                self.open(request, Request { parts: Vec::new(), is_persistent: true, template: message });
            }
            CallForm::Partitioned => return Err(self.unsupported("partitioned communication")),
        }
        Ok(())
    }

    /// Exports a combined send and receive.
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
        // The line of an unmatched wildcard receive is filled in on completion.
        self.lines.push(source.map_or_else(String::new, |known| message.line(true, known)));
        Started { message, source, line: self.lines.len() - 1 }
    }

    /// Exports the start of a persistent request.
    pub(super) fn start(&mut self, slot: i64) -> Result<()> {
        let number = u32::try_from(slot).unwrap_or(u32::MAX);
        let known = self.requests.get(&number).filter(|request| request.is_persistent);
        let Some(template) = known.map(|request| request.template) else {
            return Err(self.unsupported("unknown persistent request"));
        };
        let parts = template.map(|message| self.begin(message)).into_iter().collect();
        self.requests.insert(number, Request { parts, is_persistent: true, template });
        Ok(())
    }

    /// Exports waits for the requests that a call completed. `outcomes` holds index, source, tag
    /// and bytes of each message that a wildcard matched.
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

    /// Fills in the line of a wildcard receive from its outcome.
    fn fill(&mut self, tables: &Tables, part: &mut Started, outcome: Option<&[i64]>) -> Result<()> {
        let Some(&[_, source, tag, bytes]) = outcome else {
            return Err(self.unsupported("the trace does not record what a wildcard receive matched"));
        };
        if source < 0 {
            return Err(self.unsupported("an operation was cancelled"));
        }
        let known = (self.member(tables, part.message.comm, source)?, self.tag(part.message.comm, tag)?);
        part.message.bytes = u64::try_from(bytes).unwrap_or(0);
        part.source = Some(known);
        self.lines[part.line] = part.message.line(true, known);
        Ok(())
    }

    fn wait(&mut self, part: &Started) -> Result<()> {
        let (other, tag) =
            part.source.ok_or_else(|| self.unsupported("the trace does not record the received message"))?;
        let (source, destination) = if part.message.sends { (self.rank, other) } else { (other, self.rank) };
        self.lines.push(format!("wait {source} {destination} {tag}"));
        Ok(())
    }
}
