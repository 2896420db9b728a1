//! A model with its bases.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::build::resolve;
use super::builtin;
use super::error::{Error, Place};
use super::intervals::{self, Interval};
use super::native;
use super::nearest::hint;
use super::puppet;
use super::read::read_text;
use super::schema::{self, ROOT};
use super::tree::{Node, Table, Value};

/// Longer chains of bases are a slip.
const LONGEST_CHAIN: usize = 16;

/// What a model says, bases included.
pub struct Loaded {
    pub tree: Table,
    /// What each file of the chain says about the sources of its own figures.
    pub sources: Vec<Table>,
    /// How well figures are known, by the files of the chain, the last one's last.
    pub intervals: Vec<Interval>,
    pub origin: Place,
    /// What it is called if it does not say.
    pub name: String,
}

/// A text with its name, before it is parsed.
struct Source {
    file: Arc<str>,
    text: String,
    path: Option<PathBuf>,
    name: String,
}

/// Loads a built-in by its name, or a file.
pub fn load(name: &str) -> Result<Loaded, Error> {
    let source = match find(name, Path::new(name)) {
        Some(source) => source?,
        None => return Err(Error::new(nowhere(name, Path::new(name)))),
    };
    finish(&source)
}

/// Reads a text; bases are looked for beside `origin`.
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
    let About { sources, intervals } = about;
    Ok(Loaded {
        tree,
        sources,
        intervals,
        origin: Place::File(source.file.clone()),
        name: source.name.clone(),
    })
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "machine".into(), |stem| stem.to_string_lossy().into_owned())
}

/// A built-in of this name, or the file at this path. `None` if there is neither.
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

fn nowhere(name: &str, path: &Path) -> String {
    let names: Vec<&str> = builtin::all().iter().map(|machine| machine.name).collect();
    let hint = hint(name, names.iter().copied());
    let shown: String = path.display().to_string().chars().take(200).collect();
    format!("there is no file {shown} and no built-in of that name{hint}; built-in are {}", names.join(", "))
}

fn with_bases(
    source: &Source,
    chain: &mut Vec<(PathBuf, Arc<str>)>,
    about: &mut About,
) -> Result<Table, Error> {
    // The same file may be reached by several names.
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
    let intervals = tree.remove("intervals");
    let intervals = intervals.as_ref().and_then(Node::table);
    let Some(base) = tree.remove("base") else { return about.known(tree, intervals) };
    let names = || chain.iter().map(|(_, file)| &**file).collect::<Vec<_>>().join(" -> ");
    if repeated || chain.len() > LONGEST_CHAIN {
        let what = if repeated { "goes round in a circle" } else { "is too long" };
        return Err(Error::at(&base.place, format!("the chain of bases {what}: {}", names())));
    }
    let Value::Text(name) = &base.value else {
        return Err(schema::wrong(&base.place, "base", &base.value, "the name of a built-in or of a file"));
    };
    let path = resolve(name, &base.place);
    let found = find(name, &path)
        .ok_or_else(|| Error::at(&base.place, format!("`base`: {}", nowhere(name, &path))))?;
    let found = found.map_err(|error| Error::at(&base.place, format!("`base`: {error}")))?;
    let mut whole = with_bases(&found, chain, about)?;
    // What the base is called and what it is are not what this is.
    whole.remove("name");
    schema::merge(&mut whole, tree, ROOT);
    about.known(whole, intervals)
}

/// What files say about figures.
#[derive(Default)]
struct About {
    sources: Vec<Table>,
    intervals: Vec<Interval>,
}

impl About {
    /// Keeps what a file says about its own figures and those of its bases.
    fn known(&mut self, tree: Table, intervals: Option<&Table>) -> Result<Table, Error> {
        let own = intervals.map(|own| intervals::read(own, &tree)).transpose()?;
        self.intervals.extend(own.into_iter().flatten());
        Ok(tree)
    }
}

fn parse_one(source: &Source) -> Result<Table, Error> {
    let mut tree = if puppet::is_puppet(&source.text, source.path.as_deref()) {
        puppet::parse(&source.text, &source.file)?
    } else {
        native::parse(&source.text, &source.file)?
    };
    schema::check(&mut tree, ROOT, "")?;
    Ok(tree)
}
