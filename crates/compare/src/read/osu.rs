//! Titles and headers of the OSU micro-benchmarks.

use panto_results::kernel::osu::SUITE;

use super::columns::{Column, Columns, Measure};

/// Returns the name of a test and its version, from `# OSU MPI Allreduce Latency Test v7.4`.
pub(super) fn title(line: &str) -> Option<(String, String)> {
    let rest = line.strip_prefix('#')?.trim_start().strip_prefix("OSU ")?;
    let (name, version) = rest.split_once(" Test")?;
    let name = name.strip_prefix("MPI").unwrap_or(name);
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-");
    Some((format!("{SUITE}/{slug}"), version.trim().trim_start_matches('v').to_owned()))
}

/// Returns the number of ranks if a comment has it: `# [ pairs: 4 ]`, or `4 ranks` in tables by
/// Panto.
pub(super) fn ranks(line: &str) -> Option<usize> {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    if let Some((_, rest)) = line.split_once("pairs:") {
        return rest.split(']').next().and_then(number).and_then(|pairs| pairs.checked_mul(2));
    }
    let (before, _) = line.split_once(" ranks")?;
    before.rsplit([' ', ';']).next().and_then(number)
}

/// Returns how one-sided operations are completed, from `# Synchronization: MPI_Win_fence`.
pub(super) fn mode(line: &str) -> Option<&str> {
    line.split_once("Synchronization:").map(|(_, mode)| mode.trim())
}

/// Returns the columns of a header: `# Size          Avg Latency(us)   Min Latency(us)`. Names may
/// contain single blanks.
pub(super) fn header(line: &str) -> Option<Columns> {
    let names: Vec<&str> =
        line.strip_prefix('#')?.split("  ").map(str::trim).filter(|n| !n.is_empty()).collect();
    let sized = *names.first()? == "Size";
    let find = |wanted: &dyn Fn(&str) -> bool| names.iter().position(|name| wanted(name));
    let column = |place, measure, variant| Column { place, measure, variant };
    let times = if let Some(place) = find(&|name| name == "Messages/s") {
        vec![column(place, Measure::Messages, None)]
    } else if let Some(place) = find(&|name| name.contains("MB/s")) {
        vec![column(place, Measure::Megabytes, None)]
    } else if let Some(place) = find(&|name| name.starts_with("Overall")) {
        let pure = find(&|name| name.starts_with("Pure Comm"));
        let overall = column(place, Measure::Micros, Some("overlapped"));
        std::iter::once(overall)
            .chain(pure.map(|place| column(place, Measure::Micros, Some("pure"))))
            .collect()
    } else {
        let place = find(&|name| name.contains("Latency") && name.contains("(us)"))?;
        vec![column(place, Measure::Micros, None)]
    };
    Some(Columns { sized, times })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_all_versions() {
        for (line, name, version) in [
            ("# OSU MPI Latency Test v5.8", "osu/latency", "5.8"),
            ("# OSU MPI Bi-Directional Bandwidth Test v3.0", "osu/bi-directional-bandwidth", "3.0"),
            (
                "# OSU MPI-CUDA Non-blocking Allreduce Latency Test v7.5",
                "osu/cuda-non-blocking-allreduce-latency",
                "7.5",
            ),
            (
                "# OSU MPI Multiple Bandwidth / Message Rate Test v5.7",
                "osu/multiple-bandwidth-message-rate",
                "5.7",
            ),
        ] {
            assert_eq!(title(line), Some((name.into(), version.into())));
        }
        assert_eq!(title("# Size      Latency (us)"), None);
    }

    #[test]
    fn headers_of_all_versions() {
        let places = |line: &str| {
            header(line)
                .map(|columns| (columns.sized, columns.times.iter().map(|c| (c.place, c.measure)).collect()))
        };
        let (us, mb, messages) = (Measure::Micros, Measure::Megabytes, Measure::Messages);
        for (line, sized, times) in [
            ("# Size          Latency (us)", true, vec![(1, us)]),
            (
                "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations",
                true,
                vec![(1, us)],
            ),
            ("# Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations", false, vec![(0, us)]),
            ("# Size      Bandwidth (MB/s)        Validation", true, vec![(1, mb)]),
            ("# Size     Bi-Bandwidth (MB/s)", true, vec![(1, mb)]),
            ("# Size                  MB/s        Messages/s", true, vec![(2, messages)]),
            (
                "# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)",
                true,
                vec![(1, us), (3, us)],
            ),
        ] {
            assert_eq!(places(line), Some((sized, times)), "{line}");
        }
        assert_eq!(header("# Datatype: MPI_INT."), None);
    }

    #[test]
    fn ranks_are_found_in_comments() {
        assert_eq!(ranks("# [ pairs: 15 ] [ window size: 64 ]"), Some(30));
        assert_eq!(ranks("# One way, half the round trip timed on rank 0; 4 ranks; 1 hop."), Some(4));
        assert_eq!(ranks("# Datatype: MPI_CHAR."), None);
        assert_eq!(mode("# Synchronization: MPI_Win_flush"), Some("MPI_Win_flush"));
    }
}
