//! Machine models: which arguments name one, and what `panto info` prints of it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use panto_machine::{Model, builtin};
use panto_report::present;

use crate::failure::Failure;
use crate::format::{Format, TABLE_OR_JSON};
use crate::print;

/// Bytes of a file that are read to recognise a model.
const PREFIX: u64 = 64 << 10;

/// Returns whether a path names a built-in machine or a model file. Files that are not regular,
/// such as pipes, can be read only once and are never models.
pub fn is_model(path: &Path) -> bool {
    if is_builtin(path) {
        return true;
    }
    let mut start = Vec::new();
    let regular = std::fs::metadata(path).is_ok_and(|about| about.is_file());
    let mut read = || File::open(path)?.take(PREFIX).read_to_end(&mut start);
    regular && read().is_ok() && Model::recognises(&String::from_utf8_lossy(&start), path)
}

/// Returns whether a path is the name of a built-in machine and of no file.
fn is_builtin(path: &Path) -> bool {
    path.to_str().is_some_and(|name| builtin::find(name).is_some())
        && std::fs::symlink_metadata(path).is_err()
}

/// Loads the built-in machine of this name, or the model file. A file takes precedence.
pub fn open(path: &Path) -> Result<Model, Failure> {
    let name = path.to_string_lossy();
    let is_file_here = path.components().count() == 1 && !is_builtin(path);
    let name = if is_file_here { format!("./{name}") } else { name.into_owned() };
    Ok(Model::load(&name, &[])?)
}

/// Prints `panto info` of a model.
pub fn info(path: &Path, format: Format) -> Result<(), Failure> {
    format.check(TABLE_OR_JSON, "a machine model")?;
    let model = open(path)?;
    match format {
        Format::Json => print::line(present::model_json(&model)),
        _ => print::text(present::model_text(&model)),
    }
    Ok(())
}

/// Returns the names of the built-in machines.
pub fn builtin_names() -> Vec<&'static str> {
    builtin::all().iter().map(|known| known.name).collect()
}
