//! What chooses the algorithms of collectives: a named table, or a file of rules.

use std::sync::Arc;

use panto_schedule::rules::Table;

use super::topology::resolve;
use crate::file::error::{Error, Place};
use crate::file::nearest::hint;
use crate::file::read::read_text;
use crate::file::section::Section;
use crate::machine::Rules;

const KEY: &str = "rules";

/// The rules that a section names. A file of them lies beside the model.
pub fn rules(section: &Section<'_>) -> Result<Rules, Error> {
    let Some(name) = section.text(KEY)? else { return Ok(Rules::default()) };
    if let Some(rules) = Rules::NAMED.into_iter().find(|rules| rules.to_string() == name) {
        return Ok(rules);
    }
    let path = resolve(name, section.node(KEY).map_or(section.place, |node| &node.place));
    if name.is_empty() || !path.exists() {
        let names = Rules::NAMED.map(|rules| rules.to_string());
        let (shown, names, hint) =
            (shown(name), names.join(", "), hint(name, names.iter().map(String::as_str)));
        let text = format!(
            "found \"{shown}\", expected one of {names}, or a file of rules, which is not there{hint}"
        );
        return Err(section.error(KEY, text));
    }
    let text = read_text(&path).map_err(|error| section.error(KEY, error))?;
    let table = Table::parse(&text).map_err(|error| {
        let file: Arc<str> = path.to_string_lossy().into();
        let place =
            error.line.map_or_else(|| Place::File(file.clone()), |line| Place::Line(file.clone(), line));
        Error::at(&place, error.text)
    })?;
    Ok(Rules::File { name: name.into(), table: Arc::new(table) })
}

fn shown(name: &str) -> String {
    name.chars().take(60).collect()
}
