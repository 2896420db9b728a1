//! Loads a model and its bases.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::assumed::{self, Assumed};
use super::build::resolve;
use super::builtin;
use super::error::{Error, Location};
use super::intervals::{self, Interval};
use super::puppet;
use super::read::read_text;
use super::schema::{self, ROOT};
use super::toml_file;
use super::tree::{Node, Table, Value};
use panto_units::suggest::hint;

/// The longest chain of bases, as a guard against mistakes.
const MAX_CHAIN: usize = 16;

/// The contents of a model, merged with its bases.
pub struct Loaded {
    pub tree: Table,
    /// The sources that each file of the chain names for its own figures.
    pub sources: Vec<Table>,
    /// The figures that the files of the chain list as assumed.
    pub assumed: Vec<Assumed>,
    /// The confidence intervals of all files of the chain, those of the model itself last.
    pub intervals: Vec<Interval>,
    pub origin: Location,
    /// The name of the model if the file has none.
    pub name: String,
}

/// The text of a model before it is parsed.
struct Source {
    file: Arc<str>,
    text: String,
    path: Option<PathBuf>,
    name: String,
}

/// Loads a built-in machine by name, or a file.
pub fn load(name: &str) -> Result<Loaded, Error> {
    let source = match find(name, Path::new(name)) {
        Some(source) => source?,
        None => return Err(Error::new(not_found(name, Path::new(name)))),
    };
    finish(&source)
}

/// Parses a text; bases are relative to `origin`.
pub fn parse(text: &str, origin: &str) -> Result<Loaded, Error> {
    finish(&Source {
        file: origin.into(),
        text: text.to_owned(),
        path: Some(origin.into()),
        name: stem(Path::new(origin)),
    })
}

fn finish(source: &Source) -> Result<Loaded, Error> {
    let mut about = About::default();
    let tree = with_bases(source, &mut Vec::new(), &mut about)?;
    let About { sources, assumed, intervals } = about;
    Ok(Loaded {
        tree,
        sources,
        assumed,
        intervals,
        origin: Location::File(source.file.clone()),
        name: source.name.clone(),
    })
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "machine".into(), |stem| stem.to_string_lossy().into_owned())
}

/// Reads the built-in machine with this name, or the file at this path. `None` if there is neither.
fn find(name: &str, path: &Path) -> Option<Result<Source, Error>> {
    if let Some(machine) = builtin::find(name) {
        return Some(Ok(Source {
            file: format!("built-in {name}").into(),
            text: machine.text.to_owned(),
            path: None,
            name: name.to_owned(),
        }));
    }
    if std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return None;
    }
    Some(read_text(path).map_err(Error::new).map(|text| Source {
        file: path.to_string_lossy().into(),
        text,
        path: Some(path.to_owned()),
        name: stem(path),
    }))
}

/// Returns what is wrong with the name of a machine that does not exist: a path names a missing
/// file, anything else is an unknown machine.
fn not_found(name: &str, path: &Path) -> String {
    if looks_like_a_path(name) {
        return format!("cannot read {}: no such file", path.display());
    }
    let names: Vec<&str> = builtin::all().iter().map(|machine| machine.name).collect();
    let hint = hint(name, names.iter().copied());
    let shown: String = path.display().to_string().chars().take(200).collect();
    let known = if hint.is_empty() { "; built-in" } else { " Built-in" };
    format!(
        "unknown machine `{shown}`: neither a model file nor a built-in machine{hint}{known} machines: {}",
        names.join(", ")
    )
}

/// Returns whether a name can only mean a file: no built-in machine has a folder or an extension.
pub fn looks_like_a_path(name: &str) -> bool {
    name.contains(std::path::MAIN_SEPARATOR) || Path::new(name).extension().is_some()
}

fn with_bases(
    source: &Source,
    chain: &mut Vec<(PathBuf, Arc<str>)>,
    about: &mut About,
) -> Result<Table, Error> {
    // The same file may have several names.
    let identity = match &source.path {
        Some(path) => path.canonicalize().unwrap_or_else(|_| path.clone()),
        None => PathBuf::from(format!("built-in {}", source.name)),
    };
    let repeated = chain.iter().any(|(other, _)| *other == identity);
    chain.push((identity, source.file.clone()));
    let mut tree = parse_one(source)?;
    if let Some(Value::Table(own)) = tree.remove("sources").map(|node| node.value) {
        about.sources.push(own);
    }
    if let Some(list) = tree.remove("assumed") {
        about.assumed.extend(assumed::read(&list, &tree)?);
    }
    let intervals = tree.remove("intervals");
    let intervals = intervals.as_ref().and_then(Node::table);
    let Some(base) = tree.remove("base") else { return about.add_intervals(tree, intervals) };
    let names = || chain.iter().map(|(_, file)| &**file).collect::<Vec<_>>().join(" -> ");
    if repeated || chain.len() > MAX_CHAIN {
        let what = if repeated { "is circular" } else { "is too long" };
        return Err(Error::at(&base.location, format!("the chain of bases {what}: {}", names())));
    }
    let Value::Text(name) = &base.value else {
        return Err(schema::wrong(
            &base.location,
            "base",
            &base.value,
            "the name of a built-in machine or of a file",
        ));
    };
    let path = resolve(name, &base.location);
    let found = find(name, &path)
        .ok_or_else(|| Error::at(&base.location, format!("`base`: {}", not_found(name, &path))))?;
    let found = found.map_err(|error| Error::at(&base.location, format!("`base`: {error}")))?;
    let mut whole = with_bases(&found, chain, about)?;
    // The name of the base is not that of the model.
    whole.remove("name");
    schema::merge(&mut whole, tree, ROOT);
    about.add_intervals(whole, intervals)
}

/// The sources, assumed figures and intervals of a chain of files.
#[derive(Default)]
struct About {
    sources: Vec<Table>,
    assumed: Vec<Assumed>,
    intervals: Vec<Interval>,
}

impl About {
    /// Adds the intervals of a file, for its own figures and those of its bases.
    fn add_intervals(&mut self, tree: Table, intervals: Option<&Table>) -> Result<Table, Error> {
        let own = intervals.map(|own| intervals::read(own, &tree)).transpose()?;
        self.intervals.extend(own.into_iter().flatten());
        Ok(tree)
    }
}

fn parse_one(source: &Source) -> Result<Table, Error> {
    let mut tree = if puppet::is_puppet(&source.text, source.path.as_deref()) {
        puppet::parse(&source.text, &source.file)?
    } else {
        toml_file::parse(&source.text, &source.file)?
    };
    schema::check(&mut tree, ROOT, "")?;
    Ok(tree)
}
