//! The definitions that events refer to by number: names, datatypes, communicators, windows and
//! files, signatures.

use crate::action::{Constants, Kind, MOST_CONSTANTS};
use crate::field::{Comm, Field, Name, Site, Type, WindowOrFileId};
use crate::ranks::Ranks;
use crate::site::CallSite;
use panto_container::varint::{put, put_bytes, put_signed, take, take_bytes, take_signed};

/// A communicator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Communicator {
    /// The function that made it.
    pub made_by: Name,
    /// The communicator from which it was made.
    pub parent: Option<Comm>,
    /// The number of communicators that were made from the same parent before, by functions that
    /// all members of the parent call, including those of which this rank is not a member: all
    /// members agree on it. Other functions are not counted, and communicators that they make have
    /// 0.
    pub ordinal: u32,
    /// The tag, where the function has one: it distinguishes communicators that are made at the
    /// same time.
    pub tag: i64,
    /// This rank's number in it.
    pub rank: u32,
    /// The members' ranks in `MPI_COMM_WORLD`; of an intercommunicator, those of the local group.
    pub members: Ranks,
    /// The remote group of an intercommunicator.
    pub others: Option<Ranks>,
    /// Neighbours from which neighbourhood collectives receive, in their order, by their rank in
    /// the communicator.
    pub sources: Ranks,
    /// Neighbours to which neighbourhood collectives send, likewise.
    pub destinations: Ranks,
}

/// A datatype.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Datatype {
    /// Bytes of data in one element.
    pub size: u64,
    /// Bytes from one element to the next.
    pub extent: i64,
    /// Whether the program made it; its data may have gaps.
    pub is_derived: bool,
}

/// A window or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowOrFile {
    /// Its communicator.
    pub comm: Comm,
    /// The file's name; empty for a window.
    pub name: String,
}

/// The interned constant part of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The function.
    pub name: Name,
    /// The kind of action.
    pub kind: Kind,
    /// The constant parts of the action.
    pub constants: Constants,
    /// The place in the program from which the function is called, if it was recorded.
    pub site: Option<Site>,
}

/// All definitions of a rank, up to some block.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    names: Vec<String>,
    types: Vec<Datatype>,
    comms: Vec<Communicator>,
    things: Vec<WindowOrFile>,
    sites: Vec<CallSite>,
    signatures: Vec<Signature>,
    /// The number of definitions, and their bytes.
    count: usize,
    bytes: usize,
}

/// The most definitions of a rank, so that no file makes a reader allocate without bound.
const MOST_DEFINITIONS: usize = 1 << 22;
const MOST_BYTES: usize = 1 << 28;

const NAME: u64 = 1;
const TYPE: u64 = 2;
const COMM: u64 = 3;
const THING: u64 = 4;
const SIGNATURE: u64 = 5;
const SITE: u64 = 6;
const SIGNATURE_AT_SITE: u64 = 7;

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

pub fn put_window_or_file(out: &mut Vec<u8>, object: &WindowOrFile) {
    put(out, THING);
    put(out, object.comm.0.into());
    put_bytes(out, object.name.as_bytes());
}

pub fn put_signature(out: &mut Vec<u8>, signature: &Signature) {
    match signature.site {
        None => put(out, SIGNATURE),
        Some(site) => {
            put(out, SIGNATURE_AT_SITE);
            put(out, site.0.into());
        }
    }
    put(out, signature.name.0.into());
    put(out, signature.kind.put() as u64);
    for part in &signature.constants[..signature.kind.constants()] {
        put_signed(out, *part);
    }
}

pub fn put_site(out: &mut Vec<u8>, site: &CallSite) {
    put(out, SITE);
    put_bytes(out, site.object.as_bytes());
    put(out, site.address);
}

impl Tables {
    /// Returns a name.
    pub fn name(&self, name: Name) -> Option<&str> {
        self.names.get(name.index()).map(String::as_str)
    }

    /// Returns a datatype.
    pub fn datatype(&self, datatype: Type) -> Option<&Datatype> {
        self.types.get(datatype.index())
    }

    /// Returns a communicator.
    pub fn comm(&self, comm: Comm) -> Option<&Communicator> {
        self.comms.get(comm.index())
    }

    /// Returns all communicators.
    pub fn comms(&self) -> &[Communicator] {
        &self.comms
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn types(&self) -> &[Datatype] {
        &self.types
    }

    pub(crate) fn windows_and_files(&self) -> &[WindowOrFile] {
        &self.things
    }

    /// Returns a window or a file.
    pub fn window_or_file(&self, object: WindowOrFileId) -> Option<&WindowOrFile> {
        self.things.get(object.index())
    }

    /// Returns a call site.
    pub fn site(&self, site: Site) -> Option<&CallSite> {
        self.sites.get(site.index())
    }

    /// Returns all call sites.
    pub fn sites(&self) -> &[CallSite] {
        &self.sites
    }

    /// Returns a signature.
    #[inline]
    pub fn signature(&self, number: usize) -> Option<&Signature> {
        self.signatures.get(number)
    }

    #[inline]
    pub(crate) fn all_signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// Returns the number of signatures.
    pub fn signatures(&self) -> usize {
        self.signatures.len()
    }

    /// Adds the definitions of a block; none if they are invalid or exceed the limits.
    pub fn extend(&mut self, bytes: &[u8]) -> Option<()> {
        self.extend_by(bytes, Self::take)
    }

    /// Adds the definitions of a block except signatures, which are the most by far where partners
    /// change all the time; none if the others are invalid or exceed the limits.
    pub(crate) fn extend_without_signatures(&mut self, bytes: &[u8]) -> Option<()> {
        self.extend_by(bytes, |tables, bytes| {
            let mut rest = *bytes;
            match take(&mut rest)? {
                SIGNATURE => {}
                SIGNATURE_AT_SITE => _ = number(&mut rest)?,
                _ => return tables.take(bytes),
            }
            take_signature(&mut rest)?;
            *bytes = rest;
            Some(())
        })
    }

    fn extend_by(
        &mut self,
        mut bytes: &[u8],
        take: impl Fn(&mut Self, &mut &[u8]) -> Option<()>,
    ) -> Option<()> {
        self.bytes += bytes.len();
        if self.bytes > MOST_BYTES {
            return None;
        }
        while !bytes.is_empty() {
            take(self, &mut bytes)?;
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
            THING => self.things.push(WindowOrFile { comm: Comm(number(bytes)?), name: text(bytes)? }),
            kind @ (SIGNATURE | SIGNATURE_AT_SITE) => {
                let site = if kind == SIGNATURE { None } else { Some(Site(number(bytes)?)) };
                let signature = Signature { site, ..take_signature(bytes)? };
                self.name(signature.name)?;
                if let Some(site) = site {
                    self.site(site)?;
                }
                self.signatures.push(signature);
            }
            SITE => {
                let object = text(bytes)?;
                self.sites.push(CallSite { object, address: take(bytes)? });
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
    Some(Signature { name, kind, constants, site: None })
}
