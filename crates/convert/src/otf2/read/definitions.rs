//! Global definitions: functions, ranks and communicators.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::super::decode::{Fields, RecordFile};
use super::super::kinds::{UNDEFINED, definition, group, paradigm};
use super::anchor::Anchor;
use super::clock::ArchiveClock;
use crate::error::Result;

/// What an archive defines for all locations.
#[derive(Debug, Default)]
pub struct Definitions {
    pub clock: ArchiveClock,
    /// The location of each rank.
    pub rank_locations: Vec<u64>,
    /// Locations that are not ranks.
    pub other_locations: u64,
    pub regions: FxHashMap<u32, Region>,
    pub comms: BTreeMap<u32, Communicator>,
}

/// A function, or another part of the program.
#[derive(Debug)]
pub struct Region {
    pub name: String,
    pub is_mpi: bool,
}

/// Who is in a communicator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Communicator {
    /// `MPI_COMM_WORLD`.
    World,
    /// `MPI_COMM_SELF`.
    Own,
    /// Ranks in `MPI_COMM_WORLD`, and those of the other side of an intercommunicator.
    Ranks { members: Vec<u32>, others: Option<Vec<u32>> },
}

impl Definitions {
    pub fn read(anchor: &Anchor) -> Result<Self> {
        let mut file = RecordFile::open(&anchor.definitions(), anchor.definition_chunk, false)?;
        let mut raw = RawDefinitions::default();
        while let Some(record) = file.next()? {
            let (kind, offset) = (record.kind, record.offset);
            if raw.add(kind, record.fields).is_none() {
                return Err(file.error(offset, "a definition is incomplete"));
            }
        }
        Ok(raw.resolve())
    }
}

/// Definitions as they are in the file. They may refer to later ones.
#[derive(Debug, Default)]
struct RawDefinitions {
    clock: ArchiveClock,
    strings: FxHashMap<u32, String>,
    locations: u64,
    /// Name and paradigm.
    regions: Vec<(u32, u32, u8)>,
    groups: FxHashMap<u32, Group>,
    /// Groups of both sides, and the parent.
    comms: BTreeMap<u32, (u32, Option<u32>, u32)>,
}

#[derive(Debug)]
struct Group {
    kind: u8,
    paradigm: u8,
    flags: u32,
    members: Vec<u64>,
}

impl RawDefinitions {
    /// Adds a definition; `None` if it is incomplete.
    fn add(&mut self, kind: u8, mut fields: Fields<'_>) -> Option<()> {
        match kind {
            definition::CLOCK_PROPERTIES => {
                self.clock = ArchiveClock { ticks_per_second: fields.u64()?, start: fields.u64()? };
            }
            definition::STRING => {
                self.strings.insert(fields.u32()?, fields.text()?);
            }
            definition::LOCATION => self.locations += 1,
            definition::REGION => self.region(&mut fields)?,
            definition::GROUP => self.group(&mut fields)?,
            definition::COMM => {
                let (comm, _name, group, parent) =
                    (fields.u32()?, fields.u32()?, fields.u32()?, fields.u32()?);
                self.comms.insert(comm, (group, None, parent));
            }
            definition::INTER_COMM => {
                let (comm, _name) = (fields.u32()?, fields.u32()?);
                let (one, other, parent) = (fields.u32()?, fields.u32()?, fields.u32()?);
                self.comms.insert(comm, (one, Some(other), parent));
            }
            _ => {}
        }
        Some(())
    }

    fn region(&mut self, fields: &mut Fields<'_>) -> Option<()> {
        let (region, name, _description) = (fields.u32()?, fields.u32()?, fields.u32()?);
        fields.u8()?;
        let _source = [fields.u32()?, fields.u32()?, fields.u32()?];
        // Versions before 1.2 end here.
        let (mut name, mut paradigm) = (name, 0);
        if !fields.is_empty() {
            let canonical = fields.u32()?;
            fields.u8()?;
            paradigm = fields.u8()?;
            // The canonical name is that of the symbol, which is `mpi_send_` in Fortran.
            name = if name == UNDEFINED { canonical } else { name };
        }
        self.regions.push((region, name, paradigm));
        Some(())
    }

    fn group(&mut self, fields: &mut Fields<'_>) -> Option<()> {
        let (number, _name) = (fields.u32()?, fields.u32()?);
        fields.u8()?;
        let count = fields.u32()?;
        let members = (0..count).map(|_| fields.u64()).collect::<Option<Vec<u64>>>()?;
        if !fields.is_empty() {
            let (kind, paradigm, flags) = (fields.u8()?, fields.u8()?, fields.u32()?);
            self.groups.insert(number, Group { kind, paradigm, flags, members });
        }
        Some(())
    }

    fn resolve(mut self) -> Definitions {
        let is_ranks =
            |group: &&Group| group.kind == group::COMM_LOCATIONS && group.paradigm == paradigm::MPI;
        let rank_locations =
            self.groups.values().find(is_ranks).map_or_else(Vec::new, |group| group.members.clone());
        let numbers: FxHashMap<u64, u32> = rank_locations.iter().copied().zip(0..).collect();
        let comms = self.comms.iter();
        let mut comms: BTreeMap<u32, Communicator> = comms
            .filter_map(|(number, (one, other, _))| {
                Some((*number, self.communicator(*one, *other, &numbers)?))
            })
            .collect();
        let all = Communicator::Ranks { members: (0..rank_locations.len() as u32).collect(), others: None };
        let is_world = |(number, comm): &(&u32, &mut Communicator)| {
            **comm == all && self.comms.get(number).is_some_and(|(_, _, parent)| *parent == UNDEFINED)
        };
        if let Some((_, world)) = comms.iter_mut().find(is_world) {
            *world = Communicator::World;
        }
        let regions = std::mem::take(&mut self.regions).into_iter().map(|(region, name, paradigm)| {
            let name = self.strings.get(&name).cloned().unwrap_or_default();
            let is_mpi = paradigm == paradigm::MPI || name.starts_with("MPI_");
            (region, Region { name, is_mpi })
        });
        Definitions {
            clock: self.clock,
            regions: regions.collect(),
            other_locations: self.locations.saturating_sub(rank_locations.len() as u64),
            rank_locations,
            comms,
        }
    }

    fn communicator(
        &self,
        one: u32,
        other: Option<u32>,
        numbers: &FxHashMap<u64, u32>,
    ) -> Option<Communicator> {
        let group = self.groups.get(&one)?;
        if group.paradigm != paradigm::MPI {
            return None;
        }
        if group.kind == group::COMM_SELF {
            return Some(Communicator::Own);
        }
        let ranks = |group: &Group| {
            let rank = |member: &u64| {
                if group.flags & group::GLOBAL_MEMBERS != 0 {
                    numbers.get(member).copied()
                } else {
                    u32::try_from(*member).ok().filter(|rank| (*rank as usize) < numbers.len())
                }
            };
            group.members.iter().map(rank).collect::<Option<Vec<u32>>>()
        };
        let others = match other {
            None => None,
            Some(other) => Some(ranks(self.groups.get(&other)?)?),
        };
        Some(Communicator::Ranks { members: ranks(group)?, others })
    }
}
