//! The program in words, for people.

use crate::call::What;
use crate::program::{Call, Count, Loop, Program, Statement};
use crate::series::Series;
use crate::who::Who;

/// A call or a loop of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The number of loops around it.
    pub depth: usize,
    /// The function; "loop" for a loop.
    pub call: String,
    /// The partner, the root, or the repetitions of a loop.
    pub partner: String,
    /// The bytes of a message or a block.
    pub bytes: String,
    /// The ranks that execute it.
    pub who: String,
    /// How the computation before it grows, if there is much.
    pub computation: String,
}

/// Returns the lines of a program.
pub fn outline(program: &Program) -> Vec<Line> {
    let mut lines = Vec::new();
    row(program, &program.body, 0, &mut lines);
    lines
}

fn row(program: &Program, statements: &[Statement], depth: usize, lines: &mut Vec<Line>) {
    for statement in statements {
        match statement {
            Statement::Call(call) => lines.push(call_line(program, call, depth)),
            Statement::Loop(repeated) => {
                lines.push(loop_line(repeated, depth));
                row(program, &repeated.body, depth + 1, lines);
            }
        }
    }
}

fn loop_line(repeated: &Loop, depth: usize) -> Line {
    let count = match &repeated.count {
        Count::Number(series) => series.to_string(),
        Count::Partners(each) => format!("{each}"),
    };
    let (call, bytes, computation) = ("loop".to_owned(), String::new(), String::new());
    Line { depth, call, partner: format!("x {count}"), bytes, who: ranks(repeated.who), computation }
}

/// The least share of the computation that is worth a word.
const LEAST_SHARE: f64 = 0.02;

fn call_line(program: &Program, call: &Call, depth: usize) -> Line {
    let shape = &program.shapes[call.shape as usize];
    let moving = shape.moves.then(|| call.numbers.last().map(Series::to_string)).flatten();
    let partners = call.partners.iter().map(ToString::to_string).chain(moving);
    let bytes = match shape.what {
        What::Collective(_) => collective_bytes(call),
        _ => call.numbers.first().map(Series::to_string).unwrap_or_default(),
    };
    let total: f64 = program.computation.iter().sum();
    let summary = call.computation.summary().filter(|(own, _)| *own > LEAST_SHARE * total);
    Line {
        depth,
        call: shape.function.clone(),
        partner: partners.filter(|partner| partner != "-").collect::<Vec<_>>().join(", "),
        bytes,
        who: ranks(call.who),
        computation: summary.map(|(_, growth)| growth.to_string()).unwrap_or_default(),
    }
}

/// Returns which ranks; nothing for all.
fn ranks(who: Who) -> String {
    if who == Who::All { String::new() } else { who.to_string() }
}

fn collective_bytes(call: &Call) -> String {
    let list = call.lists.iter().flatten().next().map(ToString::to_string);
    let sizes = [0, 3].map(|place| call.numbers[place].to_string());
    let size = sizes.into_iter().find(|size| size != "0").unwrap_or_default();
    list.unwrap_or(size)
}
