//! Tables, sentences, figures and a page that compare published with simulated figures.

use panto_report::chart::{Chart, Figure, Point, Series, Style};
use panto_report::html::{Block, Page, Section};
use panto_report::present::figure;
use panto_report::table::{Column, Table};
use panto_units::significant;

use crate::{Line, Outcome, Plot, Published, Relation, Reproduction, Verdict};

/// Returns a reproduction as JSON, with the count of its verdicts.
pub fn json(reproduction: &Reproduction) -> serde_json::Value {
    let mut value = serde_json::json!(reproduction);
    value["tally"] = serde_json::json!(reproduction.tally());
    value
}

/// Returns a row per published figure.
pub fn table(reproduction: &Reproduction) -> Table {
    let columns = [
        Column::text("figure"),
        Column::right("published"),
        Column::right("simulated"),
        Column::right("difference"),
        Column::text("model"),
        Column::text("verdict"),
        Column::text("source"),
    ];
    let mut table = Table::new(columns);
    for outcome in &reproduction.outcomes {
        table.row(row(outcome));
    }
    let Reproduction { machine, topology, sharing, .. } = reproduction;
    table.caption(format!("simulated {machine}: {topology}, sharing {sharing}"))
}

fn row(outcome: &Outcome) -> [String; 7] {
    let Outcome { published, simulated, difference, .. } = outcome;
    let relation = match published.relation {
        Relation::Equal => "",
        Relation::Less => "< ",
        Relation::More => "> ",
    };
    [
        published.quantity.clone(),
        format!("{relation}{}", with_unit(published, published.value)),
        with_unit(published, *simulated),
        difference.map_or(String::new(), signed),
        published.status.name().into(),
        verdict(outcome.verdict).into(),
        published.source.clone(),
    ]
}

fn with_unit(published: &Published, value: f64) -> String {
    let space = if published.unit == "%" { "" } else { " " };
    let number = if value.abs() < 5e-4 { "0".into() } else { significant(value, 3) };
    match published.unit.as_str() {
        "ratio" | "count" => number,
        unit => format!("{number}{space}{unit}"),
    }
}

/// Formats a difference; less than 0.05% counts as none.
fn signed(percent: f64) -> String {
    if percent.abs() < 0.05 { "0%".into() } else { format!("{percent:+.1}%") }
}

/// Returns the verdict for the table: failures are in capitals.
fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Met => "met",
        Verdict::Differs => "DIFFERS",
        Verdict::Holds => "holds",
        Verdict::Broken => "BROKEN",
        Verdict::Contradicted => "contradicted",
    }
}

/// Returns how many figures are reproduced, and which are not and why, one sentence each.
pub fn summary(reproduction: &Reproduction) -> Vec<String> {
    let assumed = reproduction.assumed.len();
    let mut lines = vec![format!(
        "{} The model has {assumed} free parameters, assumed because no document gives them.",
        reproduction.tally()
    )];
    let missed = |outcome: &&Outcome| !outcome.verdict.is_reproduced();
    lines.extend(reproduction.outcomes.iter().filter(missed).map(|outcome| {
        let Outcome { published, simulated, .. } = outcome;
        let figures = format!(
            "{}: published {}, simulated {}",
            capitalised(&published.quantity),
            row(outcome)[1],
            with_unit(published, *simulated),
        );
        match &published.contradiction {
            Some(contradiction) => format!("{figures}. Contradicted: {contradiction}."),
            None => format!("{figures} ({}).", published.how),
        }
    }));
    lines
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns the free parameters of the model.
pub fn assumptions(reproduction: &Reproduction) -> Table {
    let mut table = Table::new([Column::text("assumed parameter"), Column::text("value and reason")]);
    for assumed in &reproduction.assumed {
        table.row([in_short(&assumed.keys), assumed.source.clone()]);
    }
    table
}

/// Formats one key, or the common prefix of several: `network.overhead.*`.
fn in_short(keys: &[String]) -> String {
    let Some((first, rest)) = keys.split_first() else { return String::new() };
    if rest.is_empty() {
        return first.clone();
    }
    let mut common: Vec<&str> = first.split('.').collect();
    for key in rest {
        let same = common.iter().zip(key.split('.')).take_while(|(a, b)| **a == *b).count();
        common.truncate(same);
    }
    if common.is_empty() { keys.join(", ") } else { format!("{}.*", common.join(".")) }
}

/// Returns the curves by kernel, with the published values.
pub fn figures(reproduction: &Reproduction) -> Vec<(String, Figure)> {
    reproduction.plots.iter().map(|plot| (plot.kernel.clone(), with_published(plot))).collect()
}

fn with_published(plot: &Plot) -> Figure {
    let mut charts = figure(&plot.kernel, &plot.records, None).charts.into_iter();
    let time = charts.next().map(|chart| with_lines(chart, &plot.times, Style::Dashed));
    let rate = charts.next().map(|chart| with_lines(chart, &plot.rates, Style::Dots));
    Figure::new(time.into_iter().chain(rate).chain(charts))
}

fn with_lines(chart: Chart, lines: &[Line], style: Style) -> Chart {
    lines.iter().fold(chart, |chart, line| {
        let points = line.points.iter().map(|&(x, y)| Point::new(x, y));
        chart.series(Series::new(line.name.clone(), style, points))
    })
}

/// Returns a page with the tables and curves of several machines.
pub fn page(all: &[Reproduction]) -> Page {
    let names: Vec<&str> = all.iter().map(|one| one.machine.as_str()).collect();
    let lead = "Published figures of these machines compared with those of Panto's models, on which the same kernels run. \
                Nothing was measured. A figure was either given to the model or is predicted by it; figures that are not \
                reproduced stay in the table.";
    let mut page = Page::new(format!("Published and simulated: {}", names.join(", ")), lead);
    for reproduction in all {
        page = page.section(section(reproduction));
    }
    page
}

fn section(reproduction: &Reproduction) -> Section {
    let Reproduction { machine, sharing, .. } = reproduction;
    let mut section = Section::new(machine.as_str(), format!("{machine}, sharing {sharing}"));
    for line in summary(reproduction) {
        section = section.block(Block::paragraph(line));
    }
    section = section.block(table(reproduction));
    for (_, figure) in figures(reproduction) {
        section = section.block(figure);
    }
    section.block(assumptions(reproduction))
}

#[cfg(test)]
mod tests {
    use super::in_short;

    #[test]
    fn keys_are_abbreviated() {
        let short = |keys: &[&str]| in_short(&keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>());
        assert_eq!(short(&["processor.copy"]), "processor.copy");
        assert_eq!(short(&["a.b.c.d", "a.b.e"]), "a.b.*");
        assert_eq!(short(&["a.b", "c"]), "a.b, c");
        assert_eq!(short(&[]), "");
    }
}
