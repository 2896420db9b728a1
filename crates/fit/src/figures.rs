//! All figures of a machine that follow from what messages and work take.

use panto_machine::Protocol;

use crate::curve::{Fitter, Part, Points};
use crate::error::Error;
use crate::estimate::Estimate;
use crate::gap;
use crate::known::Known;
use crate::law::Law;
use crate::network::{self, Network};
use crate::observe::{Observed, merged};
use crate::occupancy;
use crate::rates::Rates;
use crate::software::Software;

/// All figures of a machine that follow from what messages and work take.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// What the network takes.
    pub network: Network,
    /// What processors pay for messages.
    pub software: Software,
    /// How long a message keeps a cable from others.
    pub occupancy: Option<Law>,
    /// Least time between two messages of a rank.
    pub gap: Option<Estimate>,
    /// What a processor's work takes.
    pub rates: Rates,
}

/// What must be decided before lines are drawn: the kind of machine that this is.
#[derive(Debug)]
pub struct Basis {
    fitter: Fitter,
    protocol: (Protocol, bool),
}

impl Basis {
    /// From all that was measured.
    pub fn new(observed: &Observed, known: &Known) -> Result<Self, Error> {
        let ways = network::ways(observed, known)?;
        let mut fitter = Fitter::new(observed.exact);
        let nearest = nearest(&ways);
        fitter.modulus = fitter.find_modulus(&nearest);
        let protocol = network::protocol(observed, known, &ways, &fitter);
        let limit = network::limit(protocol.0);
        fitter.known.extend(limit);
        // Where the whole time breaks, so do its parts.
        let whole = fitter.law(Part::Whole, &nearest, limit);
        fitter.known.extend(whole.ends().into_iter().filter(|end| *end > 0));
        Ok(Self { fitter, protocol })
    }

    /// The figures that explain what was measured; the first call decides where pieces end.
    pub fn figures(&self, observed: &Observed, known: &Known) -> Result<Figures, Error> {
        let Self { fitter, protocol } = self;
        let ways = network::ways(observed, known)?;
        let whole = fitter.law(Part::Whole, &nearest(&ways), network::limit(protocol.0));
        let rates = Rates::new(observed);
        let software = Software::new(observed, known, fitter, protocol.0, rates.copy, &whole);
        let network = network::solve(observed, known, *protocol, &ways, (&software, &rates), fitter);
        let occupancy = occupancy::occupancy(observed, known, &network, fitter);
        let gap = gap::gap(observed, &software, &network, known.switching, rates.copy_seconds());
        Ok(Figures { network, software, occupancy, gap, rates })
    }
}

fn nearest(ways: &network::Ways) -> Points {
    ways.first().map(|(_, points)| merged(points)).unwrap_or_default()
}
