//! All parameters that follow from the times of messages and of local work, and the structure that
//! is decided before they are fitted.

use panto_machine::Protocol;

use crate::error::Error;
use crate::estimate::Estimate;
use crate::fitter::{Component, Fitter, Points};
use crate::gap;
use crate::known_network::KnownNetwork;
use crate::network::{self, Network};
use crate::observations::{Observations, median_per_size};
use crate::occupancy;
use crate::overheads::Overheads;
use crate::piecewise::PiecewiseLinear;
use crate::rates::Rates;

/// Parameters of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineParameters {
    /// Links, hops and protocol.
    pub network: Network,
    /// Overheads of processors.
    pub software: Overheads,
    /// Time for which a message occupies a link, by size.
    pub occupancy: Option<PiecewiseLinear>,
    /// Least time between two messages of a rank.
    pub gap: Option<Estimate>,
    /// Local work of a processor.
    pub rates: Rates,
}

/// What is decided before curves are fitted: protocol and eager limit, residue classes, and the
/// sizes at which all curves may break. Decided once from all launches, so that single launches are
/// fitted with the same pieces.
#[derive(Debug)]
pub struct ModelStructure {
    fitter: Fitter,
    protocol: (Protocol, bool),
}

impl ModelStructure {
    /// Decides the structure from all observations.
    pub fn new(observed: &Observations, known: &KnownNetwork) -> Result<Self, Error> {
        let times = network::times_by_links(observed, known)?;
        let mut fitter = Fitter::new(observed.exact);
        let nearest = nearest(&times);
        fitter.modulus = fitter.find_modulus(&nearest);
        let protocol = network::protocol(observed, known, &times, &fitter);
        let limit = network::rendezvous_limit(protocol.0);
        fitter.known_breaks.extend(limit);
        // Where the whole time has a break, its components may have one.
        let whole = fitter.fit(Component::EndToEnd, &nearest, limit);
        fitter.known_breaks.extend(whole.breaks().into_iter().filter(|end| *end > 0));
        Ok(Self { fitter, protocol })
    }

    /// Fits the parameters to observations; the first call decides the breakpoints of each
    /// component.
    pub fn parameters(
        &self,
        observed: &Observations,
        known: &KnownNetwork,
    ) -> Result<MachineParameters, Error> {
        let Self { fitter, protocol } = self;
        let times = network::times_by_links(observed, known)?;
        let whole = fitter.fit(Component::EndToEnd, &nearest(&times), network::rendezvous_limit(protocol.0));
        let rates = Rates::new(observed);
        let software = Overheads::new(observed, known, fitter, protocol.0, rates.copy, &whole);
        let network = network::solve(observed, known, *protocol, &times, (&software, &rates), fitter);
        let occupancy = occupancy::occupancy(observed, known, &network, fitter);
        let gap = gap::gap(observed, &software, &network, known.switching, rates.copy_seconds());
        Ok(MachineParameters { network, software, occupancy, gap, rates })
    }
}

fn nearest(times: &network::TimesByLinks) -> Points {
    times.first().map(|(_, points)| median_per_size(points)).unwrap_or_default()
}
