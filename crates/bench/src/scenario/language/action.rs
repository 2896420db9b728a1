//! Actions as they are written: `start`, `delay(50us)`, `issue(a)`, `load(64KiB, next)`.

use std::path::{Path, PathBuf};

use panto_transport::Time;
use panto_units::{parse_bytes, parse_span};

use super::amount::NAMED;
use super::{Action, Amount, Load, Operation, Pattern, Peer, Span};
use crate::scenario::arrival;

/// What an action may refer to.
pub(super) struct Context<'a> {
    pub operations: &'a [Operation],
    /// Directory of trace files.
    pub folder: &'a Path,
    /// Value of `$trace`.
    pub trace: Traced<'a>,
}

/// Value of `$trace`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Traced<'a> {
    /// This file.
    File(&'a Path),
    /// No file was given.
    Missing,
    /// Irrelevant: the scenario is only displayed.
    Any,
}

/// A value, or what is wrong and how to fix it.
type Parsed<T> = Result<T, String>;

const ALLOWED: &str = "start, stop, delay(TIME), comp(TIME), issue(OPERATION), sync(OPERATION), load(SIZE, PEER), or `N times` before a list";

/// Upper bound of the messages of a load: more are a typing error.
const MAX_MESSAGES: u64 = 1_000;

/// A trace defines how late ranks are; nothing is swept over.
const RECORDED: Span = Span::Fixed(Time::ZERO);

/// Parses one action.
pub(super) fn parse(text: &str, context: &Context<'_>) -> Parsed<Action> {
    let (name, arguments) = split(text)?;
    match name {
        "start" => none(name, &arguments).map(|()| Action::Start),
        "stop" => none(name, &arguments).map(|()| Action::Stop),
        "delay" => amount(name, &arguments, context).map(Action::Delay),
        "comp" => amount(name, &arguments, context).map(Action::Comp),
        "issue" => operation(name, &arguments, context).map(Action::Issue),
        "sync" => operation(name, &arguments, context).map(Action::Sync),
        "load" => load(&arguments).map(Action::Load),
        _ => Err(format!("unknown action `{text}`; use {ALLOWED}")),
    }
}

/// Parses `16 times`: how often the list that follows is repeated; `None` for other actions.
pub(super) fn times(text: &str) -> Option<Parsed<u64>> {
    let number = text.strip_suffix("times")?.trim();
    let wrong = || format!("`{text}`: expected a whole number from 1 on, such as `16 times`");
    Some(number.parse().ok().filter(|times| *times > 0).ok_or_else(wrong))
}

/// Splits into the name and the arguments in parentheses.
fn split(text: &str) -> Parsed<(&str, Vec<&str>)> {
    let text = text.trim();
    let Some((name, rest)) = text.split_once('(') else { return Ok((text, Vec::new())) };
    let Some(inside) = rest.strip_suffix(')') else {
        return Err(format!("`{text}` has no closing parenthesis"));
    };
    Ok((name.trim(), inside.split(',').map(str::trim).collect()))
}

fn none(name: &str, arguments: &[&str]) -> Parsed<()> {
    if arguments.is_empty() { Ok(()) } else { Err(format!("`{name}` takes no arguments")) }
}

/// Returns the operation; if there is only one, it need not be named.
fn operation(name: &str, arguments: &[&str], context: &Context<'_>) -> Parsed<usize> {
    let operations = context.operations;
    let names = || operations.iter().map(|operation| operation.name.as_str()).collect::<Vec<_>>().join(", ");
    match arguments {
        [] if operations.len() == 1 => Ok(0),
        [wanted] => operations.iter().position(|operation| operation.name == *wanted).ok_or_else(|| {
            let known =
                if operations[0].line == 0 { "none is defined".into() } else { format!("use {}", names()) };
            format!("unknown operation `{wanted}`; {known} (an operation is defined by [operation.{wanted}])")
        }),
        _ => Err(format!("`{name}` of which operation? Write one of them in parentheses: {}", names())),
    }
}

/// Parses a time, or a pattern and its time.
fn amount(name: &str, arguments: &[&str], context: &Context<'_>) -> Parsed<Amount> {
    let patterns = || NAMED.map(|(name, _)| name).join(", ");
    match *arguments {
        ["trace", ref which @ ..] => recorded(which, context),
        [time] => Ok(Amount { span: span(time)?, pattern: Pattern::Same }),
        [pattern, time] => {
            let (_, known) = NAMED.into_iter().find(|(name, _)| *name == pattern).ok_or_else(|| {
                format!("unknown pattern `{pattern}`; use {}, or trace with a file", patterns())
            })?;
            Ok(Amount { span: span(time)?, pattern: known })
        }
        _ => Err(format!(
            "`{name}` takes a time, such as {name}(50us), or a pattern and a time, such as {name}(linear, $delay)"
        )),
    }
}

fn span(text: &str) -> Parsed<Span> {
    match text {
        "$delay" => Ok(Span::Delay),
        "$computation" => Ok(Span::Computation),
        _ => parse_span(text).map(Span::Fixed).map_err(|error| {
            format!("{error}; a time is written as 50us or 2ms, or is $delay or $computation")
        }),
    }
}

/// Parses the lateness of ranks in a trace: `trace, FILE`, then the collective, then its index.
fn recorded(which: &[&str], context: &Context<'_>) -> Parsed<Amount> {
    let (&file, rest) = which.split_first().ok_or(
        "which trace? Write delay(trace, app.panto), or delay(trace, $trace) and use --trace app.panto",
    )?;
    let path: PathBuf = match (file, context.trace) {
        ("$trace", Traced::File(path)) => path.into(),
        ("$trace", Traced::Missing) => {
            return Err("$trace stands for a trace file; name it with --trace app.panto".into());
        }
        ("$trace", Traced::Any) => {
            return Ok(Amount { span: RECORDED, pattern: Pattern::Recorded([].into()) });
        }
        (file, _) => context.folder.join(file),
    };
    let (collective, number) = match *rest {
        [] => (None, None),
        [collective] => (Some(collective), None),
        [collective, number] => {
            let wrong = |_| format!("`{number}` is not the number of a call; they are counted from 1 on");
            (Some(collective), Some(number.parse().map_err(wrong)?))
        }
        _ => return Err("delay(trace, FILE, COLLECTIVE, NUMBER) takes no more than that".into()),
    };
    let pattern = Pattern::Recorded(arrival::read(&path, collective, number)?.into());
    Ok(Amount { span: RECORDED, pattern })
}

fn load(arguments: &[&str]) -> Parsed<Load> {
    let (size, peer, messages) = match *arguments {
        [size, peer] => (size, peer, 1),
        [size, peer, messages] => {
            let wrong = || format!("`{messages}` is not a number of messages; use a number from 1 to {MAX_MESSAGES}");
            let messages = messages.parse().ok().filter(|n| (1..=MAX_MESSAGES).contains(n)).ok_or_else(wrong)?;
            (size, peer, messages)
        }
        _ => return Err("`load` takes a size and a peer, such as load(64KiB, next), and a number of messages if it is not one".into()),
    };
    let peer = match peer {
        "next" => Peer::Next,
        "previous" => Peer::Previous,
        "across" => Peer::Across,
        other => return Err(format!("unknown peer `{other}`; use next, previous or across")),
    };
    Ok(Load { bytes: self::size(size)?, peer, messages })
}

/// Parses `$size`, which is `None`, or bytes.
pub(super) fn size(text: &str) -> Parsed<Option<u64>> {
    if text == "$size" {
        return Ok(None);
    }
    parse_bytes(text).map(Some).map_err(|error| format!("{error}; a size is written as 64KiB, or is $size"))
}
