//! The figures that matter, in sentences.

use panto_bench::results::{Manifest, Record};
use panto_bench::{Finding, Separation, param};
use panto_stats::Summary;
use panto_units::{percent, time};

use super::crowding::crowded_counts;
use super::findings::quantity;
use super::{placement, words};
use crate::html::KeyFigure;

const NANO: f64 = 1e-9;

/// What a newcomer wants to know of this machine, a sentence each. Kernels that were not measured are left out.
pub fn in_words(manifest: &Manifest, records: &[Record], findings: &[Finding]) -> Vec<String> {
    let facts = Facts { records, findings, manifest: Some(manifest) };
    let mut lines = vec![place(manifest)];
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
            "Simulated: {} ({}, {} network). Times come from a model; nothing was measured.",
            machine.name, machine.topology, machine.network
        ),
        None if placement::hosts(manifest) > 1 => format!(
            "{} ({cpu} on the first), over {transport}.",
            words::capitalised(&placement::summary(&manifest.placement))
        ),
        None => format!("{host} ({cpu}, {cores} cores), ranks on {transport}."),
    }
}

/// The same at a glance.
pub fn key_figures(records: &[Record], findings: &[Finding]) -> Vec<KeyFigure> {
    let facts = Facts { records, findings, manifest: None };
    let start_up = facts.pair("comet/echo", 8).map(|(_, summary)| {
        KeyFigure::new("start-up, one way", time(summary.median * NANO), "a message of 8 bytes")
    });
    let figure = |label: &str, found: Option<&Finding>, note: &str| {
        found.map(|found| KeyFigure::new(label, text(found), note))
    };
    let of = |label: &str, kernel: &str, finding: &str, note: &str| {
        figure(label, facts.finding(kernel, finding), note)
    };
    let figures = [
        start_up,
        figure("peak bandwidth", facts.nearest("peak bandwidth"), "one way between two ranks"),
        figure("half of it from", facts.nearest("size of half the peak"), "messages of this size"),
        of("barrier", "comet/barrier", "least time", "the least time, all ranks"),
        of("to a handler", "comet/handler", "send to handler, 8B", "while the rank computes"),
    ];
    figures.into_iter().flatten().collect()
}

struct Facts<'a> {
    records: &'a [Record],
    findings: &'a [Finding],
    manifest: Option<&'a Manifest>,
}

impl Facts<'_> {
    fn message(&self) -> Option<String> {
        let (_, summary) = self.pair("comet/echo", 8)?;
        let median = interval(&summary);
        Some(format!("A message of 8 bytes takes {median} one way: that is the start-up time."))
    }

    fn bandwidth(&self) -> Option<String> {
        let peak = self.nearest("peak bandwidth")?;
        let half = self.nearest("size of half the peak")?;
        let ninety = self.nearest("size of 90% of the peak")?;
        Some(format!(
            "The peak bandwidth is {} one way; messages of {} reach half of it, of {} nine tenths.",
            text(peak),
            text(half),
            text(ninety)
        ))
    }

    fn exchange(&self) -> Option<String> {
        let (_, exchange) = self.pair("comet/exchange", 1 << 16)?;
        let (_, echo) = self.pair("comet/echo", 1 << 16)?;
        let gain = (1.0 - exchange.median / (2.0 * echo.median)) * 100.0;
        Some(format!(
            "Two ranks exchange 64KiB in {}; one after the other it would take {} ({} saved by using both directions at once).",
            interval(&exchange),
            time(2.0 * echo.median * NANO),
            percent(gain)
        ))
    }

    fn broadcast(&self) -> Option<String> {
        let at = |size| self.widest("comet/broadcast", param::BYTES, size);
        let ((record, small), (_, large)) = (at(8)?, at(1 << 16)?);
        Some(format!(
            "A broadcast to {} ranks takes {} for 8 bytes and {} for 64KiB, with the barrier that closes it.",
            record.point.ranks,
            interval(&small),
            interval(&large)
        ))
    }

    fn reduction(&self) -> Option<String> {
        let (record, summary) = self.widest("comet/reduction", param::LENGTH, 1)?;
        Some(format!("The sum of one double over {} ranks takes {}.", record.point.ranks, interval(&summary)))
    }

    fn barrier(&self) -> Option<String> {
        let of = self.records.iter().filter(|record| record.kernel == "comet/barrier");
        let record = of.max_by_key(|record| record.point.ranks)?;
        let least = time(record.summary()?.min * NANO);
        Some(format!("A barrier of {} ranks takes at least {least}.", record.point.ranks))
    }

    fn contention(&self) -> Option<String> {
        let of = |load| self.finding("comet/contention", &format!("slowdown under {load}% load"));
        let (half, most) = (of(50)?, of(90)?);
        // Four ranks that take turns on fewer cores tell about the scheduler, not about links.
        if self.crowded("comet/contention") {
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
        let best = self.finding("comet/overlap", "best of")?;
        let (low, high) = best.interval?;
        let verdict = if low > 5.0 {
            format!("saves up to {} ({} to {})", percent(best.value), percent(low), percent(high))
        } else if high < 5.0 {
            format!("saves nothing to speak of ({} at best)", percent(best.value))
        } else {
            format!("saves perhaps {} ({} to {})", percent(best.value), percent(low), percent(high))
        };
        Some(format!("Overlapping an exchange with computation {verdict}."))
    }

    fn matrix(&self) -> Option<String> {
        let guard = self.finding("comet/guard", "time")?;
        let transpose = self.finding("comet/transpose", "time exchange")?;
        let size = guard.label.trim_start_matches("time, ");
        let (guard, transpose) = (text_and_interval(guard), text_and_interval(transpose));
        Some(format!("For a matrix of {size}: guard update {guard}, transpose {transpose}."))
    }

    fn handler(&self) -> Option<String> {
        let usual = self.finding("comet/handler", "send to handler, 8B")?;
        let worst = self.finding("comet/handler", "send to handler, slowest, 8B")?;
        Some(format!(
            "A message reaches a handler on a rank that computes after {} (slowest {}).",
            text(usual),
            text(worst)
        ))
    }

    /// Did it run with more ranks than cores?
    fn crowded(&self, kernel: &str) -> bool {
        let of_kernel = self.records.iter().filter(|record| record.kernel == kernel);
        self.manifest.is_some_and(|manifest| !crowded_counts(of_kernel, manifest).is_empty())
    }

    /// The first finding whose label begins like this.
    fn finding(&self, kernel: &str, label: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.kernel == kernel && finding.label.starts_with(label))
    }

    /// The finding of the echo that begins like this, at the nearest distance to another rank.
    fn nearest(&self, label: &str) -> Option<&Finding> {
        let echo = self.records.iter().filter(|record| record.kernel == "comet/echo");
        let nearest = Separation::nearest(echo.filter_map(|record| record.point.separation()))
            .filter(|separation| !separation.is_itself())?;
        self.finding("comet/echo", &format!("{label}, {nearest}"))
    }

    /// The nearest distance of a pattern between two.
    fn pair(&self, kernel: &str, size: u64) -> Option<(&Record, Summary)> {
        let fits = |record: &&Record| {
            record.kernel == kernel
                && record.point.number(param::BYTES) == Some(size)
                && record.point.separation().is_some_and(|separation| !separation.is_itself())
        };
        let record = self.records.iter().filter(fits).min_by_key(|record| record.point.separation())?;
        Some((record, record.summary()?))
    }

    /// The most ranks at this value.
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
