//! Which sizes have a law of their own, and the line of each envelope (M2).

use panto_stats::{Class, Residues, Segment, median};

use super::{Finding, Range, Unit, seconds, series};
use crate::point::param;
use crate::results::Record;

/// Fewer sizes say nothing about remainders.
const LEAST_SIZES: usize = 16;

pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (_, series) in series(records, param::BYTES) {
        let point = |(bytes, record): &(u64, &Record)| Some((*bytes as f64, seconds(record)?));
        let points: Vec<(f64, f64)> =
            series.iter().filter_map(point).filter(|(_, time)| *time > 0.0).collect();
        if points.len() < LEAST_SIZES {
            continue;
        }
        let Ok(residues) = Residues::fit(&points) else { continue };
        findings.push(modulus(kernel, &residues));
        for (class, fit) in &residues.classes {
            findings.extend(fit.segments.iter().flat_map(|segment| envelope(kernel, *class, segment)));
        }
        findings.extend(padding(kernel, &residues, &points));
    }
    findings
}

fn modulus(kernel: &str, residues: &Residues) -> Finding {
    let Some(modulus) = residues.modulus else {
        return Finding::new(
            kernel,
            "no remainder of the size matters: one law for all sizes",
            1.0,
            Unit::Number,
        );
    };
    // Larger ones may divide these sizes in the same way.
    let others: Vec<String> = residues.same.iter().map(u64::to_string).collect();
    let doubt = if others.is_empty() {
        String::new()
    } else {
        format!(" (or of {}: these sizes cannot tell)", others.join(", "))
    };
    let label = format!("sizes with a law of their own are the multiples of{doubt}");
    Finding::new(kernel, label, modulus as f64, Unit::Number)
}

fn envelope(kernel: &str, class: Class, segment: &Segment) -> [Finding; 2] {
    let which = match class {
        Class::All => "all sizes".to_owned(),
        Class::Multiples(modulus) => format!("multiples of {modulus}"),
        Class::Others(modulus) => format!("others than multiples of {modulus}"),
    };
    let bytes = |x: f64| panto_units::bytes(x as u64);
    let range = format!("{which}, {} to {}, one way", bytes(segment.from_x), bytes(segment.to_x));
    let what = if segment.intercept < 0.0 { "intercept" } else { "start-up" };
    let start_up = Finding::new(kernel, format!("{what}, {range}"), segment.intercept, Unit::Seconds);
    let per_byte = Finding::new(kernel, format!("per byte, {range}"), segment.slope, Unit::SecondsPerByte);
    [start_up.within(segment.intercept_interval, 1.0), per_byte.within(segment.slope_interval, 1.0)]
}

/// What it saves to fill a message up to the next size of the faster kind; less than nothing where these are the slower ones.
fn padding(kernel: &str, residues: &Residues, points: &[(f64, f64)]) -> Option<Finding> {
    let modulus = residues.modulus?;
    let last = points.last()?.0;
    let saved = |&(bytes, time): &(f64, f64)| {
        let full = (bytes / modulus as f64).ceil() * modulus as f64;
        (full > bytes && full <= last).then(|| time - residues.predict(full))
    };
    let mut saved: Vec<f64> = points.iter().filter_map(saved).collect();
    saved.sort_by(f64::total_cmp);
    let label = format!("padding to a multiple of {modulus} saves, median over the sizes");
    let finding = Finding::new(kernel, label, median(&saved).ok()?, Unit::Seconds);
    let interval = Some((*saved.first()?, *saved.last()?));
    Some(Finding { interval, interval_is: Range::Extremes, ..finding })
}
