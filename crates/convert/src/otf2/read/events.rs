//! MPI events of a location, with global numbers and corrected times.

use rustc_hash::FxHashMap;

use super::super::decode::{Fields, Record, RecordFile};
use super::super::kinds::{definition, event, mapping};
use super::anchor::Anchor;
use super::clock::LocationClock;
use super::definitions::Definitions;
use crate::error::{Error, Result};

/// An event that matters for MPI.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// Nanoseconds since the beginning of the archive.
    pub time: u64,
    pub kind: EventKind,
    /// Where it is in the file.
    offset: u64,
}

/// What happened. Requests are numbered by the writer of the archive.
#[derive(Debug, Clone, Copy)]
pub enum EventKind {
    Enter(u32),
    Leave(u32),
    /// A message is sent: by a blocking call, or with a request.
    Send {
        message: Transfer,
        request: Option<u64>,
    },
    /// A non-blocking receive is started.
    ReceiveStarted(u64),
    /// A message was received: by a blocking call, or it completed a request.
    Received {
        message: Transfer,
        request: Option<u64>,
    },
    /// A request is complete: that of a send, or one that was cancelled.
    Completed(u64),
    /// A test found that a request is not complete.
    Tested(u64),
    /// A non-blocking collective is started.
    CollectiveStarted(u64),
    /// A collective ended, or the one of a request.
    Collective {
        operation: Operation,
        request: Option<u64>,
    },
    /// A one-sided operation, or its synchronisation.
    OneSided,
    /// Something else, which is skipped.
    Other,
}

/// A message, as one of its ends sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The other end, by its rank in the communicator.
    pub partner: u32,
    pub comm: u32,
    pub tag: u32,
    pub bytes: u64,
}

/// A collective, as one rank sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    pub code: u8,
    pub comm: u32,
    pub root: u32,
    /// Bytes that the rank sent and received, in total.
    pub sent: u64,
    pub received: u64,
}

/// The file of a location's events.
pub struct EventFile {
    file: RecordFile,
    clock: LocationClock,
    /// Global numbers of regions and communicators, by local ones.
    regions: FxHashMap<u64, u64>,
    comms: FxHashMap<u64, u64>,
}

impl EventFile {
    pub fn open(anchor: &Anchor, definitions: &Definitions, location: u64) -> Result<Self> {
        let file = RecordFile::open(&anchor.location(location, "evt"), anchor.event_chunk, true)?;
        let local = LocalDefinitions::read(anchor, location)?;
        let clock = LocationClock::new(definitions.clock, local.offsets);
        Ok(Self { file, clock, regions: local.regions, comms: local.comms })
    }

    /// Returns an error at an event.
    pub fn error(&self, event: &Event, text: &str) -> Error {
        self.file.error(event.offset, text)
    }

    /// Returns the next event; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Event>> {
        loop {
            let Some(record) = self.file.next()? else { return Ok(None) };
            let Record { kind, time, offset, fields } = record;
            match parse(kind, fields) {
                Some(EventKind::Other) => {}
                None => return Err(self.file.error(offset, "an event is incomplete")),
                Some(kind) => {
                    let kind = self.with_global_numbers(kind);
                    return Ok(Some(Event { time: self.clock.nanos(time), kind, offset }));
                }
            }
        }
    }

    fn with_global_numbers(&self, mut kind: EventKind) -> EventKind {
        let map = |table: &FxHashMap<u64, u64>, number: &mut u32| {
            let global = table.get(&u64::from(*number)).and_then(|global| u32::try_from(*global).ok());
            *number = global.unwrap_or(*number);
        };
        match &mut kind {
            EventKind::Enter(region) | EventKind::Leave(region) => map(&self.regions, region),
            EventKind::Send { message, .. } | EventKind::Received { message, .. } => {
                map(&self.comms, &mut message.comm);
            }
            EventKind::Collective { operation, .. } => map(&self.comms, &mut operation.comm),
            _ => {}
        }
        kind
    }
}

/// Reads an event; `None` if it is incomplete.
fn parse(kind: u8, mut fields: Fields<'_>) -> Option<EventKind> {
    let fields = &mut fields;
    Some(match kind {
        event::ENTER => EventKind::Enter(fields.u32()?),
        event::LEAVE => EventKind::Leave(fields.u32()?),
        event::MPI_SEND => EventKind::Send { message: transfer(fields)?, request: None },
        event::MPI_ISEND => EventKind::Send { message: transfer(fields)?, request: Some(fields.u64()?) },
        event::MPI_RECV => EventKind::Received { message: transfer(fields)?, request: None },
        event::MPI_IRECV => EventKind::Received { message: transfer(fields)?, request: Some(fields.u64()?) },
        event::MPI_IRECV_REQUEST => EventKind::ReceiveStarted(fields.u64()?),
        event::MPI_ISEND_COMPLETE | event::MPI_REQUEST_CANCELLED => EventKind::Completed(fields.u64()?),
        event::MPI_REQUEST_TEST => EventKind::Tested(fields.u64()?),
        event::MPI_COLLECTIVE_END => EventKind::Collective { operation: operation(fields)?, request: None },
        event::NON_BLOCKING_COLLECTIVE_REQUEST => EventKind::CollectiveStarted(fields.u64()?),
        event::NON_BLOCKING_COLLECTIVE_COMPLETE => {
            EventKind::Collective { operation: operation(fields)?, request: Some(fields.u64()?) }
        }
        kind if event::RMA.contains(&kind) => EventKind::OneSided,
        // The beginning of a blocking collective says nothing that its end does not.
        _ => EventKind::Other,
    })
}

fn transfer(fields: &mut Fields<'_>) -> Option<Transfer> {
    Some(Transfer { partner: fields.u32()?, comm: fields.u32()?, tag: fields.u32()?, bytes: fields.u64()? })
}

fn operation(fields: &mut Fields<'_>) -> Option<Operation> {
    let (code, comm, root) = (fields.u8()?, fields.u32()?, fields.u32()?);
    Some(Operation { code, comm, root, sent: fields.u64()?, received: fields.u64()? })
}

/// Local definitions of a location.
#[derive(Default)]
struct LocalDefinitions {
    regions: FxHashMap<u64, u64>,
    comms: FxHashMap<u64, u64>,
    offsets: Vec<(u64, i64)>,
}

impl LocalDefinitions {
    /// Reads them; an archive need not have any.
    fn read(anchor: &Anchor, location: u64) -> Result<Self> {
        let path = anchor.location(location, "def");
        let mut local = Self::default();
        if !path.exists() {
            return Ok(local);
        }
        let mut file = RecordFile::open(&path, anchor.definition_chunk, false)?;
        loop {
            let Some(record) = file.next()? else { return Ok(local) };
            let (kind, offset) = (record.kind, record.offset);
            if local.add(kind, record.fields).is_none() {
                return Err(file.error(offset, "a local definition is incomplete"));
            }
        }
    }

    fn add(&mut self, kind: u8, mut fields: Fields<'_>) -> Option<()> {
        const SPARSE: u8 = 1;
        match kind {
            definition::MAPPING_TABLE => {
                let table = match fields.u8()? {
                    mapping::REGION => &mut self.regions,
                    mapping::COMM => &mut self.comms,
                    _ => return Some(()),
                };
                let (count, mode) = (fields.u64()?, fields.u8()?);
                for number in 0..count {
                    let local = if mode == SPARSE { fields.u64()? } else { number };
                    table.insert(local, fields.u64()?);
                }
            }
            definition::CLOCK_OFFSET => self.offsets.push((fields.full_u64()?, fields.u64()? as i64)),
            _ => {}
        }
        Some(())
    }
}
