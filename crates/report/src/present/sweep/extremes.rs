//! Which setting of a sweep is fastest, as far as the machines are known.

use panto_predict::sweep::{Figures, Parameter, Row};
use panto_units::{significant, time};

use super::chosen;

/// Rows that are named; further ones are counted.
const MOST_NAMED: usize = 4;

/// Returns the fastest and the slowest setting in words. Machines whose times may be shorter than
/// the fastest one's, within what is known of their figures, are named beside it.
pub(super) fn extremes(varied: &[Parameter], rows: &[Row]) -> Option<String> {
    let sound = || rows.iter().filter_map(|row| Some((row, row.outcome.as_ref().ok()?)));
    let by_time = |a: &(&Row, &Figures), b: &(&Row, &Figures)| a.1.time.total_cmp(&b.1.time);
    let (fastest, slowest) = (sound().min_by(by_time)?, sound().max_by(by_time)?);
    sound().nth(1)?;
    if fastest.1.time >= slowest.1.time {
        return Some(format!("all settings take the same time, {}", time(fastest.1.time)));
    }
    let words =
        |(row, figures): (&Row, &Figures)| format!("{} ({})", chosen(varied, row), time(figures.time));
    let others = indistinct(fastest.0, rows);
    let doubt = if others.is_empty() { String::new() } else { doubt(varied, &others) };
    let ratio = format!("{}x the speed of the slowest", significant(slowest.1.time / fastest.1.time, 3));
    let is_certain = !others.iter().any(|row| std::ptr::eq(*row, slowest.0));
    let slow = if is_certain { format!("; {ratio}: {}", words(slowest)) } else { String::new() };
    Some(format!("fastest: {}{doubt}{slow}", words(fastest)))
}

/// Returns the rows of other machines that are as fast as the fastest one, if their figures are at
/// the faster and its own at the slower end of their intervals. Settings of one machine have the
/// same figures, and are not in doubt.
fn indistinct<'a>(fastest: &Row, rows: &'a [Row]) -> Vec<&'a Row> {
    let machine = |row: &Row| row.variant.get(&Parameter::Machine).map(str::to_owned);
    let Some(high) = fastest.assessment.as_ref().map(|found| found.high) else { return Vec::new() };
    let is_in_doubt = |row: &&Row| {
        machine(row) != machine(fastest) && row.assessment.as_ref().is_some_and(|found| found.low <= high)
    };
    let mut found: Vec<&Row> = rows.iter().filter(is_in_doubt).collect();
    let seconds = |row: &Row| row.outcome.as_ref().map_or(f64::INFINITY, |figures| figures.time);
    found.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    found
}

fn doubt(varied: &[Parameter], others: &[&Row]) -> String {
    let mut names: Vec<String> = others.iter().take(MOST_NAMED).map(|row| chosen(varied, row)).collect();
    if others.len() > MOST_NAMED {
        names.push(format!("{} more", others.len() - MOST_NAMED));
    }
    let last = names.pop().unwrap_or_default();
    let names = if names.is_empty() { last } else { format!("{} or {last}", names.join(", ")) };
    format!(", but not for certain: {names} may be as fast, as their ranges overlap")
}

#[cfg(test)]
mod tests {
    use panto_predict::sweep::{Assessment, Variant};

    use super::*;

    fn row(machine: &str, seconds: f64, range: Option<(f64, f64)>) -> Row {
        let figures = Figures { time: seconds, speedup: 1.0, utilisation: 1.0, waiting: 0.0, processors: 1 };
        let assessment = range.map(|(low, high)| Assessment {
            computation: 0.0,
            waiting: 0.0,
            latency: 0.0,
            bandwidth: 0.0,
            low,
            high,
        });
        Row {
            key: machine.into(),
            variant: Variant::new([(Parameter::Machine, machine.into())]),
            outcome: Ok(figures),
            assessment,
            cost: None,
        }
    }

    fn words(rows: &[Row]) -> String {
        extremes(&[Parameter::Machine], rows).expect("there are two rows")
    }

    #[test]
    fn machines_that_cannot_be_told_apart_are_named() {
        let rows = [
            row("a", 1.0, Some((0.5, 2.0))),
            row("b", 1.5, Some((1.4, 3.0))),
            row("c", 1.2, Some((1.9, 3.0))),
            row("d", 9.0, Some((8.0, 10.0))),
        ];
        assert_eq!(
            words(&rows),
            "fastest: machine a (1.00s), but not for certain: machine c or machine b may be as fast, as their ranges overlap; \
             9.00x the speed of the slowest: machine d (9.00s)"
        );
        // The slowest is not slower for certain either.
        assert!(words(&rows[..2]).ends_with("machine b may be as fast, as their ranges overlap"));
    }

    #[test]
    fn machines_without_ranges_are_taken_as_they_are() {
        let rows = [row("a", 1.0, None), row("b", 1.5, None)];
        assert_eq!(
            words(&rows),
            "fastest: machine a (1.00s); 1.50x the speed of the slowest: machine b (1.50s)"
        );
    }

    #[test]
    fn many_machines_are_counted() {
        let rows: Vec<Row> =
            (0..8).map(|n| row(&n.to_string(), 1.0 + f64::from(n), Some((0.5, 20.0)))).collect();
        assert!(words(&rows).contains("machine 4 or 3 more may be as fast"), "{}", words(&rows));
    }
}
