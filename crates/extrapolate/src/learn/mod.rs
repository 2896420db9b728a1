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
use crate::grid::{Grid, Shape};
use crate::observe::{Member, View};
use crate::over_partners;
use crate::partner::{Choice, Rules};
use crate::program::Program;
use crate::read::{self, RankCalls};
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
    let (members, shapes) = members(traces)?;
    let mut failure: Option<Error> = None;
    for group in attempts() {
        let mut best: Option<(usize, Attempt)> = None;
        for attempt in group {
            match attempt.resolve(traces, &members, &shapes, lenient, false) {
                Ok(Some(program)) => {
                    let cost = cost::of(&program.body);
                    if best.is_none_or(|(least, _)| cost < least) {
                        best = Some((cost, attempt));
                    }
                }
                Ok(None) => {}
                Err(error) => failure = Some(better(failure, error)),
            }
        }
        if let Some((_, attempt)) = best
            && let Some(program) = attempt.resolve(traces, &members, &shapes, lenient, true)?
        {
            return Ok(program);
        }
    }
    Err(failure.unwrap_or_else(|| Error::NoRule(vec![unexplained(&members, &shapes)])))
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

/// Reads all ranks and finds their loops.
fn members(traces: &[&Trace]) -> Result<(Vec<Member>, Vec<call::Shape>)> {
    let mut shapes = Shapes::default();
    let mut members = Vec::new();
    for (trace, file) in traces.iter().enumerate() {
        for (calls, rank) in read::read(file)?.into_iter().zip(file.ranks()) {
            let calls = shapes.unify(calls);
            members.push((trace, rank.rank(), file.size(), calls));
        }
    }
    let folded = panto_parallel::map(members.len(), panto_parallel::cores(), |number| {
        let (_, rank, ranks, calls) = &members[number];
        let items = fold::fold(&calls.calls);
        let over_partners = over_partners::find(&items, calls, *rank, *ranks);
        (items, over_partners)
    });
    let members = members.into_iter().zip(folded);
    let members = members.map(|((trace, rank, _, calls), (items, over_partners))| Member {
        trace,
        rank,
        calls,
        items,
        over_partners,
    });
    Ok((members.collect(), shapes.all))
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
    /// Whether rows of calls to different partners are loops.
    over_partners: bool,
}

/// Returns all arrangements in groups, the simplest first. Of the arrangements of a group that
/// explain all calls, the one with the simplest rules is used.
fn attempts() -> impl Iterator<Item = Vec<Attempt>> {
    let balanced = [2, 3].into_iter().flat_map(|count| [Shape::Balanced(count), Shape::Reversed(count)]);
    let columns = [2, 4, 8, 3, 6].map(Shape::Columns);
    let shapes: Vec<Shape> = std::iter::once(Shape::Line).chain(balanced).chain(columns).collect();
    let kinds = [false, true].into_iter().flat_map(|over_partners| {
        [Choice::Near, Choice::Any]
            .into_iter()
            .flat_map(move |choice| [false, true].map(|is_periodic| (over_partners, choice, is_periodic)))
    });
    kinds.map(move |(over_partners, choice, is_periodic)| {
        let attempt = |shape: &Shape| Attempt { shape: *shape, is_periodic, choice, over_partners };
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
        }))
    }

    /// Aligns all ranks, those of the largest trace and with the most calls first.
    fn align<'m>(self, view: &View<'_>, members: &'m [Member]) -> Result<Option<Row<'m>>> {
        let items =
            |member: &'m Member| if self.over_partners { &member.over_partners } else { &member.items };
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
