//! Actions, as people write them: `start`, `delay(50us)`, `issue(a)`, `load(64KiB, next)`.

use std::path::{Path, PathBuf};

use panto_transport::Time;
use panto_units::{parse_bytes, parse_span};

use super::amount::NAMED;
use super::{Action, Amount, Load, Operation, Pattern, Peer, Span};
use crate::scenario::arrival;

/// What an action may refer to.
pub(super) struct Context<'a> {
    pub operations: &'a [Operation],
    /// Where trace files lie.
    pub folder: &'a Path,
    /// What `$trace` stands for.
    pub trace: Traced<'a>,
}

/// What `$trace` stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Traced<'a> {
    /// This file.
    File(&'a Path),
    /// Nobody named one.
    Missing,
    /// It does not matter: the scenario is only looked at.
    Any,
}

/// Something, or what is wrong and what to do.
type Sound<T> = Result<T, String>;

const ALLOWED: &str = "start, stop, delay(TIME), comp(TIME), issue(OPERATION), sync(OPERATION), load(SIZE, PEER), or `N times` before a list";

/// More messages of a load than this are a slip.
const MOST_MESSAGES: u64 = 1_000;

/// A trace says how late ranks are; nothing is swept over.
const RECORDED: Span = Span::Fixed(Time::ZERO);

/// Reads one action.
pub(super) fn parse(text: &str, context: &Context<'_>) -> Sound<Action> {
    let (name, arguments) = split(text)?;
    match name {
        "start" => none(name, &arguments).map(|()| Action::Start),
        "stop" => none(name, &arguments).map(|()| Action::Stop),
        "delay" => amount(name, &arguments, context).map(Action::Delay),
        "comp" => amount(name, &arguments, context).map(Action::Comp),
        "issue" => operation(name, &arguments, context).map(Action::Issue),
        "sync" => operation(name, &arguments, context).map(Action::Sync),
        "load" => load(&arguments).map(Action::Load),
        _ => Err(format!("there is no action `{text}`; there are {ALLOWED}")),
    }
}

/// `16 times`: how often the list that follows is done; nothing if it is something else.
pub(super) fn times(text: &str) -> Option<Sound<u64>> {
    let number = text.strip_suffix("times")?.trim();
    let wrong = || format!("`{text}`: how often? A whole number from 1 on, such as `16 times`");
    Some(number.parse().ok().filter(|times| *times > 0).ok_or_else(wrong))
}

/// The name, and what stands between the brackets.
fn split(text: &str) -> Sound<(&str, Vec<&str>)> {
    let text = text.trim();
    let Some((name, rest)) = text.split_once('(') else { return Ok((text, Vec::new())) };
    let Some(inside) = rest.strip_suffix(')') else {
        return Err(format!("`{text}` has no closing bracket at its end"));
    };
    Ok((name.trim(), inside.split(',').map(str::trim).collect()))
}

fn none(name: &str, arguments: &[&str]) -> Sound<()> {
    if arguments.is_empty() { Ok(()) } else { Err(format!("`{name}` takes nothing in brackets")) }
}

/// The operation that is meant; if there is but one, it need not be named.
fn operation(name: &str, arguments: &[&str], context: &Context<'_>) -> Sound<usize> {
    let operations = context.operations;
    let names = || operations.iter().map(|operation| operation.name.as_str()).collect::<Vec<_>>().join(", ");
    match arguments {
        [] if operations.len() == 1 => Ok(0),
        [wanted] => operations
            .iter()
            .position(|operation| operation.name == *wanted)
            .ok_or_else(|| {
                let known = if operations[0].line == 0 { "none is described".into() } else { format!("there are {}", names()) };
                format!("there is no operation `{wanted}`; {known} (an operation is described as [operation.{wanted}])")
            }),
        _ => Err(format!("`{name}` of which operation? Write one of them in brackets: {}", names())),
    }
}

/// A time, or a pattern and its measure.
fn amount(name: &str, arguments: &[&str], context: &Context<'_>) -> Sound<Amount> {
    let patterns = || NAMED.map(|(name, _)| name).join(", ");
    match *arguments {
        ["trace", ref which @ ..] => recorded(which, context),
        [time] => Ok(Amount { span: span(time)?, pattern: Pattern::Same }),
        [pattern, time] => {
            let (_, known) = NAMED.into_iter().find(|(name, _)| *name == pattern).ok_or_else(|| {
                format!("there is no pattern `{pattern}`; there are {}, and trace with a file", patterns())
            })?;
            Ok(Amount { span: span(time)?, pattern: known })
        }
        _ => Err(format!(
            "`{name}` takes a time, such as {name}(50us), or a pattern and a time, such as {name}(linear, $delay)"
        )),
    }
}

fn span(text: &str) -> Sound<Span> {
    match text {
        "$delay" => Ok(Span::Delay),
        "$computation" => Ok(Span::Computation),
        _ => parse_span(text).map(Span::Fixed).map_err(|error| {
            format!("{error}; a time is written as 50us or 2ms, or is $delay or $computation")
        }),
    }
}

/// How late ranks come in a trace: `trace, FILE`, then the collective, then which one of those.
fn recorded(which: &[&str], context: &Context<'_>) -> Sound<Amount> {
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

fn load(arguments: &[&str]) -> Sound<Load> {
    let (size, peer, messages) = match *arguments {
        [size, peer] => (size, peer, 1),
        [size, peer, messages] => {
            let wrong = || format!("`{messages}` messages are none; use a number from 1 to {MOST_MESSAGES}");
            let messages = messages.parse().ok().filter(|n| (1..=MOST_MESSAGES).contains(n)).ok_or_else(wrong)?;
            (size, peer, messages)
        }
        _ => return Err("`load` takes a size and a peer, such as load(64KiB, next), and a number of messages if it is not one".into()),
    };
    let peer = match peer {
        "next" => Peer::Next,
        "previous" => Peer::Previous,
        "across" => Peer::Across,
        other => return Err(format!("there is no peer `{other}`; there are next, previous and across")),
    };
    Ok(Load { bytes: self::size(size)?, peer, messages })
}

/// `$size`, which is nothing here, or bytes.
pub(super) fn size(text: &str) -> Sound<Option<u64>> {
    if text == "$size" {
        return Ok(None);
    }
    parse_bytes(text).map(Some).map_err(|error| format!("{error}; a size is written as 64KiB, or is $size"))
}
