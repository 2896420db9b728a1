//! The whole model.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use panto_schedule::rules::{self, Table};
use panto_schedule::{Algorithm, Collective, Problem};
use panto_units::Time;

use crate::cost::{Cost, PerByte};
use crate::network::Network;

/// A model of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// What it is, in a line or two.
    pub about: String,
    /// What carries messages,
    pub network: Network,
    /// but for these operations, which have a network of their own (P10).
    pub networks: BTreeMap<Collective, Network>,
    /// How a standard send behaves.
    pub protocol: Protocol,
    /// How fast processors work.
    pub processor: Processor,
    /// What it takes to read or write so many bytes of a file. Nobody shares it: each rank has a disk of its own.
    pub storage: Cost,
    /// How collectives are carried out.
    pub collectives: Collectives,
    /// May several ranks share a processor, in turns (P13)?
    pub multitasking: bool,
    /// Do messages that meet share links in predictions, where nobody says otherwise?
    pub traffic: bool,
    /// Where each figure comes from.
    pub sources: Vec<Source>,
}

/// How a standard send behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// It never waits.
    Buffered,
    /// Above a size it asks the other side's system for a buffer first, and is always given one.
    Handshake {
        /// The size.
        above: u64,
    },
    /// It waits for the receive.
    Synchronous,
    /// Up to a size it is buffered; above it asks, and waits until the receive is posted.
    Eager {
        /// The size.
        limit: u64,
    },
}

/// How fast a processor works.
#[derive(Debug, Clone, PartialEq)]
pub struct Processor {
    /// A byte copied.
    pub copy: PerByte,
    /// An element copied to or from places that are not next to each other.
    pub strided: Time,
    /// A byte combined with another.
    pub reduce: PerByte,
    /// An element of y += a x.
    pub daxpy: Time,
    /// Is a message that came before its receive copied once more, at the copy rate?
    pub copies_unexpected: bool,
    /// What it costs to ask whether something is there, and hear no. Never 0, or a rank could ask for ever.
    pub poll: Time,
    /// How many times faster than the host, where computation is measured there.
    pub speed: f64,
}

/// How collectives are carried out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Collectives {
    /// What chooses an algorithm,
    pub rules: Rules,
    /// but for these.
    pub algorithms: BTreeMap<Collective, Algorithm>,
    /// How the messages of a collective are sent.
    pub send: CollectiveSend,
    /// Bytes of the messages of a barrier under PUPPET's rules.
    pub barrier_bytes: u64,
}

/// What chooses an algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Rules {
    /// MPICH's table.
    #[default]
    Mpich,
    /// The table of Open MPI's `tuned` component.
    OpenMpi,
    /// PUPPET's expansion: everything is direct sends (P6).
    Puppet,
    /// A table from a file.
    File {
        /// The file, as the model names it.
        name: Arc<str>,
        /// What it says.
        table: Arc<Table>,
    },
}

impl Rules {
    /// Those that have a name.
    pub const NAMED: [Rules; 3] = [Rules::Mpich, Rules::OpenMpi, Rules::Puppet];

    /// The rules themselves.
    pub fn table(&self) -> &Table {
        match self {
            Rules::Mpich => rules::mpich(),
            Rules::OpenMpi => rules::openmpi(),
            Rules::Puppet => rules::puppet(),
            Rules::File { table, .. } => table,
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Rules::Mpich => "mpich",
            Rules::OpenMpi => "openmpi",
            Rules::Puppet => "puppet",
            Rules::File { name, .. } => name,
        })
    }
}

/// How the messages of a collective are sent (P10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CollectiveSend {
    /// As a standard send.
    #[default]
    Standard,
    /// The sender never waits.
    Buffered,
    /// The sender waits until the receive is complete.
    Synchronous,
    /// The sender waits until the message has arrived.
    NoSpace,
}

/// Where a figure comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The key in the model file, such as `network.link.latency`.
    pub key: String,
    /// Document and page, or that it is assumed and why.
    pub text: String,
}

impl Machine {
    /// A machine with this network for everything: sends never wait, processors and files take no time,
    /// collectives are MPICH's.
    pub fn plain(name: &str, network: Network) -> Self {
        Self {
            name: name.into(),
            about: String::new(),
            network,
            networks: BTreeMap::new(),
            protocol: Protocol::Buffered,
            processor: Processor::default(),
            storage: Cost::default(),
            collectives: Collectives::default(),
            multitasking: false,
            traffic: false,
            sources: Vec::new(),
        }
    }

    /// The network of an operation; `None` is a message between two ranks.
    #[inline]
    pub fn network(&self, operation: Option<Collective>) -> &Network {
        operation.and_then(|operation| self.networks.get(&operation)).unwrap_or(&self.network)
    }

    /// How many ranks it runs, each on a processor of its own.
    pub fn processors(&self) -> usize {
        self.network.map.len(self.network.processors())
    }

    /// The algorithm for a problem over elements of `element` bytes.
    pub fn algorithm(&self, problem: &Problem, element: usize) -> Algorithm {
        let own = self.collectives.algorithms.get(&problem.collective).copied();
        own.unwrap_or_else(|| self.collectives.rules.table().for_problem(problem, element))
    }
}

impl Default for Processor {
    fn default() -> Self {
        Self {
            copy: PerByte::ZERO,
            strided: Time::ZERO,
            reduce: PerByte::ZERO,
            daxpy: Time::ZERO,
            copies_unexpected: false,
            poll: Time::from_nanos(100),
            speed: 1.0,
        }
    }
}
