//! Several runs in one figure: the curves of each kernel, and the ratios of their times.

use std::collections::BTreeSet;

use panto_compare::{Comparison, Key, Pair, Verdict};
use panto_results::Record;
use panto_units::TIME;

use super::comparison::{percent, ratio, seconds};
use super::figure::{RunRecords, overlay_figure};
use super::group::Group;
use super::notation::Notation;
use super::page::has_raw;
use super::param::phrase;
use super::{ReportedRun, by_kernel, is_swap, phrases};
use crate::html::{Block, Section};
use crate::table::{Column, Table};

/// Returns a section with each kernel that several runs have: its curves in one figure, and the
/// changes of the times, in sentences and point by point. The first run is the baseline; each other
/// run is in one of the comparisons, as far as it has points in common with the first. The page
/// must embed the raw samples of these runs, in order, and nothing before them.
pub fn overlay_section(runs: &[ReportedRun], comparisons: &[Option<Comparison>]) -> Option<Section> {
    let names: Vec<String> = runs.iter().map(|run| phrases::one_line(run.name.unwrap_or("run"))).collect();
    let text = "Kernels that several runs have in common: medians with their 95% confidence intervals. A ratio above 1 is a \
                longer time than that of the first run.";
    let section = Section::new("overlaid", format!("Overlaid: {}", names.join(", ")));
    let mut section = section.block(Block::paragraph(text));
    let before = section.blocks.len();
    for (kernel, parts) in kernels(runs) {
        section.blocks.extend(of_kernel(&kernel, &parts, runs, comparisons));
    }
    (section.blocks.len() > before).then_some(section)
}

/// Returns the records of each kernel by run, in the order of the suites; kernels of a single run
/// are omitted.
fn kernels<'a>(runs: &[ReportedRun<'a>]) -> Vec<(String, Vec<RunRecords<'a>>)> {
    let mut kernels: Vec<(String, Vec<RunRecords>)> = Vec::new();
    let mut next = 0;
    for run in runs {
        for (kernel, records) in by_kernel(run.records) {
            let raw = has_raw(&kernel).then_some(next);
            next += if has_raw(&kernel) { records.len() as u32 } else { 0 };
            let part = RunRecords { name: run.name.unwrap_or("run"), records, raw };
            match kernels.iter_mut().find(|(known, _)| *known == kernel) {
                Some((_, parts)) => parts.push(part),
                None => kernels.push((kernel, vec![part])),
            }
        }
    }
    // The suite `swap` has thousands of points in contest, which curves cannot show.
    kernels.retain(|(kernel, parts)| parts.len() > 1 && !is_swap(kernel));
    kernels
}

fn of_kernel(
    kernel: &str,
    parts: &[RunRecords],
    runs: &[ReportedRun],
    comparisons: &[Option<Comparison>],
) -> Vec<Block> {
    let mut blocks: Vec<Block> = overlay_figure(kernel, parts).into_iter().map(Block::Figure).collect();
    let compared: Vec<Compared> =
        comparisons.iter().flatten().filter_map(|all| Compared::of(kernel, all)).collect();
    let records: Vec<Record> = parts.iter().flat_map(|part| part.records.iter().cloned()).collect();
    let group = Group::of(kernel, &records);
    blocks.extend(compared.iter().map(|compared| Block::paragraph(compared.sentence(&group))));
    if !compared.is_empty() {
        let first = runs.first().and_then(|run| run.name).unwrap_or("run");
        let table = ratios(&group, first, &compared);
        let summary = format!("{}: all ratios", phrases::one_line(kernel));
        blocks.push(Block::Details { summary, blocks: vec![table.into()] });
    }
    blocks
}

/// The points of one kernel that a run has in common with the first.
struct Compared<'a> {
    comparison: &'a Comparison,
    pairs: Vec<&'a Pair>,
}

impl<'a> Compared<'a> {
    fn of(kernel: &str, comparison: &'a Comparison) -> Option<Self> {
        let is_of = |pair: &&Pair| pair.key.kernel == kernel && pair.counterpart.is_none();
        let pairs: Vec<&Pair> = comparison.points.iter().filter(is_of).collect();
        (!pairs.is_empty()).then_some(Self { comparison, pairs })
    }

    /// Returns a sentence: `comet/echo: new takes 1.030 times as long as old in the geometric mean
    /// of 21 points, from 0.950 (size 8B) to 1.200 (size 64KiB); 3 are slower, 1 is faster, 17 are
    /// the same within 5%.`
    fn sentence(&self, group: &Group) -> String {
        let new = &self.comparison.new;
        phrases::one_line(&format!("{}: {new} {}; {}.", group.kernel, self.times(group), self.verdicts()))
    }

    fn times(&self, group: &Group) -> String {
        let old = &self.comparison.old;
        let ratios = self.pairs.iter().filter_map(|pair| Some((*pair, pair.ratio.filter(|at| *at > 0.0)?)));
        let mut ratios: Vec<(&Pair, f64)> = ratios.collect();
        ratios.sort_by(|a, b| a.1.total_cmp(&b.1));
        let at = |(pair, value): &(&Pair, f64)| format!("{} ({})", ratio(*value), point(group, &pair.key));
        match ratios.as_slice() {
            [] => format!("and {old} have times of zero: no ratio"),
            [(_, only)] => format!("takes {} times as long as {old}", ratio(*only)),
            [least, .., most] => {
                let mean = ratios.iter().map(|(_, value)| value.ln()).sum::<f64>() / ratios.len() as f64;
                let (mean, count, least, most) = (ratio(mean.exp()), ratios.len(), at(least), at(most));
                format!(
                    "takes {mean} times as long as {old} in the geometric mean of {count} points, from {least} to {most}"
                )
            }
        }
    }

    fn verdicts(&self) -> String {
        if let [only] = self.pairs.as_slice() {
            return format!("verdict: {}", only.verdict);
        }
        let within = format!("the same within {}", percent(self.comparison.settings.threshold));
        let words = [
            (Verdict::Slower, "slower"),
            (Verdict::Faster, "faster"),
            (Verdict::Same, within.as_str()),
            (Verdict::Inconclusive, "inconclusive"),
        ];
        let counted = words.into_iter().filter_map(|(verdict, word)| {
            let count = self.pairs.iter().filter(|pair| pair.verdict == verdict).count();
            let are = if count == 1 { "is" } else { "are" };
            (count > 0).then(|| format!("{count} {are} {word}"))
        });
        counted.collect::<Vec<_>>().join(", ")
    }

    fn find(&self, record: &Record) -> Option<&'a Pair> {
        let is_of = |pair: &&&Pair| {
            let key = &pair.key;
            key.ranks == Some(record.point.ranks)
                && key.params == record.point.params
                && (&key.algorithm, &key.machine) == (&record.algorithm, &record.machine)
        };
        self.pairs.iter().find(is_of).copied()
    }
}

/// Returns the parameters that distinguish a point from others of the kernel: `1 hop, size 64KiB`.
fn point(group: &Group, key: &Key) -> String {
    let all = key.parameters();
    let names = group.curve_names().into_iter().chain([group.axis.as_str()]);
    let known = names.filter_map(|name| all.iter().find(|(known, _)| *known == name));
    let phrases: Vec<String> = known.map(|(name, value)| phrase(name, Some(value))).collect();
    phrases::one_line(&phrases.join(", "))
}

/// Returns a table of all points: the time of the first run, and for each other run its time, the
/// ratio with its interval, and the verdict.
fn ratios(group: &Group, first: &str, compared: &[Compared]) -> Table {
    let all = || compared.iter().flat_map(|compared| &compared.pairs);
    let notation = Notation::of(
        all().flat_map(|pair| [pair.old.median_ns, pair.new.median_ns]).map(seconds),
        &TIME[1..],
    );
    let columns = compared.iter().flat_map(|compared| {
        let interval = format!("{} interval", percent(compared.comparison.settings.confidence));
        let time = notation.column(&phrases::one_line(&compared.comparison.new));
        [time, Column::number("ratio"), Column::right(interval), Column::text("verdict")]
    });
    let heads = [Column::text("point"), notation.column(&phrases::one_line(first))];
    let mut table = Table::new(heads.into_iter().chain(columns));
    // Each launch has a record.
    let mut done = BTreeSet::new();
    for record in &group.records {
        let pairs: Vec<Option<&Pair>> = compared.iter().map(|compared| compared.find(record)).collect();
        let Some(any) = pairs.iter().flatten().next().filter(|any| done.insert(&any.key)) else { continue };
        let cells = pairs.iter().flat_map(|pair| cells(*pair, notation));
        table.row(
            [point(group, &any.key), notation.cell(seconds(any.old.median_ns))].into_iter().chain(cells),
        );
    }
    table
}

fn cells(pair: Option<&Pair>, notation: Notation) -> [String; 4] {
    let Some(pair) = pair else { return ["-".into(), "-".into(), "-".into(), String::new()] };
    let interval = pair.low.zip(pair.high).map(|(low, high)| format!("{}..{}", ratio(low), ratio(high)));
    [
        notation.cell(seconds(pair.new.median_ns)),
        pair.ratio.map_or("-".into(), ratio),
        interval.unwrap_or("-".into()),
        pair.verdict.to_string(),
    ]
}
