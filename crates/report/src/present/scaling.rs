//! How a program scales: a table, a chart, and what holds it back.

use panto_predict::scaling::{Change, PathShares, Point, Problem, speedups};
use panto_units::{grouped, percent, time};
use serde_json::{Value, json};

use super::extrapolation::NO_ERROR;
use crate::chart::{self, Axis, Chart, Scale, Series, Style, Unit};
use crate::table::{Column, Table};

/// The predictions of a program for several numbers of ranks.
pub struct ScalingReport<'a> {
    /// The program's name.
    pub program: &'a str,
    /// The machine's name.
    pub machine: &'a str,
    /// Where extrapolated traces come from: "4, 8, 16 ranks".
    pub origin: &'a str,
    /// How far the laws of computation miss what they were not fitted to, as a share; none if two
    /// traces leave it unknown.
    pub error: Option<f64>,
    /// How the size of the problem changes.
    pub problem: Problem,
    /// The predictions by number of ranks, ascending.
    pub points: &'a [Point],
    /// What changes of the machine would give at [`limit`]: times in seconds.
    pub changes: &'a [(Change, f64)],
}

impl ScalingReport<'_> {
    /// Returns the place of the highest speed-up.
    pub fn best(&self) -> usize {
        best(self.points, self.problem)
    }

    /// Returns everything as text.
    pub fn text(&self) -> String {
        let mut text = format!("{} on {}, ", self.program, self.machine);
        text += match self.problem {
            Problem::Same => "the same problem on more ranks (strong scaling)\n\n",
            Problem::Growing => "a problem that grows with the ranks (weak scaling)\n\n",
        };
        text += &self.table().to_string();
        text.push('\n');
        for sentence in self.sentences() {
            text.extend(["- ", sentence.as_str(), "\n"]);
        }
        text
    }

    /// Returns the table as comma-separated values.
    pub fn csv(&self) -> String {
        self.table().to_csv()
    }

    fn table(&self) -> Table {
        let columns = [
            Column::right("ranks"),
            Column::text("trace"),
            Column::right("time"),
            Column::text("interval"),
            Column::number("speed-up"),
            Column::right("efficiency"),
            Column::text("critical path"),
        ];
        let mut table = Table::new(columns);
        for (point, speedup) in self.points.iter().zip(speedups(self.points, self.problem)) {
            table.row([
                grouped(point.ranks.into()),
                if point.is_traced { "traced" } else { "extrapolated" }.to_owned(),
                time(point.time),
                point
                    .interval
                    .map_or_else(String::new, |(low, high)| format!("{}..{}", time(low), time(high))),
                format!("{speedup:.1}"),
                percent(100.0 * speedup / f64::from(point.ranks)),
                point.path.map_or_else(String::new, in_words),
            ]);
        }
        table
    }

    /// Returns what the figures mean.
    fn sentences(&self) -> Vec<String> {
        let all = speedups(self.points, self.problem);
        let best = self.best();
        let Some(point) = self.points.get(best) else { return Vec::new() };
        let ranks = grouped(point.ranks.into());
        let mut sentences = vec![if best + 1 < self.points.len() {
            format!("the highest speed-up is {:.1}, with {ranks} ranks", all[best])
        } else {
            format!("the speed-up still rises at {ranks} ranks, to {:.1}", all[best])
        }];
        sentences.extend(self.cause(best));
        let limit = &self.points[limit(self.points, self.problem)];
        let ranks = grouped(limit.ranks.into());
        for (change, changed) in self.changes {
            let gain = 100.0 * (1.0 - changed / limit.time);
            let (name, changed) = (change.name(), time(*changed));
            sentences
                .push(format!("with {name}, {ranks} ranks would take {changed} ({} less)", percent(gain)));
        }
        if self.points.iter().any(|point| !point.is_traced) {
            let error = self.error.map_or_else(
                || format!("no intervals: {NO_ERROR}"),
                |error| format!(
                    "intervals come from the error of the laws of computation ({} of what was left out of the fit), not from the model of the machine",
                    percent(100.0 * error)
                ),
            );
            sentences.push(format!("extrapolated from {}; {error}", self.origin));
        }
        sentences
    }

    /// Returns what holds the program back: what would help most where more ranks are slower, or at
    /// the end of the curve.
    fn cause(&self, best: usize) -> Option<String> {
        let (change, _) = self.changes.iter().min_by(|one, other| one.1.total_cmp(&other.1))?;
        let limit = limit(self.points, self.problem);
        let point = self.points.get(limit)?;
        let wait = point.waits_in.as_ref().map_or_else(String::new, |(function, share)| {
            format!("; ranks wait most in {function} ({} of their time)", percent(100.0 * share))
        });
        let cause = change.cause();
        Some(if limit > best {
            let ranks = grouped(point.ranks.into());
            format!("{ranks} ranks are slower, mostly because of {cause}{wait}")
        } else {
            format!("what takes most of the time there is {cause}{wait}")
        })
    }

    /// Returns everything for machines.
    pub fn json(&self) -> Value {
        let all = speedups(self.points, self.problem);
        let points: Vec<Value> = self
            .points
            .iter()
            .zip(&all)
            .map(|(point, speedup)| {
                json!({
                    "ranks": point.ranks,
                    "extrapolated": !point.is_traced,
                    "time_s": point.time,
                    "interval_s": point.interval.map(|(low, high)| [low, high]),
                    "computation_s": point.computation,
                    "speedup": speedup,
                    "efficiency": speedup / f64::from(point.ranks),
                    "critical_path": point.path.map(|path| json!({
                        "computation": path.computation, "overhead": path.overhead, "network": path.network,
                    })),
                    "waits_in": point.waits_in.as_ref().map(|(function, share)| json!({
                        "function": function, "share": share,
                    })),
                })
            })
            .collect();
        let changes: Vec<Value> = self
            .changes
            .iter()
            .map(|(change, time)| json!({ "change": change.name(), "time_s": time }))
            .collect();
        json!({
            "program": self.program,
            "machine": self.machine,
            "extrapolated_from": self.origin,
            "computation_error": self.error,
            "scaling": match self.problem { Problem::Same => "strong", Problem::Growing => "weak" },
            "points": points,
            "best_ranks": self.points.get(self.best()).map(|point| point.ranks),
            "limit_ranks": self.points.get(limit(self.points, self.problem)).map(|point| point.ranks),
            "changes_at_limit": changes,
        })
    }

    /// Returns the speed-up against the number of ranks, beside the ideal one.
    pub fn chart(&self) -> Chart {
        let all = speedups(self.points, self.problem);
        let base = self.points.first().map_or(0.0, |point| point.computation);
        let is_same = self.problem == Problem::Same;
        let of = |is_traced: bool| -> Vec<chart::Point> {
            let own = self.points.iter().zip(&all).filter(|(point, _)| point.is_traced == is_traced);
            own.map(|(point, speedup)| {
                let work = if is_same { base } else { point.computation };
                let x = f64::from(point.ranks);
                match point.interval {
                    Some((low, high)) => chart::Point::with_interval(x, *speedup, work / high, work / low),
                    None => chart::Point::new(x, *speedup),
                }
            })
            .collect()
        };
        let ideal = self.points.iter().map(|point| chart::Point::new(point.ranks.into(), point.ranks.into()));
        let x = Axis::new("ranks", Scale::Log2, Unit::Count);
        let y = Axis::new("speed-up", Scale::Log2, Unit::Count);
        let title = format!("Speed-up of {} on {}", self.program, self.machine);
        let subtitle = format!("extrapolated from traces of {}", self.origin);
        Chart::new(title, x, y)
            .subtitle(subtitle)
            .series(Series::new("traced", Style::LineAndDots, of(true)))
            .series(Series::new("extrapolated", Style::LineAndDots, of(false)))
            .series(Series::new("ideal", Style::Dashed, ideal))
    }
}

/// Returns the place of the highest speed-up.
fn best(points: &[Point], problem: Problem) -> usize {
    let all = speedups(points, problem);
    (0..all.len()).max_by(|one, other| all[*one].total_cmp(&all[*other])).unwrap_or(0)
}

/// Returns the place after the highest speed-up, where more ranks are slower; the last place if the
/// speed-up still rises there.
pub fn limit(points: &[Point], problem: Problem) -> usize {
    (best(points, problem) + 1).min(points.len().saturating_sub(1))
}

fn in_words(path: PathShares) -> String {
    let parts = [("compute", path.computation), ("overhead", path.overhead), ("network", path.network)];
    let (name, share) = parts.into_iter().max_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or_default();
    format!("{:.0}% {name}", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(ranks: u32, time: f64) -> Point {
        let waits_in = Some(("MPI_Allreduce".to_owned(), 0.4));
        let interval = (ranks > 8).then_some((0.9 * time, 1.1 * time));
        Point { ranks, is_traced: ranks <= 8, time, interval, computation: 8.0, path: None, waits_in }
    }

    fn report(points: &[Point]) -> String {
        let changes =
            [(Change::HalfLatency, 1.0), (Change::DoubleBandwidth, 1.8), (Change::DoubleSpeed, 1.5)];
        let report = ScalingReport {
            program: "app",
            machine: "infiniband",
            origin: "4, 8 ranks",
            error: Some(0.1),
            problem: Problem::Same,
            points,
            changes: &changes,
        };
        assert_eq!(report.csv().lines().count(), points.len() + 1);
        assert_eq!(report.json()["points"].as_array().map(Vec::len), Some(points.len()));
        report.text()
    }

    #[test]
    fn the_limit_and_its_cause_are_named() {
        let text = report(&[point(4, 2.5), point(8, 1.6), point(16, 2.0), point(32, 3.0)]);
        for sentence in [
            "- the highest speed-up is 5.0, with 8 ranks\n",
            "- 16 ranks are slower, mostly because of the latency and overheads of messages; ranks wait most in MPI_Allreduce (40.0% of their time)\n",
            "- with half the latency and overheads of messages, 16 ranks would take 1.00s (50.0% less)\n",
            "- extrapolated from 4, 8 ranks; ",
        ] {
            assert!(text.contains(sentence), "{text}");
        }
    }

    #[test]
    fn a_curve_may_rise_to_its_end() {
        let text = report(&[point(4, 2.5), point(8, 1.6)]);
        assert!(text.contains("- the speed-up still rises at 8 ranks, to 5.0\n"), "{text}");
        assert!(!text.contains("extrapolated from"), "{text}");
    }
}
