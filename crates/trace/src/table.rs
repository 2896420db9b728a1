//! What events refer to by number: names, datatypes, communicators, windows and files, signatures.

use crate::action::{Constants, Kind, MOST_CONSTANTS};
use crate::field::{Comm, Field, Name, Object, Type};
use crate::ranks::Ranks;
use crate::varint::{put, put_bytes, put_signed, take, take_bytes, take_signed};

/// A communicator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Communicator {
    /// The function that made it.
    pub made_by: Name,
    /// What it was made from.
    pub parent: Option<Comm>,
    /// How many were made from the same one before it by functions that all its members call, those that this rank is not in among them: so
    /// all members agree on it. Others do not count and have zero.
    pub ordinal: u32,
    /// What tells it from others that are made at the same time: the tag, where the function has one.
    pub tag: i64,
    /// This rank's number in it.
    pub rank: u32,
    /// The members' numbers in `MPI_COMM_WORLD`; of an intercommunicator, those on this side.
    pub members: Ranks,
    /// The other side of an intercommunicator.
    pub others: Option<Ranks>,
    /// Neighbours from which neighbourhood collectives receive, in their order; by their number in the communicator.
    pub sources: Ranks,
    /// Neighbours to which they send.
    pub destinations: Ranks,
}

/// A datatype.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Datatype {
    /// Bytes of data in one element.
    pub size: u64,
    /// Bytes from one element to the next.
    pub extent: i64,
    /// Made by the program; its data may have gaps.
    pub is_derived: bool,
}

/// A window or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thing {
    /// Whose it is.
    pub comm: Comm,
    /// The file's name; empty for a window.
    pub name: String,
}

/// The constant part of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The function.
    pub name: Name,
    /// What it does.
    pub kind: Kind,
    /// The constant parts of what it does.
    pub constants: Constants,
}

/// All that events of a rank refer to, so far.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    names: Vec<String>,
    types: Vec<Datatype>,
    comms: Vec<Communicator>,
    things: Vec<Thing>,
    signatures: Vec<Signature>,
    /// How many definitions there are, and of how many bytes.
    count: usize,
    bytes: usize,
}

/// A rank has no more definitions, and so no file makes a reader take more memory.
const MOST_DEFINITIONS: usize = 1 << 22;
const MOST_BYTES: usize = 1 << 28;

const NAME: u64 = 1;
const TYPE: u64 = 2;
const COMM: u64 = 3;
const THING: u64 = 4;
const SIGNATURE: u64 = 5;

pub fn put_name(out: &mut Vec<u8>, name: &str) {
    put(out, NAME);
    put_bytes(out, name.as_bytes());
}

pub fn put_type(out: &mut Vec<u8>, datatype: &Datatype) {
    put(out, TYPE);
    put(out, datatype.size);
    put_signed(out, datatype.extent);
    put(out, datatype.is_derived.into());
}

pub fn put_comm(out: &mut Vec<u8>, comm: &Communicator) {
    put(out, COMM);
    put(out, comm.made_by.0.into());
    put_signed(out, comm.parent.put());
    put(out, comm.ordinal.into());
    put_signed(out, comm.tag);
    put(out, comm.rank.into());
    comm.members.put(out);
    put(out, comm.others.is_some().into());
    for ranks in comm.others.iter().chain([&comm.sources, &comm.destinations]) {
        ranks.put(out);
    }
}

pub fn put_thing(out: &mut Vec<u8>, thing: &Thing) {
    put(out, THING);
    put(out, thing.comm.0.into());
    put_bytes(out, thing.name.as_bytes());
}

pub fn put_signature(out: &mut Vec<u8>, signature: &Signature) {
    put(out, SIGNATURE);
    put(out, signature.name.0.into());
    put(out, signature.kind.put() as u64);
    for part in &signature.constants[..signature.kind.constants()] {
        put_signed(out, *part);
    }
}

impl Tables {
    /// A name.
    pub fn name(&self, name: Name) -> Option<&str> {
        self.names.get(name.index()).map(String::as_str)
    }

    /// A datatype.
    pub fn datatype(&self, datatype: Type) -> Option<&Datatype> {
        self.types.get(datatype.index())
    }

    /// A communicator.
    pub fn comm(&self, comm: Comm) -> Option<&Communicator> {
        self.comms.get(comm.index())
    }

    /// All communicators.
    pub fn comms(&self) -> &[Communicator] {
        &self.comms
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn types(&self) -> &[Datatype] {
        &self.types
    }

    pub(crate) fn things(&self) -> &[Thing] {
        &self.things
    }

    /// A window or a file.
    pub fn thing(&self, object: Object) -> Option<&Thing> {
        self.things.get(object.index())
    }

    /// A signature.
    #[inline]
    pub fn signature(&self, number: usize) -> Option<&Signature> {
        self.signatures.get(number)
    }

    #[inline]
    pub(crate) fn all_signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// How many signatures there are.
    pub fn signatures(&self) -> usize {
        self.signatures.len()
    }

    /// Adds definitions from a block. None if they make no sense, or are more than any program has.
    pub(crate) fn extend(&mut self, mut bytes: &[u8]) -> Option<()> {
        self.bytes += bytes.len();
        if self.bytes > MOST_BYTES {
            return None;
        }
        while !bytes.is_empty() {
            self.take(&mut bytes)?;
            self.count += 1;
            if self.count > MOST_DEFINITIONS {
                return None;
            }
        }
        Some(())
    }

    fn take(&mut self, bytes: &mut &[u8]) -> Option<()> {
        match take(bytes)? {
            NAME => self.names.push(text(bytes)?),
            TYPE => self.types.push(Datatype {
                size: take(bytes)?,
                extent: take_signed(bytes)?,
                is_derived: take(bytes)? != 0,
            }),
            COMM => {
                let comm = take_comm(bytes)?;
                self.comms.push(comm);
            }
            THING => self.things.push(Thing { comm: Comm(number(bytes)?), name: text(bytes)? }),
            SIGNATURE => {
                let signature = take_signature(bytes)?;
                self.name(signature.name)?;
                self.signatures.push(signature);
            }
            _ => return None,
        }
        Some(())
    }
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    u32::try_from(take(bytes)?).ok()
}

fn text(bytes: &mut &[u8]) -> Option<String> {
    Some(String::from_utf8_lossy(take_bytes(bytes)?).into_owned())
}

fn take_comm(bytes: &mut &[u8]) -> Option<Communicator> {
    let made_by = Name(number(bytes)?);
    let parent = Field::get(take_signed(bytes)?)?;
    let ordinal = number(bytes)?;
    let tag = take_signed(bytes)?;
    let rank = number(bytes)?;
    let members = Ranks::take(bytes)?;
    let others = if take(bytes)? == 0 { None } else { Some(Ranks::take(bytes)?) };
    let sources = Ranks::take(bytes)?;
    let destinations = Ranks::take(bytes)?;
    Some(Communicator { made_by, parent, ordinal, tag, rank, members, others, sources, destinations })
}

fn take_signature(bytes: &mut &[u8]) -> Option<Signature> {
    let name = Name(number(bytes)?);
    let kind = Kind::get(i64::try_from(take(bytes)?).ok()?)?;
    let mut constants = [0; MOST_CONSTANTS];
    for part in &mut constants[..kind.constants()] {
        *part = take_signed(bytes)?;
    }
    Some(Signature { name, kind, constants })
}
