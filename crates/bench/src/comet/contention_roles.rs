//! Which ranks load the links and which measure meanwhile (C9).

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use panto_schedule::HopShape;
use panto_transport::{Distance, Placement};

use crate::error::{Error, Result};

/// Roles of ranks while the links are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentionRoles {
    /// Sends the load.
    pub source: usize,
    /// Receives the load.
    pub sink: usize,
    /// Runs the echo and is timed.
    pub tester: usize,
    /// Returns the echo.
    pub partner: usize,
}

impl ContentionRoles {
    /// Selects ranks whose echo shares links with the load; `None` if no four ranks are known to.
    /// On a hypercube this is the thesis's choice: routes change the lowest bit first, so the load
    /// from 0 to 7 passes 1 and 3, and shares the link between them with the echo. Elsewhere the
    /// load from 0 to 3 passes 1 and 2 where four ranks form a row and no other path is as short.
    /// Where every pair has a link of its own, they share memory and cores.
    pub(super) fn on(shape: HopShape, ranks: usize) -> Option<Self> {
        let in_a_row = Self { source: 0, sink: 3, tester: 1, partner: 2 };
        let shared = match shape {
            HopShape::Hypercube if ranks >= 8 => {
                return Some(Self { source: 0, sink: 7, tester: 1, partner: 3 });
            }
            HopShape::Hypercube => false,
            HopShape::Complete | HopShape::Linear | HopShape::FromFirst(_) => true,
            HopShape::Ring => ranks > 6,
            HopShape::Mesh { cols, .. } => cols > 3,
            HopShape::Torus { cols, .. } => cols > 6,
        };
        shared.then_some(in_a_row)
    }

    /// Returns the roles of a load and an echo, each from one rank to another.
    pub(super) fn between(load: (usize, usize), echo: (usize, usize)) -> Self {
        Self { source: load.0, sink: load.1, tester: echo.0, partner: echo.1 }
    }

    /// Returns an error if the roles are not those of four ranks of a world of this size.
    pub(super) fn check(&self, ranks: usize) -> Result<()> {
        let all = [self.source, self.sink, self.tester, self.partner];
        let problem = if let Some(beyond) = all.into_iter().find(|&rank| rank >= ranks) {
            format!("there is no rank {beyond} among {ranks}")
        } else if let Some(twice) = (1..4).find(|&place| all[..place].contains(&all[place])) {
            format!("rank {} has two roles", all[twice])
        } else {
            return Ok(());
        };
        Err(Error::usage(format!(
            "--contend {self}: {problem}; name four different ranks below --ranks, such as 0-3,1-2"
        )))
    }

    /// Selects ranks where both echo and load span this distance: over the network from one host,
    /// whose link they share; between the caches of one host; or within one cache. `None` if there
    /// are no four such ranks.
    pub(super) fn placed(places: &[Placement], distance: Distance) -> Option<Self> {
        let all = 0..places.len();
        match distance {
            Distance::Itself => None,
            Distance::CoreComplex => {
                let caches = classes(all, |rank| (places[rank].node, places[rank].cache));
                let known = caches.iter().filter(|ranks| places[ranks[0]].cache.is_some());
                known.into_iter().find_map(|ranks| Self::of(ranks))
            }
            Distance::Node => {
                let hosts = classes(all, |rank| places[rank].node);
                hosts.into_iter().find_map(|ranks| Self::between_caches(&ranks, places))
            }
            Distance::Network => {
                let hosts = classes(all, |rank| places[rank].node);
                (hosts.first()?.len() > 1).then(|| Self::across(&hosts)).flatten()
            }
        }
    }

    /// Selects ranks between two caches; ranks that are not bound to one cache do not count.
    fn between_caches(ranks: &[usize], places: &[Placement]) -> Option<Self> {
        let cache = |rank: usize| places[rank].cache.ok_or(rank);
        let caches = classes(ranks.iter().copied(), cache);
        if caches.len() == ranks.len() { Self::of(ranks) } else { Self::across(&caches) }
    }

    /// Takes the first four ranks in order.
    fn of(ranks: &[usize]) -> Option<Self> {
        let &[source, tester, partner, sink, ..] = ranks else { return None };
        Some(Self { source, sink, tester, partner })
    }

    /// Takes two ranks of the largest class and two of the others, of the next largest if it has
    /// two.
    fn across(classes: &[Vec<usize>]) -> Option<Self> {
        let (here, elsewhere) = classes.split_first()?;
        let mut there = elsewhere.iter().flatten();
        let (&source, &tester) = (here.first()?, here.get(1)?);
        Some(Self { source, tester, partner: *there.next()?, sink: *there.next()? })
    }
}

/// Parses `0-7,1-3`: the load goes from 0 to 7, and 1 and 3 measure.
impl FromStr for ContentionRoles {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let pair = |word: &str| {
            let (from, to) = word.split_once('-')?;
            Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
        };
        let roles =
            text.split_once(',').and_then(|(load, echo)| Some(Self::between(pair(load)?, pair(echo)?)));
        roles.ok_or_else(|| {
            Error::usage(format!(
                "`{text}` does not name four ranks; give the load and the echo, such as 0-7,1-3"
            ))
        })
    }
}

impl fmt::Display for ContentionRoles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{},{}-{}", self.source, self.sink, self.tester, self.partner)
    }
}

/// Returns the ranks grouped by key: the largest class first, ties by the lowest rank.
fn classes<K: Ord>(ranks: impl Iterator<Item = usize>, key: impl Fn(usize) -> K) -> Vec<Vec<usize>> {
    let mut classes: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for rank in ranks {
        classes.entry(key(rank)).or_default().push(rank);
    }
    let mut classes: Vec<Vec<usize>> = classes.into_values().collect();
    classes.sort_by_key(|ranks| (Reverse(ranks.len()), ranks[0]));
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_of_the_thesis_passes_the_echo() {
        let cast = ContentionRoles::on(HopShape::Hypercube, 8).expect("a cube");
        assert_eq!((cast.source, cast.tester, cast.partner, cast.sink), (0, 1, 3, 7));
        let cast = ContentionRoles::on(HopShape::Linear, 8).expect("a row");
        assert_eq!((cast.source, cast.tester, cast.partner, cast.sink), (0, 1, 2, 3));
        assert_eq!(ContentionRoles::on(HopShape::Hypercube, 4), None);
    }

    #[test]
    fn roles_are_read_back_and_checked() {
        let roles: ContentionRoles = "0-7,1-3".parse().expect("four ranks");
        assert_eq!((roles.source, roles.sink, roles.tester, roles.partner), (0, 7, 1, 3));
        assert_eq!(roles.to_string(), "0-7,1-3");
        assert!(roles.check(8).is_ok());
        assert!(roles.check(7).unwrap_err().to_string().contains("no rank 7 among 7"));
        let twice: ContentionRoles = "0-2,2-3".parse().expect("read");
        assert!(twice.check(8).unwrap_err().to_string().contains("rank 2 has two roles"));
        for text in ["", "0-7", "0-7,1", "0,7,1,3", "0-7,1-3,2-4"] {
            assert!(text.parse::<ContentionRoles>().is_err(), "{text}");
        }
    }

    /// Returns the places of ranks by node and cache.
    fn places(of: &[(usize, Option<usize>)]) -> Vec<Placement> {
        of.iter().map(|&(node, cache)| Placement { node, cache, ..Placement::default() }).collect()
    }

    /// Returns source, tester, partner and sink at each distance but the first.
    fn casts(of: &[(usize, Option<usize>)]) -> [Option<[usize; 4]>; 3] {
        let places = places(of);
        [Distance::CoreComplex, Distance::Node, Distance::Network].map(|distance| {
            let cast = ContentionRoles::placed(&places, distance)?;
            assert_eq!(places[cast.tester].distance_to(&places[cast.partner]), distance);
            assert_eq!(places[cast.source].distance_to(&places[cast.sink]), distance);
            Some([cast.source, cast.tester, cast.partner, cast.sink])
        })
    }

    #[test]
    fn echo_and_load_share_a_way() {
        let (free, cache) = (|node| (node, None), |node, cache| (node, Some(cache)));
        assert_eq!(casts(&[free(0); 4]), [None, Some([0, 1, 2, 3]), None]);
        assert_eq!(casts(&[cache(0, 0); 5]), [Some([0, 1, 2, 3]), None, None]);
        let two_caches = [cache(0, 0), cache(0, 8), cache(0, 0), cache(0, 8)];
        assert_eq!(casts(&two_caches), [None, Some([0, 2, 1, 3]), None]);
        assert_eq!(casts(&[cache(0, 0), cache(0, 8), cache(0, 8), cache(0, 8)]), [None; 3]);
        let two_hosts = [free(0), free(1), free(0), free(1)];
        assert_eq!(casts(&two_hosts), [None, None, Some([0, 2, 1, 3])]);
        // The third host has two ranks: both paths end there.
        let three_hosts = [free(0), free(0), free(1), free(2), free(2)];
        assert_eq!(casts(&three_hosts), [None, None, Some([0, 1, 3, 4])]);
        assert_eq!(casts(&[free(0), free(0), free(1), free(2)]), [None, None, Some([0, 1, 2, 3])]);
        assert_eq!(casts(&[free(0), free(1), free(2), free(3)]), [None; 3]);
    }
}
