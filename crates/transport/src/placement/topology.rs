//! NUMA nodes and caches from `/sys/devices/system` (Linux,
//! Documentation/ABI/testing/sysfs-devices-system-cpu).

use super::cpu_list;

/// Reads a file of the system's description, by its path below that directory.
pub(super) struct Topology<'a>(pub(super) &'a dyn Fn(&str) -> Option<String>);

impl Topology<'_> {
    fn list(&self, path: &str) -> Option<Vec<usize>> {
        cpu_list::parse(&self.0(path)?)
    }

    /// Returns the NUMA node of all these cores, if they share one.
    pub(super) fn numa(&self, cores: &[usize]) -> Option<usize> {
        let first = cores.first()?;
        let nodes = self.list("node/has_cpu").or_else(|| self.list("node/online"))?;
        for node in nodes {
            let own = self.list(&format!("node/node{node}/cpulist")).unwrap_or_default();
            if own.contains(first) {
                return contains_all(&own, cores).then_some(node);
            }
        }
        None
    }

    /// Returns the first core of the last-level cache of all these cores, if they share one.
    pub(super) fn cache(&self, cores: &[usize]) -> Option<usize> {
        let folder = format!("cpu/cpu{}/cache", cores.first()?);
        let caches = (0..).map_while(|index| {
            let level = self.0(&format!("{folder}/index{index}/level"))?.trim().parse::<u32>().ok()?;
            Some((level, index))
        });
        // An instruction cache is never the last level, so the level alone decides.
        let (_, last) = caches.max()?;
        let sharing = self.list(&format!("{folder}/index{last}/shared_cpu_list"))?;
        contains_all(&sharing, cores).then(|| sharing.first().copied()).flatten()
    }
}

/// Whether `all` contains `some`; both are in ascending order.
fn contains_all(all: &[usize], some: &[usize]) -> bool {
    some.iter().all(|number| all.binary_search(number).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two NUMA nodes of four cores; a last-level cache per two cores.
    fn server(path: &str) -> Option<String> {
        let text = match path {
            "node/has_cpu" => "0-1".into(),
            "node/node0/cpulist" => "0-3\n".into(),
            "node/node1/cpulist" => "4-7\n".into(),
            _ => {
                let (core, file) = path.strip_prefix("cpu/cpu")?.split_once("/cache/")?;
                let core: usize = core.parse().ok().filter(|core| *core < 8)?;
                let complex = core / 2 * 2;
                match file {
                    "index0/level" | "index1/level" => "1\n".into(),
                    "index2/level" => "3\n".into(),
                    "index3/level" => "2\n".into(),
                    "index2/shared_cpu_list" => format!("{complex}-{}\n", complex + 1),
                    "index0/shared_cpu_list" | "index1/shared_cpu_list" | "index3/shared_cpu_list" => {
                        core.to_string()
                    }
                    _ => return None,
                }
            }
        };
        Some(text)
    }

    #[test]
    fn cores_that_span_several_have_none() {
        let topology = Topology(&server);
        let found = |cores: &[usize]| (topology.numa(cores), topology.cache(cores));
        assert_eq!(found(&[3]), (Some(0), Some(2)));
        assert_eq!(found(&[6, 7]), (Some(1), Some(6)));
        assert_eq!(found(&[0, 1, 2, 3]), (Some(0), None));
        assert_eq!(found(&[3, 4]), (None, None));
        assert_eq!(found(&[]), (None, None));
        assert_eq!(found(&[8]), (None, None), "a core that the system does not describe");
    }

    #[test]
    fn missing_descriptions_give_none() {
        let topology = Topology(&|_| None);
        assert_eq!((topology.numa(&[0]), topology.cache(&[0])), (None, None));
        let topology = Topology(&|_| Some("rubbish".into()));
        assert_eq!((topology.numa(&[0]), topology.cache(&[0])), (None, None));
    }
}
