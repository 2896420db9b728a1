//! Rules for the calls and loops of aligned ranks.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::align::{self, Class, Found, Kind, Node, Row};
use crate::call::{PARTNER, What};
use crate::computation::{Computation, Executions, Last};
use crate::error::{Error, Result};
use crate::fold::Item;
use crate::lists::List;
use crate::number::Seen;
use crate::observe::{Member, View};
use crate::panels::{Panels, REPETITIONS, Swept};
use crate::partner::{Each, Rule};
use crate::program::{Call, Count, Loop, Statement, Takes};
use crate::series::{SeenSeries, Series, Step, steps};
use crate::who::Who;

/// What is known when all rules are found: the statements, the number of loops, the computation of
/// each trace, and places where rules only come near.
pub type Resolved = (Vec<Statement>, usize, Vec<f64>, Vec<String>);

/// Finds rules.
pub struct Resolver<'a> {
    view: &'a View<'a>,
    members: &'a [Member],
    lenient: bool,
    has_computation: bool,
    totals: Vec<f64>,
    /// Calls with equal shapes and rules.
    classes: Vec<(Class, SmallVec<[Rule; 2]>)>,
    loops: usize,
    /// The panels that the innermost loop goes through.
    panels: Option<Panels>,
    missing: Vec<String>,
    approximate: Vec<String>,
}

/// Ranks that reach a row of the program, with the iterations of its loop in each execution.
type Reached<'a> = BTreeMap<usize, &'a [u32]>;

/// The row of the whole program is executed once.
const ONCE: &[u32] = &[1];

/// Numbers that do not change what a call costs: rules that come near are enough.
const UNIMPORTANT: [&str; 4] = ["element", "extent", "receive element", "receive extent"];

impl<'a> Resolver<'a> {
    pub fn new(view: &'a View<'a>, members: &'a [Member], lenient: bool, has_computation: bool) -> Self {
        let mut totals = vec![0.0; view.grids.len()];
        for member in members {
            totals[member.trace] += member.calls.before.iter().sum::<u64>() as f64;
        }
        let (loops, missing, approximate) = (1, Vec::new(), Vec::new());
        let classes = Vec::new();
        Self {
            view,
            members,
            lenient,
            has_computation,
            totals,
            classes,
            loops,
            panels: None,
            missing,
            approximate,
        }
    }

    /// Finds the rules of all calls and loops.
    pub fn resolve(mut self, row: &Row<'a>) -> Result<Resolved> {
        self.collect_classes(row);
        let reached = (0..self.members.len()).map(|member| (member, ONCE)).collect();
        let body = self.row(row, &reached);
        if self.missing.is_empty() {
            Ok((body, self.loops, self.totals, self.approximate))
        } else {
            Err(Error::NoRule(self.missing))
        }
    }

    fn collect_classes(&mut self, row: &Row<'_>) {
        for (node, body) in &row.0 {
            if let Kind::Call(call) = &node.kind {
                let rules = self.rules(&call.class);
                let is_same = |(class, known): &(Class, SmallVec<[Rule; 2]>)| {
                    class.shape == call.class.shape && *known == rules
                };
                if !self.classes.iter().any(is_same) {
                    self.classes.push((call.class.clone(), rules));
                }
            }
            self.collect_classes(body);
        }
    }

    fn rules(&self, class: &Class) -> SmallVec<[Rule; 2]> {
        let is_root = matches!(self.view.shapes[class.shape as usize].what, What::Collective(_));
        let rules = self.view.rules;
        let choose = |candidates| if is_root { rules.root(candidates) } else { rules.simplest(candidates) };
        class.partners.iter().filter_map(|candidates| choose(*candidates)).collect()
    }

    fn row(&mut self, row: &Row<'a>, reached: &Reached<'a>) -> Vec<Statement> {
        let mut last = BTreeMap::new();
        let mut statements = Vec::with_capacity(row.0.len());
        for (place, (node, body)) in row.0.iter().enumerate() {
            statements.push(self.statement(node, body, reached, &last));
            last.extend(node.found.iter().map(|found| (found.member, place)));
        }
        statements
    }

    fn statement(
        &mut self,
        node: &Node<'a>,
        body: &Row<'a>,
        reached: &Reached<'a>,
        last: &BTreeMap<usize, usize>,
    ) -> Statement {
        match &node.kind {
            Kind::Call(call) => {
                let mut resolved = self.call(call, &node.found, reached);
                if self.has_computation {
                    resolved.computation = self.computation(&node.found, reached, last);
                }
                Statement::Call(Box::new(resolved))
            }
            Kind::Loop { is_over_partners } => {
                Statement::Loop(Box::new(self.repeated(node, body, *is_over_partners, reached)))
            }
        }
    }

    fn repeated(
        &mut self,
        node: &Node<'a>,
        body: &Row<'a>,
        is_over_partners: bool,
        reached: &Reached<'a>,
    ) -> Loop {
        let number = self.loops;
        self.loops += 1;
        let inside: Reached<'a> = node
            .found
            .iter()
            .filter_map(|found| match found.item {
                Item::Loop(item) => Some((found.member, item.counts.as_slice())),
                Item::Call(_) => None,
            })
            .collect();
        let panels = self.find_panels(body, &inside);
        let outer = std::mem::replace(&mut self.panels, panels);
        let statements = self.row(body, &inside);
        let name = format!("the loop of {}", name_of(&statements, self.view));
        let each = each_partner(&statements).filter(|_| is_over_partners);
        let who = self.who(&name, &node.found, reached, each.map(Rule::Each));
        let count = match each {
            Some(each) => Count::Partners(each),
            None => Count::Number(self.count(&name, &inside, reached)),
        };
        self.panels = outer;
        Loop { who, number, count, body: statements }
    }

    /// Returns the panels that explain the moving roots in the body of a loop.
    fn find_panels(&self, body: &Row<'a>, inside: &Reached<'a>) -> Option<Panels> {
        let calls = body.0.iter().filter_map(|(node, _)| {
            let Kind::Call(call) = &node.kind else { return None };
            let shape = &self.view.shapes[call.class.shape as usize];
            let is_swept = shape.moves && matches!(shape.what, What::Collective(_));
            is_swept.then(|| [0, 1, 6].map(|place| self.numbers(place, &node.found, &[], inside)))
        });
        let calls: Vec<Swept<'_>> =
            calls.map(|[bytes, element, roots]| Swept { bytes, element, roots }).collect();
        Panels::find(&calls)
    }

    fn count(&mut self, name: &str, inside: &Reached<'a>, reached: &Reached<'a>) -> Series {
        let seen: Vec<SeenSeries<'_>> = inside
            .iter()
            .map(|(member, counts)| {
                let values = counts.iter().map(|count| i64::from(*count)).collect();
                self.seen(*member, (None, None), short(values), reached)
            })
            .collect();
        self.series(name, REPETITIONS, &seen)
    }

    fn seen(
        &self,
        member: usize,
        (partner, across): (Option<u32>, Option<usize>),
        values: Vec<i64>,
        reached: &Reached<'a>,
    ) -> SeenSeries<'a> {
        let Member { trace, rank, .. } = self.members[member];
        let counts = reached.get(&member).copied().unwrap_or(ONCE);
        let grid = &self.view.grids[trace];
        SeenSeries { grid, rank, partner, across, values, counts, partners: Vec::new() }
    }

    fn who(&mut self, name: &str, found: &[Found<'_>], reached: &Reached<'_>, rule: Option<Rule>) -> Who {
        let mut ranks: Vec<_> = reached
            .keys()
            .map(|member| {
                let Member { trace, rank, .. } = self.members[*member];
                (&self.view.grids[trace], rank, false)
            })
            .collect();
        let places: BTreeMap<usize, usize> = reached.keys().copied().zip(0..).collect();
        for one in found {
            if let Some(place) = places.get(&one.member) {
                ranks[*place].2 = true;
            }
        }
        let found = Who::find(&ranks, rule.map(Who::WithPartner).into_iter());
        found.unwrap_or_else(|| {
            let count = ranks.iter().filter(|(.., is_in)| *is_in).count();
            self.missing.push(format!("{name}: which ranks call it ({count} of {} do)", ranks.len()));
            Who::All
        })
    }

    fn series(&mut self, name: &str, what: &str, seen: &[SeenSeries<'_>]) -> Series {
        let panels = self.panels.and_then(|panels| panels.series(what, seen));
        let found = panels.or_else(|| match what {
            PARTNER => Series::of_partners(seen),
            _ => Series::find(seen),
        });
        if let Some(found) = found {
            return found;
        }
        if !UNIMPORTANT.contains(&what) {
            let place = format!("{name}: {what} ({})", examples(seen));
            if self.lenient { self.approximate.push(place) } else { self.missing.push(place) }
        }
        Series::about(seen)
    }

    fn call(&mut self, call: &align::Call, found: &[Found<'a>], reached: &Reached<'a>) -> Call {
        let partners = self.rules(&call.class);
        let shape = &self.view.shapes[call.class.shape as usize];
        let name = match partners.first().filter(|rule| **rule != Rule::NoRank) {
            Some(rule) => format!("{} ({rule})", shape.function),
            None => shape.function.clone(),
        };
        let is_class = |(class, rules): &(Class, SmallVec<[Rule; 2]>)| {
            class.shape == call.class.shape && *rules == partners
        };
        let class = self.classes.iter().position(is_class).unwrap_or_default();
        let neighbor = partners.first().copied().filter(|rule| matches!(rule, Rule::Neighbor(_)));
        let who = self.who(&name, found, reached, neighbor.filter(|_| !call.has_null));
        let numbers = shape.numbers().enumerate();
        let numbers: Vec<Series> = numbers
            .map(|(place, what)| {
                let seen = self.numbers(place, found, &partners, reached);
                self.series(&name, what, &seen)
            })
            .collect();
        let lists = [0, 1].map(|place| self.list(&name, place, shape.what, found));
        let takes = self.takes(&name, &call.takes);
        let computation = Computation::default();
        Call { who, shape: call.class.shape, partners, class, takes, numbers, lists, computation }
    }

    /// Returns the computation before a call, by what each rank executed last.
    fn computation(
        &self,
        found: &[Found<'a>],
        reached: &Reached<'a>,
        last: &BTreeMap<usize, usize>,
    ) -> Computation {
        let mut by_last: BTreeMap<Last, Vec<Executions>> = BTreeMap::new();
        let mut add = |last: Last, member: usize, events: Vec<u32>| {
            if !events.is_empty() {
                by_last.entry(last).or_default().push(Executions { member, events });
            }
        };
        for Found { member, item } in found {
            let Item::Call(item) = item else { continue };
            if let Some(place) = last.get(member) {
                add(Last::Place(*place), *member, item.events.clone());
                continue;
            }
            let counts = reached.get(member).copied().unwrap_or(ONCE);
            let steps = steps(counts).zip(&item.events);
            let (first, others): (Vec<_>, Vec<_>) = steps.partition(|(step, _)| step.iteration == 0);
            let events = |some: Vec<(Step, &u32)>| some.into_iter().map(|(_, event)| *event).collect();
            add(Last::Outside, *member, events(first));
            add(Last::End, *member, events(others));
        }
        Computation::find(&by_last, self.members, self.view.grids, &self.totals)
    }

    /// Returns a number of all executions of a call.
    fn numbers(
        &self,
        place: usize,
        found: &[Found<'a>],
        partners: &[Rule],
        reached: &Reached<'a>,
    ) -> Vec<SeenSeries<'a>> {
        let one = |found: &Found<'a>| {
            let member = &self.members[found.member];
            let Item::Call(item) = found.item else { return None };
            let grid = &self.view.grids[member.trace];
            let partner = partners.first().and_then(|rule| rule.partner(grid, member.rank, 0));
            let calls = &member.calls;
            let value = |event: &u32| calls.tuples[calls.numbers[*event as usize] as usize].single[place];
            let first = value(item.events.first()?);
            let is_same = item.events.iter().all(|event| value(event) == first);
            let values = if is_same { vec![first] } else { item.events.iter().map(value).collect() };
            let across = partners.first().and_then(|rule| rule.across());
            let partners = match partners.first() {
                Some(Rule::Each(each @ Each::Children(..))) => {
                    let (rank, ranks) = (member.rank, grid.ranks());
                    (0..each.count(rank, ranks)).filter_map(|i| each.partner(rank, ranks, i)).collect()
                }
                _ => Vec::new(),
            };
            let seen = self.seen(found.member, (partner, across), values, reached);
            Some(SeenSeries { partners, ..seen })
        };
        found.iter().filter_map(one).collect()
    }

    fn list(&mut self, name: &str, place: usize, what: What, found: &[Found<'a>]) -> Option<List> {
        let What::Collective(collective) = what else { return None };
        if !collective.has_list[place] {
            return None;
        }
        let mut seen: Vec<(Seen<'_>, &[i64])> = Vec::new();
        for one in found {
            let Item::Call(item) = one.item else { continue };
            let member = &self.members[one.member];
            let (grid, rank) = (&self.view.grids[member.trace], member.rank);
            for event in &item.events {
                let calls = &member.calls;
                let list = &calls.tuples[calls.numbers[*event as usize] as usize].lists[place];
                let is_known = seen.last().is_some_and(|(last, known)| {
                    last.rank == rank && last.grid.ranks() == grid.ranks() && *known == list.as_slice()
                });
                if !is_known {
                    seen.push((Seen { grid, rank, partner: None, across: None, value: 0 }, list));
                }
            }
        }
        let rule = List::find(&seen);
        if rule.is_none() {
            self.missing.push(format!("{name}: bytes for each rank"));
        }
        rule
    }

    fn takes(&mut self, name: &str, takes: &align::Takes) -> Takes {
        if takes.is_all {
            return Takes { is_all: true, requests: Vec::new() };
        }
        let requests = takes.requests.iter().filter_map(|(class, place)| {
            let known = self
                .classes
                .iter()
                .position(|(known, rules)| known.shape == class.shape && self.is_among(class, rules));
            known.map(|known| (known, *place))
        });
        let requests: Vec<(usize, u32)> = requests.collect();
        if requests.len() < takes.requests.len() {
            self.missing.push(format!("{name}: which requests it completes"));
        }
        Takes { is_all: false, requests }
    }

    /// Returns whether calls with these rules may have made requests of a class.
    fn is_among(&self, class: &Class, rules: &[Rule]) -> bool {
        let fits = |(candidates, rule): (_, &Rule)| self.view.rules.has(candidates, *rule);
        rules.len() == class.partners.len() && class.partners.iter().copied().zip(rules).all(fits)
    }
}

/// Returns one value if all are equal.
fn short(values: Vec<i64>) -> Vec<i64> {
    match values.first() {
        Some(first) if values.iter().all(|value| value == first) => vec![*first],
        _ => values,
    }
}

/// Returns the rule by which the partners of a loop follow each other.
fn each_partner(statements: &[Statement]) -> Option<Each> {
    statements.iter().find_map(|statement| match statement {
        Statement::Call(call) => call.partners.iter().find_map(|rule| match rule {
            Rule::Each(each) => Some(*each),
            _ => None,
        }),
        Statement::Loop(_) => None,
    })
}

/// Returns the function of the first call.
fn name_of(statements: &[Statement], view: &View<'_>) -> String {
    match statements.first() {
        Some(Statement::Call(call)) => view.shapes[call.shape as usize].function.clone(),
        Some(Statement::Loop(inner)) => name_of(&inner.body, view),
        None => "nothing".to_owned(),
    }
}

/// Returns what was seen, for some ranks of each trace.
fn examples(seen: &[SeenSeries<'_>]) -> String {
    const MOST: usize = 4;
    let mut by_ranks: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for one in seen {
        let values = by_ranks.entry(one.grid.ranks()).or_default();
        let more = if one.values.len() > 1 { "..." } else { "" };
        let text = format!("{}{more}", one.values[0]);
        if values.len() < MOST && !values.contains(&text) {
            values.push(text);
        }
    }
    let parts = by_ranks.iter().map(|(ranks, values)| format!("{ranks} ranks: {}", values.join(", ")));
    parts.collect::<Vec<_>>().join("; ")
}
