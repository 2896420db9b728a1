//! Titles and headers of the Intel MPI benchmarks.

use panto_results::kernel::imb::SUITE;

use super::columns::{Column, Columns, Measure};

/// Returns the name of a benchmark, from `# Benchmarking PingPong`.
pub(super) fn title(line: &str) -> Option<String> {
    let name =
        line.strip_prefix('#')?.trim_start().strip_prefix("Benchmarking ")?.split_whitespace().next()?;
    Some(format!("{SUITE}/{}", name.to_ascii_lowercase()))
}

/// Returns the number of ranks, from `# #processes = 4` or
/// `# ( 2 groups of 2 processes each running simultaneous )`.
pub(super) fn ranks(line: &str) -> Option<usize> {
    let number = |text: &str| text.split_whitespace().next_back()?.parse::<usize>().ok();
    if let Some((_, count)) = line.split_once("#processes =") {
        return count.trim().parse().ok();
    }
    let (groups, rest) = line.split_once(" groups of ")?;
    number(groups)?.checked_mul(number(rest.split_once(" processes")?.0)?)
}

/// Returns how often one-sided operations are completed, from `#    MODE: AGGREGATE`.
pub(super) fn mode(line: &str) -> Option<&str> {
    line.split_once("MODE:").map(|(_, mode)| mode.trim())
}

/// Returns a fact of the preamble, from `# MPI Version           : 3.1`.
pub(super) fn fact(line: &str) -> Option<(&'static str, &str)> {
    let text = line.strip_prefix('#')?;
    if let Some((_, version)) = text.split_once("MPI Benchmark").filter(|_| text.contains("Intel")) {
        let version = version.split(',').next()?.trim_start_matches('s').trim_start_matches(" Suite").trim();
        return Some(("benchmark", version));
    }
    let (name, value) = text.split_once(" : ").or_else(|| text.split_once(": "))?;
    let what = match name.trim() {
        "Machine" => "processor",
        "Release" => "system",
        "MPI Version" => "MPI",
        _ => return None,
    };
    Some((what, value.trim()))
}

/// Returns the columns of a header: `#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]`.
pub(super) fn header(line: &str) -> Option<Columns> {
    let names: Vec<&str> = line.split_whitespace().collect();
    if !names.contains(&"#repetitions") {
        return None;
    }
    let known = [
        ("t[usec]", Measure::Micros, None),
        ("t_avg[usec]", Measure::Micros, None),
        ("t_ovrl[usec]", Measure::Micros, Some("overlapped")),
        ("t_pure[usec]", Measure::Micros, Some("pure")),
        ("Msg/sec", Measure::Messages, None),
    ];
    let column = |(wanted, measure, variant)| {
        let place = names.iter().position(|name| *name == wanted)?;
        Some(Column { place, measure, variant })
    };
    let times: Vec<Column> = known.into_iter().filter_map(column).collect();
    (!times.is_empty()).then(|| Columns { sized: names.first() == Some(&"#bytes"), times })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_ranks_and_facts() {
        assert_eq!(title("# Benchmarking PingPong "), Some("imb/pingpong".into()));
        assert_eq!(title("# List of Benchmarks to run:"), None);
        assert_eq!(ranks("# #processes = 160 "), Some(160));
        assert_eq!(ranks("# ( 2 groups of 4 processes each running simultaneous ) "), Some(8));
        assert_eq!(ranks("# ( 2 additional processes waiting in MPI_Barrier)"), None);
        assert_eq!(mode("#    MODE: NON-AGGREGATE "), Some("NON-AGGREGATE"));
        assert_eq!(fact("#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part"), Some(("benchmark", "2021.7")));
        assert_eq!(fact("#    Intel (R) MPI Benchmark Suite V3.2, MPI-1 part"), Some(("benchmark", "V3.2")));
        assert_eq!(fact("# Release               : 5.15.0"), Some(("system", "5.15.0")));
        assert_eq!(fact("# Date                  : Fri Jun 27"), None);
    }

    #[test]
    fn headers() {
        let places = |line: &str| {
            header(line)
                .map(|columns| (columns.sized, columns.times.iter().map(|c| c.place).collect::<Vec<_>>()))
        };
        assert_eq!(places("       #bytes #repetitions      t[usec]   Mbytes/sec"), Some((true, vec![2])));
        assert_eq!(places(" #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]"), Some((false, vec![3])));
        assert_eq!(places("#bytes #repetitions Mbytes/sec Msg/sec"), Some((true, vec![3])));
        let overlap = "#bytes #repetitions t_ovrl[usec] t_pure[usec] t_CPU[usec]  overlap[%]";
        assert_eq!(places(overlap), Some((true, vec![2, 3])));
        assert_eq!(places("# #processes = 2"), None);
    }
}
