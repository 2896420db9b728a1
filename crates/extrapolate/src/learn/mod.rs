//! From traces to a program: arrangements of ranks are tried, the simplest first, until all calls
//! follow rules.

mod resolve;

use panto_trace::{Metadata, RankTrace, Trace, key};
use panto_units::one_line;
use rustc_hash::FxHashMap;

use crate::align::Row;
use crate::call;
use crate::comms;
use crate::cost;
use crate::error::{Error, Result};
use crate::fold;
use crate::generate;
use crate::grid::{Grid, Shape};
use crate::moving;
use crate::observe::{Member, Rows, View};
use crate::over_partners;
use crate::partner::{Choice, Rules};
use crate::program::Program;
use crate::read::{self, RankCalls, Reading};
use crate::trees;
use crate::workers::{self, Dealt};
use resolve::Resolver;

/// Finds the program that traces of different numbers of ranks are runs of. `lenient` allows rules
/// that only come near.
pub fn learn(traces: &[Trace], lenient: bool) -> Result<Program> {
    let mut traces: Vec<&Trace> = traces.iter().collect();
    traces.sort_by_key(|trace| trace.size());
    check(&traces)?;
    common(&traces, lenient).map_err(|error| with_programs(error, &traces))
}

/// Adds the names of the programs to an error, if they differ.
fn with_programs(error: Error, traces: &[&Trace]) -> Error {
    let is_of_rules = matches!(error, Error::Unsuitable(_) | Error::NoRule(_) | Error::Unmatched(_));
    let names: Option<Vec<&str>> = traces.iter().map(|trace| trace.program()).collect();
    let Some(names) = names.filter(|names| is_of_rules && names.iter().any(|name| *name != names[0])) else {
        return error;
    };
    let one = |(trace, name): (&&Trace, &str)| format!("{} of {}", trace.path().display(), one_line(name));
    let programs: Vec<String> = traces.iter().zip(names).map(one).collect();
    Error::OtherPrograms { error: Box::new(error), programs: programs.join(", ") }
}

/// Finds the program of traces, sorted by the number of ranks.
fn common(traces: &[&Trace], lenient: bool) -> Result<Program> {
    let (readings, shapes) = readings(traces)?;
    let mut failure = None;
    if let Some((readings, shapes)) = moving::rewrite(&readings, &shapes) {
        match of_members(traces, &members(readings, &shapes, traces), &shapes, lenient) {
            Ok(program) => return Ok(program),
            Err(error) => failure = Some(error),
        }
    }
    match workers::rewrite(&readings, &shapes) {
        Ok(None) => {}
        Err(why) => failure = Some(Error::NoRule(vec![why])),
        Ok(Some(Dealt { readings, shapes, assumed })) => {
            match of_members(traces, &members(readings, &shapes, traces), &shapes, lenient) {
                Ok(program) => return Ok(Program { assumed: vec![assumed], ..program }),
                Err(error) => failure = Some(error),
            }
        }
    }
    of_members(traces, &members(readings, &shapes, traces), &shapes, lenient)
        .map_err(|error| better(failure, error))
}

/// Finds the program of the ranks of all traces.
fn of_members(
    traces: &[&Trace],
    members: &[Member],
    shapes: &[call::Shape],
    lenient: bool,
) -> Result<Program> {
    let mut failure: Option<Error> = None;
    let mut doubtful: Option<Attempt> = None;
    let has_trees = members.iter().any(|member| !member.along_trees.is_empty());
    for group in attempts(has_trees) {
        let mut found: Vec<(usize, Attempt, Program)> = Vec::new();
        for attempt in group {
            match attempt.resolve(traces, members, shapes, lenient, false) {
                Ok(Some(program)) => found.push((cost::of(&program.body), attempt, program)),
                Ok(None) => {}
                Err(error) => failure = Some(better(failure, error)),
            }
        }
        found.sort_by_key(|(cost, ..)| *cost);
        doubtful = doubtful.or(found.first().map(|(_, attempt, _)| *attempt));
        let sound = found.iter().find(|(.., program)| is_large(traces) || generate::fits_elsewhere(program));
        if let Some((_, attempt, _)) = sound
            && let Some(program) = attempt.resolve(traces, members, shapes, lenient, true)?
        {
            return Ok(program);
        }
    }
    // Rules that explain the traces are better than none: the error is that of another size.
    if let Some(attempt) = doubtful
        && let Some(program) = attempt.resolve(traces, members, shapes, lenient, true)?
    {
        return Ok(program);
    }
    Err(failure.unwrap_or_else(|| Error::NoRule(vec![unexplained(members, shapes)])))
}

/// Bytes of a trace beyond which rules are not tried with more ranks: that would take as long as
/// all the rest.
const LARGE: u64 = 64 << 20;

/// Returns whether the largest trace is so large that rules are not tried elsewhere.
fn is_large(traces: &[&Trace]) -> bool {
    let bytes = |trace: &&Trace| std::fs::metadata(trace.path()).map_or(0, |file| file.len());
    traces.iter().map(bytes).max() > Some(LARGE)
}

/// Returns the error that names fewer places.
fn better(best: Option<Error>, error: Error) -> Error {
    let places = |error: &Error| if let Error::NoRule(places) = error { places.len() } else { usize::MAX };
    match best {
        Some(best) if places(&best) <= places(&error) => best,
        _ => error,
    }
}

fn check(traces: &[&Trace]) -> Result<()> {
    let unsuitable = |why: String| Err(Error::Unsuitable(why));
    if traces.len() < 2 {
        return unsuitable(
            "one trace does not show how the program scales: name two or more, of different numbers of ranks"
                .to_owned(),
        );
    }
    for pair in traces.windows(2) {
        if pair[0].size() == pair[1].size() {
            return unsuitable(format!(
                "{} and {} both have {} ranks; use traces of different numbers of ranks",
                pair[0].path().display(),
                pair[1].path().display(),
                pair[0].size()
            ));
        }
    }
    for trace in traces {
        if !trace.is_complete() {
            return unsuitable(format!(
                "{} is incomplete: the program was killed, or the file is damaged; use traces of complete runs",
                trace.path().display()
            ));
        }
        if trace.size() < 2 {
            return unsuitable(format!(
                "{} has one rank, which communicates with no other; use traces of two ranks or more",
                trace.path().display()
            ));
        }
    }
    Ok(())
}

/// Returns what is true of a program of any number of ranks.
fn metadata(trace: &Trace) -> Metadata {
    let mut metadata = Metadata::default();
    let sources = [trace.metadata()].into_iter().chain(trace.ranks().first().map(RankTrace::metadata));
    for source in sources {
        for name in [key::PROGRAM, key::MPI, key::CLOCK, key::METHOD] {
            if let Some(value) = source.get(name) {
                metadata.set(name, value);
            }
        }
    }
    if let Some(daxpy) = trace.daxpy_picoseconds() {
        metadata.set(key::DAXPY, &daxpy);
    }
    metadata
}

/// Reads all ranks.
fn readings(traces: &[&Trace]) -> Result<(Vec<Reading>, Vec<call::Shape>)> {
    let mut shapes = Shapes::default();
    let mut readings = Vec::new();
    for (trace, file) in traces.iter().enumerate() {
        for (calls, rank) in read::read(file)?.into_iter().zip(file.ranks()) {
            let calls = shapes.unify(calls);
            readings.push(Reading { trace, rank: rank.rank(), ranks: file.size(), calls });
        }
    }
    Ok((readings, shapes.all))
}

/// Finds the loops of all ranks.
fn members(readings: Vec<Reading>, shapes: &[call::Shape], traces: &[&Trace]) -> Vec<Member> {
    let folded = panto_parallel::map(readings.len(), panto_parallel::cores(), |number| {
        let Reading { rank, ranks, calls, .. } = &readings[number];
        let items = fold::fold(&calls.calls);
        let over_partners = over_partners::find(&items, calls, *rank, *ranks);
        (items, over_partners)
    });
    let members = readings.into_iter().zip(folded);
    let members = members.map(|(Reading { trace, rank, calls, .. }, (items, over_partners))| Member {
        trace,
        rank,
        calls,
        items,
        over_partners,
        along_trees: Vec::new(),
    });
    let mut members: Vec<Member> = members.collect();
    let sizes: Vec<u32> = traces.iter().map(|trace| trace.size()).collect();
    if let Some(found) = trees::find(&members, shapes.len(), &sizes) {
        for (member, items) in members.iter_mut().zip(found) {
            let ranks = sizes[member.trace];
            member.along_trees = over_partners::find(&items, &member.calls, member.rank, ranks);
        }
    }
    members
}

/// The shapes of all ranks.
#[derive(Default)]
struct Shapes {
    known: FxHashMap<call::Shape, u32>,
    all: Vec<call::Shape>,
}

impl Shapes {
    /// Gives the shapes of a rank the numbers that all ranks use.
    fn unify(&mut self, mut calls: RankCalls) -> RankCalls {
        let own = std::mem::take(&mut calls.shapes);
        let numbers: Vec<u32> = own.into_iter().map(|shape| self.number(shape)).collect();
        for symbol in &mut calls.symbols {
            symbol.shape = numbers[symbol.shape as usize];
        }
        calls
    }

    fn number(&mut self, shape: call::Shape) -> u32 {
        let next = self.all.len() as u32;
        let number = *self.known.entry(shape.clone()).or_insert(next);
        if number == next {
            self.all.push(shape);
        }
        number
    }
}

/// Names the program's point-to-point calls where no arrangement explains the partners.
fn unexplained(members: &[Member], shapes: &[call::Shape]) -> String {
    let has_partner = |shape: &&call::Shape| shape.what.partners() > 0;
    let mut functions: Vec<&str> =
        shapes.iter().filter(has_partner).map(|shape| shape.function.as_str()).collect();
    functions.sort_unstable();
    functions.dedup();
    let ranks = members.iter().filter(|member| member.trace == 0).count();
    format!("the partners of {} (seen from {ranks} ranks on)", functions.join(", "))
}

/// An arrangement of ranks that is tried.
#[derive(Debug, Clone, Copy)]
struct Attempt {
    shape: Shape,
    is_periodic: bool,
    choice: Choice,
    rows: Rows,
}

/// Returns all arrangements in groups, the simplest first. Of the arrangements of a group that
/// explain all calls, the one with the simplest rules is used.
fn attempts(has_trees: bool) -> impl Iterator<Item = Vec<Attempt>> {
    let balanced = [2, 3].into_iter().flat_map(|count| [Shape::Balanced(count), Shape::Reversed(count)]);
    let columns = [2, 4, 8, 3, 6].map(Shape::Columns);
    let shapes: Vec<Shape> = std::iter::once(Shape::Line).chain(balanced).chain(columns).collect();
    let rows = [Rows::Single, Rows::Partners].into_iter().chain(has_trees.then_some(Rows::Trees));
    let kinds = rows.flat_map(|rows| {
        [Choice::Near, Choice::Any]
            .into_iter()
            .flat_map(move |choice| [false, true].map(|is_periodic| (rows, choice, is_periodic)))
    });
    kinds.map(move |(rows, choice, is_periodic)| {
        let attempt = |shape: &Shape| Attempt { shape: *shape, is_periodic, choice, rows };
        shapes.iter().map(attempt).collect()
    })
}

impl Attempt {
    /// Returns the program, if this arrangement explains all partners; with its computation if that
    /// is wanted.
    fn resolve(
        self,
        traces: &[&Trace],
        members: &[Member],
        shapes: &[call::Shape],
        lenient: bool,
        has_computation: bool,
    ) -> Result<Option<Program>> {
        let grids: Option<Vec<Grid>> =
            traces.iter().map(|trace| self.shape.grid(trace.size(), self.is_periodic)).collect();
        let Some(grids) = grids else { return Ok(None) };
        let rules = Rules::new(&grids[0], self.choice);
        let view = View { shapes, grids: &grids, rules: &rules };
        let Some(row) = self.align(&view, members)? else { return Ok(None) };
        let comms = comms::find(members, &grids, traces)?;
        let resolver = Resolver::new(&view, members, lenient, has_computation);
        let (body, loops, totals, approximate) = resolver.resolve(&row)?;
        let metadata = metadata(traces[traces.len() - 1]);
        Ok(Some(Program {
            shapes: shapes.to_vec(),
            comms,
            grid: self.shape,
            is_periodic: self.is_periodic,
            body,
            loops,
            from: traces.iter().map(|trace| trace.size()).collect(),
            computation: totals,
            metadata,
            approximate,
            assumed: Vec::new(),
        }))
    }

    /// Aligns all ranks, those of the largest trace and with the most calls first.
    fn align<'m>(self, view: &View<'_>, members: &'m [Member]) -> Result<Option<Row<'m>>> {
        let items = |member: &'m Member| member.row(self.rows);
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by_key(|number| {
            let member = &members[*number];
            (std::cmp::Reverse((member.trace, weight(items(member)))), member.rank)
        });
        let mut program = Row::default();
        for number in order {
            let Some(row) = view.row(number, &members[number], items(&members[number])) else {
                return Ok(None);
            };
            program.join(row)?;
        }
        Ok(Some(program))
    }
}

/// Returns the number of calls in a row and its loops.
fn weight(items: &[fold::Item]) -> usize {
    let one = |item: &fold::Item| match item {
        fold::Item::Call(_) => 1,
        fold::Item::Loop(repeated) => 1 + weight(&repeated.body),
    };
    items.iter().map(one).sum()
}
