//! Report of each rank to the root after a point was measured.

use panto_transport::{Result, Selector, SendMode, Tag, Transport};
use serde::{Deserialize, Serialize};

/// Report of a rank.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Report {
    /// Median time from its start to its stop, in nanoseconds.
    pub nanos: f64,
    /// Relative excess of its computations, by the wall clock and by CPU time.
    pub comp_error: Option<f64>,
    pub comp_cpu_error: Option<f64>,
    /// What was wrong with its data.
    pub wrong: Option<String>,
}

const TAG: Tag = 0x5B;
const ROOT: usize = 0;

/// Returns the reports of all ranks, in rank order, on the root; an empty list elsewhere.
pub(super) fn gather<T: Transport>(transport: &T, own: Report) -> Result<Vec<Report>> {
    transport.set_out_of_band(true);
    let outcome = gather_aside(transport, own);
    transport.set_out_of_band(false);
    outcome
}

fn gather_aside<T: Transport>(transport: &T, own: Report) -> Result<Vec<Report>> {
    if transport.rank() != ROOT {
        let words = serde_json::to_vec(&own).expect("a report is plain data");
        transport.send(SendMode::Standard, &words, ROOT, TAG)?;
        return Ok(Vec::new());
    }
    let mut reports = vec![own];
    for rank in 1..transport.size() {
        let want = Selector::new(rank, TAG);
        let mut words = vec![0; transport.probe(want)?.len];
        transport.receive(&mut words, want)?;
        let report = serde_json::from_slice(&words)
            .map_err(|error| transport.abort(&format!("rank {rank} sent an invalid report: {error}")))?;
        reports.push(report);
    }
    Ok(reports)
}

/// Returns the largest error of any rank, by absolute value.
pub(super) fn worst(reports: &[Report], error: impl Fn(&Report) -> Option<f64>) -> Option<f64> {
    reports.iter().filter_map(error).max_by(|a, b| a.abs().total_cmp(&b.abs()))
}

/// Returns the first report of wrong data, with its rank.
pub(super) fn wrong(reports: &[Report]) -> Option<String> {
    let seen = |(rank, report): (usize, &Report)| Some((rank, report.wrong.clone()?));
    let all: Vec<(usize, String)> = reports.iter().enumerate().filter_map(seen).collect();
    let (rank, what) = all.first()?;
    let others = if all.len() > 1 { format!(" (and on {} more)", all.len() - 1) } else { String::new() };
    Some(format!("wrong data on rank {rank}: {what}{others}"))
}
