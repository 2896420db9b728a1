//! Placement of ranks, in brief.

use panto_results::{Host, Manifest, RankPlacement};

use super::phrases;

/// Upper limit of hosts with a line of their own; the others are counted.
const MAX_HOSTS: usize = 12;

/// Returns the number of ranks and hosts, and how ranks were numbered if not by the launcher, then
/// one line per host: `a: ranks 0-3, cores 0-3, 1 each`. Empty if the placement is unknown.
pub fn placement(manifest: &Manifest) -> Vec<String> {
    let summary =
        summary(&manifest.placement) + &layout(manifest).map_or_else(String::new, |text| format!(", {text}"));
    lines(&manifest.placement, summary)
}

/// Returns how ranks were numbered, if not by the launcher.
pub fn layout(manifest: &Manifest) -> Option<String> {
    let layout = manifest.layout.as_ref()?;
    Some(format!("ranks numbered by --layout {}", phrases::one_line(layout)))
}

fn lines(placement: &[RankPlacement], summary: String) -> Vec<String> {
    if placement.is_empty() {
        return Vec::new();
    }
    let hosts = Host::all(placement);
    let more = hosts.len().saturating_sub(MAX_HOSTS);
    let lines = hosts.iter().take(MAX_HOSTS).map(line);
    let rest = (more > 0).then(|| format!("and {}", counted(more, "more host")));
    std::iter::once(summary).chain(lines).chain(rest).collect()
}

/// Formats the totals: `8 ranks on 2 hosts`.
pub(super) fn summary(placement: &[RankPlacement]) -> String {
    let hosts = Host::all(placement).len();
    format!("{} on {}", counted(placement.len(), "rank"), counted(hosts, "host"))
}

/// Returns the number of hosts, 1 if unknown.
pub(super) fn hosts(manifest: &Manifest) -> usize {
    Host::all(&manifest.placement).len().max(1)
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", plural(n))
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

fn line(host: &Host) -> String {
    let ranks = host.ranks.count();
    let text = format!("{}: rank{} {}{}", host.name, plural(ranks), host.ranks, cores(host));
    phrases::one_line(&text)
}

/// Returns the cores of a host's ranks, and the share of each rank.
fn cores(host: &Host) -> String {
    let (all, bound_to) = (host.cores(), &host.bound_to);
    if all.is_empty() {
        return String::new();
    }
    let each = bound_to[0].count();
    let same_count = bound_to.iter().all(|cores| cores.count() == each);
    let share = match bound_to.len() {
        1 => String::new(),
        _ if bound_to.iter().all(|cores| *cores == all) => " shared".into(),
        // Sets of equal size that add up to the whole do not overlap.
        ranks if same_count && each.saturating_mul(ranks) == all.count() => format!(", {each} each"),
        _ => ", some of them shared".into(),
    };
    format!(", core{} {all}{share}", plural(all.count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks by node and cores; hosts are named after their node.
    fn placed(of: &[(usize, &str)]) -> Vec<RankPlacement> {
        let one = |(rank, &(node, cores)): (usize, &(usize, &str))| RankPlacement {
            rank,
            host: format!("n{node}"),
            node,
            cores: cores.into(),
            numa: None,
            cache: None,
            pid: 1,
        };
        of.iter().enumerate().map(one).collect()
    }

    fn shown(ranks: Vec<RankPlacement>) -> Vec<String> {
        placement(&Manifest { placement: ranks, ..panto_testkit::records::manifest() })
    }

    #[test]
    fn the_order_of_ranks_is_part_of_it() {
        let manifest = Manifest {
            placement: placed(&[(0, "0"), (1, "0")]),
            layout: Some("cyclic".into()),
            ..panto_testkit::records::manifest()
        };
        assert_eq!(placement(&manifest)[0], "2 ranks on 2 hosts, ranks numbered by --layout cyclic");
    }

    #[test]
    fn one_line_per_host() {
        let bound = [(0, "0"), (0, "1"), (1, "0-3"), (1, "0-3"), (2, ""), (3, "4-5"), (4, "0-1"), (4, "1-2")];
        let lines = [
            "8 ranks on 5 hosts",
            "n0: ranks 0-1, cores 0-1, 1 each",
            "n1: ranks 2-3, cores 0-3 shared",
            "n2: rank 4",
            "n3: rank 5, cores 4-5",
            "n4: ranks 6-7, cores 0-2, some of them shared",
        ];
        assert_eq!(shown(placed(&bound)), lines);
        assert_eq!(shown(placed(&[(0, "3")])), ["1 rank on 1 host", "n0: rank 0, core 3"]);
        assert_eq!(shown(Vec::new()), Vec::<String>::new());
    }

    #[test]
    fn many_hosts_are_counted() {
        let ranks: Vec<(usize, &str)> = (0..192).map(|rank| (rank % 64, "0-2")).collect();
        let lines = shown(placed(&ranks));
        assert_eq!((lines.len(), lines[0].as_str()), (14, "192 ranks on 64 hosts"));
        assert_eq!(lines[1], "n0: ranks 0,64,128, cores 0-2 shared");
        assert_eq!(lines[13], "and 52 more hosts");
        assert_eq!(shown(placed(&ranks[..13])).last().map(String::as_str), Some("and 1 more host"));
    }

    #[test]
    fn control_characters_are_removed() {
        let mut one = placed(&[(0, "0-99999999999999999999,x")]);
        one[0].host = "a\u{1b}[2J\nb".into();
        assert_eq!(shown(one)[1], "a [2J b: rank 0");
    }
}
