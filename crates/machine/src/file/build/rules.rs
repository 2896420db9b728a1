//! The rules that choose the algorithms of collectives: a built-in name or a file.

use std::sync::Arc;

use panto_schedule::rules::Table;

use super::topology::resolve;
use crate::file::error::{Error, Location};
use crate::file::read::read_text;
use crate::file::section::Section;
use crate::machine::Rules;
use panto_units::suggest::hint;

const KEY: &str = "rules";

/// The rules of a section. A file is relative to the model.
pub fn rules(section: &Section<'_>) -> Result<Rules, Error> {
    let Some(name) = section.text(KEY)? else { return Ok(Rules::default()) };
    if let Some(rules) = Rules::NAMED.into_iter().find(|rules| rules.to_string() == name) {
        return Ok(rules);
    }
    let path = resolve(name, section.node(KEY).map_or(section.location, |node| &node.location));
    if name.is_empty() || !path.exists() {
        let names = Rules::NAMED.map(|rules| rules.to_string());
        let (shown, names, hint) =
            (shown(name), names.join(", "), hint(name, names.iter().map(String::as_str)));
        let text = format!("found \"{shown}\", expected one of {names}, or an existing file of rules{hint}");
        return Err(section.error(KEY, text));
    }
    let text = read_text(&path).map_err(|error| section.error(KEY, error))?;
    let table = Table::parse(&text).map_err(|error| {
        let file: Arc<str> = path.to_string_lossy().into();
        let location = error
            .line
            .map_or_else(|| Location::File(file.clone()), |line| Location::Line(file.clone(), line));
        Error::at(&location, error.text)
    })?;
    Ok(Rules::File { name: name.into(), table: Arc::new(table) })
}

fn shown(name: &str) -> String {
    name.chars().take(60).collect()
}
