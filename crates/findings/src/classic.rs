//! What users of the classic benchmarks quote: the time of the smallest message, the best bandwidth
//! and the best message rate.

use panto_results::{FindingKind, Point, Record, param};
use panto_stats::{Interval, Summary};

use crate::series::{NANO, series};
use crate::{Finding, Unit};

pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let is_halo = records.iter().any(|record| record.point.number(param::SIDE).is_some());
    let axis = if is_halo { param::SIDE } else { param::BYTES };
    let all = series(records, axis);
    all.iter().flat_map(|(point, series)| of_series(kernel, &Sweep { point, series, is_halo })).collect()
}

/// Points that differ only in their size.
struct Sweep<'a> {
    point: &'a Point,
    series: &'a [(u64, &'a Record)],
    is_halo: bool,
}

fn of_series(kernel: &str, sweep: &Sweep) -> Vec<Finding> {
    let of_window = sweep.point.number(param::WINDOW).is_some();
    // The time of a whole window says little, and so does the message rate of single messages.
    let time = (!of_window).then(|| sweep.time(kernel)).flatten();
    let rate = of_window.then(|| {
        let what = (FindingKind::BestMessageRate, "message rate", Unit::MessagesPerSecond);
        sweep.best(kernel, what, Record::message_rate)
    });
    let what = (FindingKind::BestBandwidth, "bandwidth", Unit::BytesPerSecond);
    let bandwidth = sweep.best(kernel, what, Record::bandwidth);
    [time, bandwidth, rate.flatten()].into_iter().flatten().collect()
}

impl Sweep<'_> {
    /// Returns the time of the smallest message, or of the largest halo.
    fn time(&self, kernel: &str) -> Option<Finding> {
        let (size, record) = if self.is_halo { self.series.last()? } else { self.series.first()? };
        let summary = record.summary()?;
        let way = if record.metric.half { ", one way" } else { "" };
        let label = format!("time, {}{way}{}", self.size(*size), self.context());
        let finding = Finding::new(
            (kernel, FindingKind::Time),
            self.point,
            label,
            (summary.median * NANO, Unit::Seconds),
        );
        Some(finding.within(summary.interval, NANO))
    }

    /// Returns the largest rate over the sizes, with the interval that follows from that of the
    /// time.
    fn best(
        &self,
        kernel: &str,
        (kind, what, unit): (FindingKind, &str, Unit),
        rate: impl Fn(&Record, f64) -> Option<f64>,
    ) -> Option<Finding> {
        let at = |(size, record): &(u64, &Record)| {
            let Summary { median, interval, .. } = record.summary()?;
            let (low, high) = (rate(record, interval.high)?, rate(record, interval.low)?);
            Some((*size, rate(record, median)?, Interval { low, high }))
        };
        let rates = self.series.iter().filter_map(at);
        let (size, best, interval) =
            rates.filter(|(_, rate, _)| *rate > 0.0).max_by(|a, b| a.1.total_cmp(&b.1))?;
        let label = format!("best {what} (at {}){}", self.size(size), self.context());
        Some(Finding::new((kernel, kind), self.point, label, (best, unit)).within(interval, 1.0))
    }

    fn size(&self, size: u64) -> String {
        if self.is_halo { format!("side of {size}") } else { panto_units::bytes(size) }
    }

    fn context(&self) -> String {
        let apart = self.point.separation().map(|separation| format!(", {separation}"));
        let ranks = apart.is_none().then(|| format!(", {} ranks", self.point.ranks));
        let variant = Some(self.point.text(param::VARIANT)).filter(|name| !name.is_empty());
        [apart, ranks, variant.map(|name| format!(", {name}"))].into_iter().flatten().collect()
    }
}
