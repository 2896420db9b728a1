//! Findings as a table.

use panto_findings::{Finding, IntervalKind, Unit};

use super::notation::MESSAGES;
use crate::table::{Column, Table};

const FLOPS: panto_units::UnitScale =
    &[(1e12, "Tflop/s"), (1e9, "Gflop/s"), (1e6, "Mflop/s"), (1e3, "kflop/s"), (1.0, "flop/s")];

/// Returns the findings, one per line; empty if there are none.
pub fn findings(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    format!("Findings\n{}\n", findings_table(findings))
}

/// Returns the findings as a table.
pub fn findings_table(findings: &[Finding]) -> Table {
    let columns = [
        Column::text("kernel"),
        Column::text("finding"),
        Column::right("value"),
        Column::right("95% interval"),
    ];
    let mut table = Table::new(columns);
    for finding in findings {
        let interval = finding.interval.map_or(String::new(), |(low, high)| {
            let what = match finding.interval_kind {
                IntervalKind::Confidence => "",
                IntervalKind::Quartiles => " (quartiles)",
                IntervalKind::Extremes => " (minimum and maximum)",
            };
            format!("{} .. {}{what}", quantity(low, finding.unit), quantity(high, finding.unit))
        });
        table.row([source(finding), finding.label.clone(), quantity(finding.value, finding.unit), interval]);
    }
    table
}

/// Returns the source of a finding, marked if it was simulated.
fn source(finding: &Finding) -> String {
    match &finding.machine {
        Some(machine) => format!("{} (simulated {machine})", finding.kernel),
        None => finding.kernel.clone(),
    }
}

/// Formats a value with its unit.
pub fn quantity(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Seconds => panto_units::time(value),
        // Per byte, the time is what adds up; its inverse is shown separately.
        Unit::SecondsPerByte => format!("{}/B", sub_nano(value)),
        Unit::Bytes => rounded_bytes(value),
        Unit::BytesPerSecond => panto_units::rate(value),
        Unit::MessagesPerSecond => panto_units::in_units(value, MESSAGES, 3),
        Unit::FlopsPerSecond => panto_units::in_units(value, FLOPS, 3),
        Unit::Percent => panto_units::percent(value),
        Unit::Number => panto_units::significant(value, 3),
    }
}

/// Formats a derived size, which is not exact to the byte.
fn rounded_bytes(bytes: f64) -> String {
    const BINARY: panto_units::UnitScale =
        &[((1_u64 << 30) as f64, "GiB"), ((1_u64 << 20) as f64, "MiB"), (1024.0, "KiB"), (1.0, "B")];
    panto_units::in_units(bytes.round(), BINARY, 3)
}

/// Formats a time that may be below a nanosecond, such as one per byte.
fn sub_nano(seconds: f64) -> String {
    if seconds.abs() < 1e-9 {
        return format!("{}ps", panto_units::significant(seconds * 1e12, 3));
    }
    panto_units::time(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_has_its_form() {
        let cases = [
            (1.5e-6, Unit::Seconds, "1.50us"),
            (6.25e-11, Unit::SecondsPerByte, "62.5ps/B"),
            (4.1e-7, Unit::SecondsPerByte, "410ns/B"),
            (4096.4, Unit::Bytes, "4.00KiB"),
            (486.2, Unit::Bytes, "486B"),
            (1.6e10, Unit::BytesPerSecond, "16.0GB/s"),
            (1.234e7, Unit::MessagesPerSecond, "12.3M/s"),
            (9.52e6, Unit::FlopsPerSecond, "9.52Mflop/s"),
            (33.3, Unit::Percent, "33.3%"),
            (1.987, Unit::Number, "1.99"),
        ];
        for (value, unit, text) in cases {
            assert_eq!(quantity(value, unit), text);
        }
    }
}
