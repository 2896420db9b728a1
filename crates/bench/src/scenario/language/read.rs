//! From TOML to a scenario. Every error has its line.

use std::borrow::Cow;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::action::{self, Context, Traced};
use super::{Action, Form, Group, Operation, Participants, Scenario, Step};
use crate::error::{Error, Result};

/// Deepest nesting of lists: more is a typing error.
const MAX_NESTING: usize = 8;

type Entry<'a> = (&'a Spanned<Cow<'a, str>>, &'a Spanned<DeValue<'a>>);

/// Reads a scenario without validation.
pub(super) fn read(text: &str, origin: &Path, trace: Traced<'_>) -> Result<Scenario> {
    let file = File::new(text, origin);
    let parsed = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        file.wrong(at, format!("this is not TOML: {}", error.message()))
    })?;
    let root = parsed.get_ref();
    file.known(root, &["name", "about", "operation", "participants"], "a scenario")?;
    let name = file.text(root, "name")?.unwrap_or_else(|| {
        origin.file_stem().map_or_else(|| "scenario".into(), |stem| stem.to_string_lossy().into_owned())
    });
    let operations = file.operations(root)?;
    let folder = origin.parent().unwrap_or(Path::new(""));
    let context = Context { operations: &operations, folder, trace };
    let groups = file.groups(root, &context)?;
    let about = file.text(root, "about")?.unwrap_or_default();
    Ok(Scenario { name, about, operations, groups, origin: origin.to_owned() })
}

/// A text with its lines.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
}

impl<'a> File<'a> {
    fn new(text: &'a str, path: &'a Path) -> Self {
        Self { path, text }
    }

    fn line(&self, offset: usize) -> usize {
        1 + self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }

    fn wrong(&self, offset: usize, what: impl Into<String>) -> Error {
        Error::BadFile { path: self.path.to_owned(), line: self.line(offset), reason: what.into() }
    }

    /// Returns an error for unknown keys: a typing error would go unnoticed.
    fn known(&self, table: &DeTable<'_>, keys: &[&str], of: &str) -> Result<()> {
        match table.iter().find(|(key, _)| !keys.contains(&key.get_ref().as_ref())) {
            None => Ok(()),
            Some((key, _)) => {
                let what = format!("{of} has no `{}`; it has {}", key.get_ref(), keys.join(", "));
                Err(self.wrong(key.span().start, what))
            }
        }
    }

    fn text(&self, table: &DeTable<'_>, key: &str) -> Result<Option<String>> {
        let Some((_, value)) = find(table, key) else { return Ok(None) };
        let DeValue::String(text) = value.get_ref() else {
            return Err(self.wrong(value.span().start, format!("`{key}` is a text, such as {key} = \"...\"")));
        };
        // Names are used in tables and file names: one line each.
        if text.contains(|letter: char| letter.is_control()) {
            return Err(self.wrong(value.span().start, format!("`{key}` is a single line of text")));
        }
        Ok(Some(text.to_string()))
    }

    /// Returns the operations; if none are defined there is one, which the sweep defines.
    fn operations(&self, root: &DeTable<'_>) -> Result<Vec<Operation>> {
        let Some((_, value)) = find(root, "operation") else {
            let name = "the operation".into();
            return Ok(vec![Operation {
                name,
                collective: None,
                bytes: None,
                root: Participants::First,
                form: None,
                line: 0,
            }]);
        };
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.wrong(value.span().start, "operations are described as [operation.NAME]"));
        };
        let mut operations = Vec::new();
        for entry in table {
            operations.push(self.operation(entry)?);
        }
        // In the order of their definition, which is the order of their contexts.
        operations.sort_by_key(|operation| operation.line);
        if operations.is_empty() {
            return Err(self
                .wrong(value.span().start, "describe an operation as [operation.NAME], or leave this out"));
        }
        Ok(operations)
    }

    fn operation(&self, (key, value): Entry<'_>) -> Result<Operation> {
        let at = key.span().start;
        let DeValue::Table(table) = value.get_ref() else {
            return Err(
                self.wrong(at, "an operation is described as [operation.NAME], with its collective below")
            );
        };
        self.known(table, &["collective", "bytes", "root", "call"], "an operation")?;
        let named = |key: &str| -> Result<Option<(usize, String)>> {
            let Some((_, value)) = find(table, key) else { return Ok(None) };
            Ok(Some((value.span().start, self.word(value, key)?)))
        };
        let mut operation = Operation {
            name: key.get_ref().to_string(),
            collective: None,
            bytes: None,
            root: Participants::First,
            form: None,
            line: self.line(at),
        };
        if let Some((at, text)) = named("collective")?.filter(|(_, text)| text != "$collective") {
            operation.collective =
                Some(text.parse().map_err(|error: panto_results::Error| self.wrong(at, error.to_string()))?);
        }
        if let Some((at, text)) = named("bytes")? {
            operation.bytes = action::size(&text).map_err(|what| self.wrong(at, what))?;
        }
        if let Some((at, text)) = named("root")? {
            operation.root = root_of(&text).map_err(|what| self.wrong(at, what))?;
        }
        if let Some((at, text)) = named("call")? {
            operation.form = Some(text.parse::<Form>().map_err(|error| self.wrong(at, error.to_string()))?);
        }
        Ok(operation)
    }

    /// Returns a word or a number.
    fn word(&self, value: &Spanned<DeValue<'_>>, key: &str) -> Result<String> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Integer(number) => Ok(number.to_string()),
            _ => Err(self.wrong(value.span().start, format!("`{key}` is a word or a number"))),
        }
    }

    fn groups(&self, root: &DeTable<'_>, context: &Context<'_>) -> Result<Vec<Group>> {
        let Some((_, value)) = find(root, "participants") else {
            return Err(self.wrong(0, "no participants; write [[participants]], who = \"all\", do = [\"start\", \"issue\", \"sync\", \"stop\"]"));
        };
        let DeValue::Array(tables) = value.get_ref() else {
            return Err(self.wrong(
                value.span().start,
                "participants are described as [[participants]], with `who` and `do` below",
            ));
        };
        tables.iter().map(|table| self.group(table, context)).collect()
    }

    fn group(&self, value: &Spanned<DeValue<'_>>, context: &Context<'_>) -> Result<Group> {
        let at = value.span().start;
        let DeValue::Table(table) = value.get_ref() else {
            return Err(
                self.wrong(at, "participants are described as [[participants]], with `who` and `do` below")
            );
        };
        self.known(table, &["who", "do"], "a group of participants")?;
        let (key, who) =
            find(table, "who").ok_or_else(|| self.wrong(at, "missing `who`; add who = \"all\""))?;
        let line = self.line(key.span().start);
        let who = self.who(who)?;
        let (_, steps) = find(table, "do").ok_or_else(|| {
            self.wrong(at, "missing `do`; add do = [\"start\", \"issue\", \"sync\", \"stop\"]")
        })?;
        let DeValue::Array(list) = steps.get_ref() else {
            return Err(self.wrong(
                steps.span().start,
                "`do` is a list of actions, such as [\"start\", \"issue\", \"sync\", \"stop\"]",
            ));
        };
        Ok(Group { who, steps: self.steps(list, context, 0)?, line })
    }

    fn who(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<Participants>> {
        if let DeValue::Array(list) = value.get_ref() {
            return list.iter().map(|one| self.one(one)).collect();
        }
        self.one(value).map(|one| vec![one])
    }

    fn one(&self, value: &Spanned<DeValue<'_>>) -> Result<Participants> {
        self.word(value, "who")?.parse().map_err(|what: String| self.wrong(value.span().start, what))
    }

    fn steps(&self, list: &DeArray<'_>, context: &Context<'_>, depth: usize) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        let mut values = list.iter();
        while let Some(value) = values.next() {
            let at = value.span().start;
            let DeValue::String(text) = value.get_ref() else {
                return Err(self.wrong(
                    at,
                    "an action is a text, such as \"start\"; a list of actions follows \"16 times\"",
                ));
            };
            let action = match action::times(text) {
                None => action::parse(text, context).map_err(|what| self.wrong(at, what))?,
                Some(times) => {
                    let times = times.map_err(|what| self.wrong(at, what))?;
                    let Some(DeValue::Array(inner)) = values.next().map(Spanned::get_ref) else {
                        return Err(self.wrong(
                            at,
                            format!("`{text}` must be followed by a list, such as [\"issue\", \"sync\"]"),
                        ));
                    };
                    if depth == MAX_NESTING {
                        return Err(self.wrong(at, format!("lists are nested more than {MAX_NESTING} deep")));
                    }
                    Action::Repeat(times, self.steps(inner, context, depth + 1)?)
                }
            };
            steps.push(Step { action, line: self.line(at) });
        }
        Ok(steps)
    }
}

/// Parses a root, which is a single participant.
fn root_of(text: &str) -> std::result::Result<Participants, String> {
    let who: Participants = text.parse()?;
    match who {
        Participants::First | Participants::Last | Participants::Late | Participants::Number(_) => Ok(who),
        _ => Err(format!("`{text}` is not one participant; a root is first, last, $late or a number")),
    }
}

fn find<'a>(table: &'a DeTable<'a>, wanted: &str) -> Option<Entry<'a>> {
    table.iter().find(|(key, _)| key.get_ref() == wanted)
}
