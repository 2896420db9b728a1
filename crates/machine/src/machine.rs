//! The machine model.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use panto_schedule::rules::{self, Table};
use panto_schedule::{Algorithm, Collective, Problem};
use panto_units::Time;

use crate::buffer::SendBuffer;
use crate::cost::{Cost, PerByte};
use crate::network::Network;
use crate::quality::Quality;
use crate::sharing::Sharing;

/// A model of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// The name.
    pub name: String,
    /// A description in a line or two.
    pub about: String,
    /// How far the figures can be believed, if they were fitted to measurements.
    pub quality: Option<Quality>,
    /// The network of point-to-point messages, and of all collectives without their own.
    pub network: Network,
    /// The networks of single collectives (P10).
    pub networks: BTreeMap<Collective, Network>,
    /// The protocol of standard sends.
    pub protocol: Protocol,
    /// The space for messages that are sent before they are received; `None` if it is unlimited.
    pub buffer: Option<SendBuffer>,
    /// The speed of the processors.
    pub processor: Processor,
    /// The time to read or write bytes of a file, without contention between ranks.
    pub storage: Cost,
    /// How collectives are carried out.
    pub collectives: Collectives,
    /// Whether several ranks may share a processor (P13).
    pub multitasking: bool,
    /// What messages share unless an option says otherwise.
    pub sharing: Sharing,
    /// The source of each figure.
    pub sources: Vec<Source>,
}

/// The protocol of standard sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// A send never blocks.
    Buffered,
    /// Above a size, a send requests a buffer of the receiving system first, which is always
    /// granted.
    Handshake {
        /// The size in bytes.
        above: u64,
    },
    /// A send blocks until the receive is complete.
    Synchronous,
    /// Eager up to a size; above, rendezvous: a request to send, which is cleared when the receive
    /// is posted.
    Eager {
        /// The eager limit in bytes.
        limit: u64,
    },
}

/// The speed of a processor.
#[derive(Debug, Clone, PartialEq)]
pub struct Processor {
    /// The time to copy a byte.
    pub copy: PerByte,
    /// The time to copy an element to or from strided memory.
    pub strided: Time,
    /// The time to reduce a byte with another.
    pub reduce: PerByte,
    /// The time of an element of y += a x.
    pub daxpy: Time,
    /// Whether an unexpected message is copied once more, at the copy rate.
    pub copies_unexpected: bool,
    /// Whether an arriving message interrupts the processor, which takes in its bytes and handles
    /// it at once, whatever the rank does: `LogGOPSim`'s model. Otherwise a rank handles a message
    /// when it receives it.
    pub interrupts: bool,
    /// The time of an unsuccessful poll. Never 0, or a polling loop would not advance virtual time.
    pub poll: Time,
    /// The speed relative to the computer on which computation is measured.
    pub speed: Speed,
}

/// How fast a processor does what was measured on another computer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Speed {
    /// This many times as fast.
    Factor(f64),
    /// As the times of a DAXPY on both compare, if that of the other computer is known.
    Daxpy,
}

impl Speed {
    /// [`Speed::Daxpy`] in a model file.
    pub(crate) const BY_DAXPY: &'static str = "daxpy";
}

impl Processor {
    /// The highest speed: that of a processor whose figures are zero.
    const MOST: f64 = 1e8;

    /// Returns how many times as fast as another computer it is, on which an element of a DAXPY
    /// takes this time; 1 if both are needed and not known.
    pub fn speed_against(&self, other: Option<Time>) -> f64 {
        match (self.speed, other) {
            (Speed::Factor(factor), _) => factor,
            (Speed::Daxpy, Some(_)) if self.daxpy == Time::ZERO => Self::MOST,
            (Speed::Daxpy, Some(other)) => (other.as_secs() / self.daxpy.as_secs()).min(Self::MOST),
            (Speed::Daxpy, None) => 1.0,
        }
    }
}

/// How collectives are carried out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Collectives {
    /// The rules that choose algorithms.
    pub rules: Rules,
    /// The algorithms of single collectives, which take precedence.
    pub algorithms: BTreeMap<Collective, Algorithm>,
    /// How the messages of collectives are sent.
    pub send: CollectiveSend,
    /// The least bytes that the network carries for each message of a barrier.
    pub barrier_bytes: u64,
}

/// The rules that choose the algorithms of collectives.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Rules {
    /// MPICH's rules.
    #[default]
    Mpich,
    /// The rules of Open MPI's `tuned` component.
    OpenMpi,
    /// PUPPET's expansion: everything is direct sends (P6).
    Puppet,
    /// Rules from a file.
    File {
        /// The file name, as in the model.
        name: Arc<str>,
        /// The rules.
        table: Arc<Table>,
    },
}

impl Rules {
    /// The built-in rules.
    pub const NAMED: [Rules; 3] = [Rules::Mpich, Rules::OpenMpi, Rules::Puppet];

    /// The rules as a table.
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
    /// As standard sends.
    #[default]
    Standard,
    /// The sender never blocks.
    Buffered,
    /// The sender blocks until the receive is complete.
    Synchronous,
    /// The sender blocks until the message has arrived.
    NoSpace,
}

/// The source of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The key in the model file, such as `network.link.latency`.
    pub key: String,
    /// The document and page, or that it is assumed and why.
    pub text: String,
}

impl Source {
    /// Returns whether the source mentions an assumption, of the whole figure or of a part of it.
    pub fn mentions_assumption(&self) -> bool {
        self.text.contains("assumed")
    }
}

impl Machine {
    /// A machine with this network for everything: sends never block, processors and files take no
    /// time, and collectives follow MPICH's rules.
    pub fn plain(name: &str, network: Network) -> Self {
        Self {
            name: name.into(),
            about: String::new(),
            quality: None,
            network,
            networks: BTreeMap::new(),
            protocol: Protocol::Buffered,
            buffer: None,
            processor: Processor::default(),
            storage: Cost::default(),
            collectives: Collectives::default(),
            multitasking: false,
            sharing: Sharing::default(),
            sources: Vec::new(),
        }
    }

    /// Returns why a model that was fitted to disturbed measurements is doubtful, as a sentence
    /// without its full stop; `None` if there is no reason.
    pub fn doubt(&self) -> Option<String> {
        let quality = self.quality.filter(|&quality| quality > Quality::Good)?;
        let reason = self.sources.iter().find(|source| source.key == "quality");
        let reason = reason.map_or(String::new(), |source| format!(": {}", source.text));
        Some(format!("the model of {} is {}{reason}", self.name, quality.name()))
    }

    /// The network of a collective; `None` for point-to-point messages.
    #[inline]
    pub fn network(&self, operation: Option<Collective>) -> &Network {
        operation.and_then(|operation| self.networks.get(&operation)).unwrap_or(&self.network)
    }

    /// The number of ranks that have a processor of their own.
    pub fn processors(&self) -> usize {
        self.network.map.len(self.network.processors())
    }

    /// The algorithm for a collective over elements of `element` bytes.
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
            interrupts: false,
            poll: Time::from_nanos(100),
            speed: Speed::Factor(1.0),
        }
    }
}
