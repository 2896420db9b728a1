//! The order of ranks over the hosts of a job.

use std::fmt;
use std::str::FromStr;

use super::Placement;

/// The order in which the processes of a job are numbered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RankLayout {
    /// As the launcher numbered them.
    #[default]
    Launched,
    /// The ranks of a host follow each other.
    Block,
    /// Each rank is on another host than the one before, as long as the hosts have ranks left.
    Cyclic,
    /// These launched ranks, in this order; all of them.
    Given(Vec<usize>),
}

impl RankLayout {
    /// Returns the launched ranks in their new order. The hosts keep their order. The error says
    /// what is wrong with a given order.
    pub fn order(&self, places: &[Placement]) -> Result<Vec<usize>, String> {
        let mut order: Vec<usize> = (0..places.len()).collect();
        match self {
            Self::Launched => {}
            Self::Block => order.sort_by_key(|&rank| places[rank].node),
            Self::Cyclic => order.sort_by_key(|&rank| {
                let before = places[..rank].iter().filter(|place| place.node == places[rank].node);
                (before.count(), places[rank].node)
            }),
            Self::Given(given) => {
                let mut sorted = given.clone();
                sorted.sort_unstable();
                if sorted != order {
                    let ranks = places.len();
                    return Err(format!(
                        "--layout {self}: the job has {ranks} ranks, and each of 0 to {} is needed once",
                        ranks.saturating_sub(1)
                    ));
                }
                order.clone_from(given);
            }
        }
        Ok(order)
    }
}

/// Formats it as on the command line.
impl fmt::Display for RankLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Launched => f.pad("launched"),
            Self::Block => f.pad("block"),
            Self::Cyclic => f.pad("cyclic"),
            Self::Given(ranks) => {
                let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
                f.pad(&ranks.join(","))
            }
        }
    }
}

/// Parses `launched`, `block`, `cyclic`, or ranks such as `0,2,1,3`.
impl FromStr for RankLayout {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "launched" => Ok(Self::Launched),
            "block" => Ok(Self::Block),
            "cyclic" => Ok(Self::Cyclic),
            _ => {
                let ranks: Result<Vec<usize>, _> = text.split(',').map(|word| word.trim().parse()).collect();
                ranks.map(Self::Given).map_err(|_| {
                    format!("unknown layout `{text}`; use launched, block, cyclic, or ranks such as 0,2,1,3")
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns ranks on these hosts.
    fn on(nodes: &[usize]) -> Vec<Placement> {
        nodes.iter().map(|&node| Placement { node, ..Placement::default() }).collect()
    }

    #[test]
    fn ranks_are_ordered_by_host() {
        let order =
            |layout: &str, nodes: &[usize]| layout.parse::<RankLayout>().unwrap().order(&on(nodes)).unwrap();
        assert_eq!(order("launched", &[0, 1, 0, 1]), [0, 1, 2, 3]);
        assert_eq!(order("block", &[0, 1, 0, 1]), [0, 2, 1, 3]);
        assert_eq!(order("cyclic", &[0, 0, 1, 1]), [0, 2, 1, 3]);
        // A host with more ranks than the other has the last ones.
        assert_eq!(order("cyclic", &[0, 0, 0, 1]), [0, 3, 1, 2]);
        assert_eq!(order("3,1,0,2", &[0, 0, 1, 1]), [3, 1, 0, 2]);
    }

    #[test]
    fn a_given_order_has_every_rank_once() {
        for text in ["0,1", "0,1,1", "0,1,3", "0,1,2,2"] {
            let error = text.parse::<RankLayout>().unwrap().order(&on(&[0, 0, 0])).unwrap_err();
            assert!(error.contains("0 to 2"), "{error}");
        }
        assert!("by-host".parse::<RankLayout>().unwrap_err().contains("cyclic"));
        for text in ["launched", "block", "cyclic", "2,0,1"] {
            assert_eq!(text.parse::<RankLayout>().unwrap().to_string(), text);
        }
    }
}
