//! Which message sizes follow a line of their own, and the line of each class of sizes (M2).
//!
//! The CM-5 sends packets of 16 data bytes, so that times of multiples of 16 and of all other sizes
//! lie on two lines. [`ResidueFit`] finds such a modulus from the times alone.

use panto_results::{FindingKind, Point, Record, param};
use panto_stats::{ResidueClass, ResidueFit, Segment, median};

use crate::series::{seconds, series};
use crate::{Finding, IntervalKind, Unit};

/// Number of sizes below which nothing can be concluded about remainders.
const MIN_SIZES: usize = 16;

pub(super) fn findings(kernel: &str, records: &[&Record]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (context, series) in series(records, param::BYTES) {
        let point = |(bytes, record): &(u64, &Record)| Some((*bytes as f64, seconds(record)?));
        let points: Vec<(f64, f64)> =
            series.iter().filter_map(point).filter(|(_, time)| *time > 0.0).collect();
        if points.len() < MIN_SIZES {
            continue;
        }
        let Ok(residues) = ResidueFit::fit(&points) else { continue };
        findings.push(modulus(kernel, &context, &residues));
        for (class, fit) in &residues.classes {
            let lines = fit.segments.iter().flat_map(|segment| line(kernel, &context, *class, segment));
            findings.extend(lines);
        }
        findings.extend(padding(kernel, &context, &residues, &points));
    }
    findings
}

fn modulus(kernel: &str, context: &Point, residues: &ResidueFit) -> Finding {
    let finding = |label, value| {
        Finding::new((kernel, FindingKind::SizeModulus), context, label, (value, Unit::Number))
    };
    let Some(modulus) = residues.modulus else {
        return finding("no remainder of the size matters: one law for all sizes".to_owned(), 1.0);
    };
    // Larger moduli may divide the measured sizes in the same way.
    let others: Vec<String> = residues.same.iter().map(u64::to_string).collect();
    let doubt = if others.is_empty() {
        String::new()
    } else {
        format!(" (or of {}: these sizes cannot tell)", others.join(", "))
    };
    let label = format!("sizes with a law of their own are the multiples of{doubt}");
    finding(label, modulus as f64)
}

fn line(kernel: &str, context: &Point, class: ResidueClass, segment: &Segment) -> [Finding; 2] {
    let which = match class {
        ResidueClass::All => "all sizes".to_owned(),
        ResidueClass::Multiples(modulus) => format!("multiples of {modulus}"),
        ResidueClass::Others(modulus) => format!("others than multiples of {modulus}"),
    };
    let bytes = |x: f64| panto_units::bytes(x as u64);
    let range = format!("{which}, {} to {}, one way", bytes(segment.from_x), bytes(segment.to_x));
    let what = if segment.intercept < 0.0 { "intercept" } else { "start-up" };
    let finding =
        |kind, what: &str, value| Finding::new((kernel, kind), context, format!("{what}, {range}"), value);
    [
        finding(FindingKind::Startup, what, (segment.intercept, Unit::Seconds))
            .within(segment.intercept_interval, 1.0),
        finding(FindingKind::PerByte, "per byte", (segment.slope, Unit::SecondsPerByte))
            .within(segment.slope_interval, 1.0),
    ]
}

/// Returns the time that padding a message to the next multiple of the modulus saves; negative
/// where the multiples are the slower class.
fn padding(kernel: &str, context: &Point, residues: &ResidueFit, points: &[(f64, f64)]) -> Option<Finding> {
    let modulus = residues.modulus?;
    let last = points.last()?.0;
    let saved = |&(bytes, time): &(f64, f64)| {
        let full = (bytes / modulus as f64).ceil() * modulus as f64;
        (full > bytes && full <= last).then(|| time - residues.predict(full))
    };
    let mut saved: Vec<f64> = points.iter().filter_map(saved).collect();
    saved.sort_by(f64::total_cmp);
    let label = format!("padding to a multiple of {modulus} saves, median over the sizes");
    let value = (median(&saved).ok()?, Unit::Seconds);
    let finding = Finding::new((kernel, FindingKind::PaddingGain), context, label, value);
    Some(finding.between((*saved.first()?, *saved.last()?), IntervalKind::Extremes))
}
