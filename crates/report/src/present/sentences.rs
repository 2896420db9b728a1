//! The most important findings, in sentences.

use panto_findings::Finding;
use panto_results::quality::without_poor;
use panto_results::{FindingKind, Manifest, Record, Separation, kernel, param};
use panto_stats::Summary;
use panto_units::{percent, time};

use super::findings::quantity;
use super::oversubscription::oversubscribed_counts;
use super::verdict::is_poor;
use super::{phrases, placement};
use crate::html::KeyFigure;

const NANO: f64 = 1e-9;

/// Percent that an exchange can save over two messages, with room for noise.
const SAVED: std::ops::RangeInclusive<f64> = -5.0..=55.0;

/// Returns the performance of a machine, one sentence per finding. Kernels that were not measured
/// are omitted.
pub fn summary_sentences(manifest: &Manifest, records: &[Record], findings: &[Finding]) -> Vec<String> {
    let trusted = trusted(records);
    let facts = Facts { records: &trusted, findings, manifest: Some(manifest) };
    let mut lines = vec![place(manifest)];
    if is_poor(records) {
        return lines;
    }
    let sentences = [
        facts.message(),
        facts.bandwidth(),
        facts.exchange(),
        facts.broadcast(),
        facts.reduction(),
        facts.barrier(),
        facts.contention(),
        facts.overlap(),
        facts.matrix(),
        facts.handler(),
    ];
    lines.extend(sentences.into_iter().flatten());
    lines
}

fn place(manifest: &Manifest) -> String {
    let Manifest { host, cpu, cores, transport, machine, .. } = manifest;
    match machine {
        Some(machine) => format!(
            "Simulated: {} ({}, sharing {}). Times come from a model and were not measured.",
            machine.name, machine.topology, machine.network
        ),
        None if placement::hosts(manifest) > 1 => format!(
            "{} ({cpu} on the first), over {transport}.",
            phrases::capitalised(&placement::summary(&manifest.placement))
        ),
        None => format!("{host} ({cpu}, {cores} cores), ranks on {transport}."),
    }
}

/// Returns the most important findings as cards.
pub fn key_figures(records: &[Record], findings: &[Finding]) -> Vec<KeyFigure> {
    if is_poor(records) {
        return Vec::new();
    }
    let trusted = trusted(records);
    let facts = Facts { records: &trusted, findings, manifest: None };
    let start_up = facts.pair(kernel::comet::ECHO, 8).map(|(_, summary)| {
        KeyFigure::new("latency, 8 B", time(summary.median * NANO), "one way between two ranks")
    });
    let figure = |label: &str, found: Option<&Finding>, note: &str| {
        found.map(|found| KeyFigure::new(label, text(found), note))
    };
    let figures = [
        start_up,
        figure("peak bandwidth", facts.nearest(FindingKind::PeakBandwidth), "one way between two ranks"),
        figure("n1/2", facts.nearest(FindingKind::HalfPeakSize), "message size that reaches half the peak"),
        figure(
            "barrier",
            facts.finding(kernel::comet::BARRIER, FindingKind::MinimumTime),
            "minimum, all ranks",
        ),
        figure("handler latency", facts.handler_of(FindingKind::HandlerLatency), "8 B to a computing rank"),
    ];
    figures.into_iter().flatten().collect()
}

/// Returns the points of which figures may be quoted.
fn trusted(records: &[Record]) -> Vec<Record> {
    without_poor(records).into_iter().cloned().collect()
}

struct Facts<'a> {
    records: &'a [Record],
    findings: &'a [Finding],
    manifest: Option<&'a Manifest>,
}

impl Facts<'_> {
    fn message(&self) -> Option<String> {
        let (_, summary) = self.pair(kernel::comet::ECHO, 8)?;
        let median = interval(&summary);
        Some(format!("An 8-byte message takes {median} one way: the latency."))
    }

    fn bandwidth(&self) -> Option<String> {
        let peak = self.nearest(FindingKind::PeakBandwidth)?;
        let half = self.nearest(FindingKind::HalfPeakSize)?;
        let ninety = self.nearest(FindingKind::NinetyPercentSize)?;
        Some(format!(
            "The peak bandwidth is {} one way; messages of {} reach half of it (n1/2), of {} 90%.",
            text(peak),
            text(half),
            text(ninety)
        ))
    }

    fn exchange(&self) -> Option<String> {
        let (_, exchange) = self.pair(kernel::comet::EXCHANGE, 1 << 16)?;
        let (_, echo) = self.pair(kernel::comet::ECHO, 1 << 16)?;
        let gain = (1.0 - exchange.median / (2.0 * echo.median)) * 100.0;
        // At most half is saved, if both directions take the time of one: more is an error of
        // either figure.
        if !SAVED.contains(&gain) {
            return None;
        }
        Some(format!(
            "Two ranks exchange 64KiB in {}; one direction after the other would take {} ({} saved by using both at once).",
            interval(&exchange),
            time(2.0 * echo.median * NANO),
            percent(gain)
        ))
    }

    fn broadcast(&self) -> Option<String> {
        let at = |size| self.widest(kernel::comet::BROADCAST, param::BYTES, size);
        let ((record, small), (_, large)) = (at(8)?, at(1 << 16)?);
        Some(format!(
            "A broadcast to {} ranks takes {} for 8 bytes and {} for 64KiB, including the closing barrier.",
            record.point.ranks,
            interval(&small),
            interval(&large)
        ))
    }

    fn reduction(&self) -> Option<String> {
        let (record, summary) = self.widest(kernel::comet::REDUCTION, param::LENGTH, 1)?;
        Some(format!("The sum of one double over {} ranks takes {}.", record.point.ranks, interval(&summary)))
    }

    fn barrier(&self) -> Option<String> {
        let of = self.records.iter().filter(|record| record.kernel == kernel::comet::BARRIER);
        let record = of.max_by_key(|record| record.point.ranks)?;
        let least = time(record.summary()?.min * NANO);
        Some(format!("A barrier of {} ranks takes at least {least}.", record.point.ranks))
    }

    fn contention(&self) -> Option<String> {
        let of = |load| {
            self.of_kind(kernel::comet::CONTENTION, FindingKind::Slowdown)
                .find(|finding| finding.point.number(param::LOAD) == Some(load))
        };
        let (half, most) = (of(50)?, of(90)?);
        // Four ranks that share fewer cores measure the scheduler, not links.
        if self.is_oversubscribed(kernel::comet::CONTENTION) {
            return None;
        }
        let change = |finding: &Finding| match finding.value {
            value if value < 0.0 => format!("{} less", percent(-value)),
            value => format!("{} more", percent(value)),
        };
        Some(format!(
            "Under background load an echo takes {} time (half load) and {} (90% load), median over the sizes.",
            change(half),
            change(most)
        ))
    }

    fn overlap(&self) -> Option<String> {
        let best = self.finding(kernel::comet::OVERLAP, FindingKind::BestOverlapGain)?;
        let (low, high) = best.interval?;
        let verdict = if low > 5.0 {
            format!("saves up to {} ({} to {})", percent(best.value), percent(low), percent(high))
        } else if high < 5.0 {
            format!("saves nothing significant ({} at best)", percent(best.value))
        } else {
            format!("may save {} ({} to {})", percent(best.value), percent(low), percent(high))
        };
        Some(format!("Overlapping an exchange with computation {verdict}."))
    }

    fn matrix(&self) -> Option<String> {
        let guard = self.finding(kernel::comet::GUARD, FindingKind::Time)?;
        let transpose = self
            .of_kind(kernel::comet::TRANSPOSE, FindingKind::Time)
            .find(|finding| finding.point.text(param::VARIANT) == "exchange")?;
        let (dim, ranks) = (guard.point.number(param::DIM)?, guard.point.ranks);
        let (guard, transpose) = (text_and_interval(guard), text_and_interval(transpose));
        Some(format!(
            "For a matrix of {dim} x {dim} on {ranks} ranks: guard update {guard}, transpose {transpose}."
        ))
    }

    fn handler(&self) -> Option<String> {
        let usual = self.handler_of(FindingKind::HandlerLatency)?;
        let worst = self.handler_of(FindingKind::MaximumHandlerLatency)?;
        Some(format!(
            "A message reaches a handler on a computing rank after {} (slowest {}).",
            text(usual),
            text(worst)
        ))
    }

    /// Returns whether a kernel ran with more ranks than cores.
    fn is_oversubscribed(&self, kernel: &str) -> bool {
        let of_kernel = self.records.iter().filter(|record| record.kernel == kernel);
        self.manifest.is_some_and(|manifest| !oversubscribed_counts(of_kernel, manifest).is_empty())
    }

    /// Iterates over the findings of a kind.
    fn of_kind(&self, kernel: &str, kind: FindingKind) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.kernel == kernel && finding.kind == kind)
    }

    /// Returns the first finding of a kind.
    fn finding(&self, kernel: &str, kind: FindingKind) -> Option<&Finding> {
        self.of_kind(kernel, kind).next()
    }

    /// Returns a finding of the handler kernel for a message of 8 bytes.
    fn handler_of(&self, kind: FindingKind) -> Option<&Finding> {
        let of_8_bytes = |finding: &&Finding| finding.point.number(param::BYTES) == Some(8);
        self.of_kind(kernel::comet::HANDLER, kind).find(of_8_bytes)
    }

    /// Returns the finding of the echo at the nearest distance to another rank.
    fn nearest(&self, kind: FindingKind) -> Option<&Finding> {
        let echo = self.records.iter().filter(|record| record.kernel == kernel::comet::ECHO);
        let nearest = Separation::nearest(echo.filter_map(|record| record.point.separation()))
            .filter(|separation| !separation.is_itself())?;
        self.of_kind(kernel::comet::ECHO, kind).find(|finding| finding.point.separation() == Some(nearest))
    }

    /// Returns the record of a pattern between two ranks at the nearest distance.
    fn pair(&self, kernel: &str, size: u64) -> Option<(&Record, Summary)> {
        let fits = |record: &&Record| {
            record.kernel == kernel
                && record.point.number(param::BYTES) == Some(size)
                && record.point.separation().is_some_and(|separation| !separation.is_itself())
        };
        let record = self.records.iter().filter(fits).min_by_key(|record| record.point.separation())?;
        Some((record, record.summary()?))
    }

    /// Returns the record with the most ranks at this value.
    fn widest(&self, kernel: &str, name: &str, value: u64) -> Option<(&Record, Summary)> {
        let fits = |record: &&Record| record.kernel == kernel && record.point.number(name) == Some(value);
        let record = self.records.iter().filter(fits).max_by_key(|record| record.point.ranks)?;
        Some((record, record.summary()?))
    }
}

fn text(finding: &Finding) -> String {
    quantity(finding.value, finding.unit)
}

fn text_and_interval(finding: &Finding) -> String {
    let at = |value| quantity(value, finding.unit);
    let interval =
        finding.interval.map_or(String::new(), |(low, high)| format!(" ({} to {})", at(low), at(high)));
    at(finding.value) + &interval
}

fn interval(summary: &Summary) -> String {
    let at = |nanos: f64| time(nanos * NANO);
    format!("{} ({} to {})", at(summary.median), at(summary.interval.low), at(summary.interval.high))
}
