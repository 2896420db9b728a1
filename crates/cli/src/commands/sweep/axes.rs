//! The parameters of a sweep, from the command line or from the lines of a file.

use std::path::Path;

use clap::{Args, Parser};
use panto_machine::builtin::GROUP;
use panto_predict::sweep::{Axis, Parameter, Variant, product};

use crate::failure::Failure;

/// The parameters of a sweep. Lists are split at commas outside brackets.
#[derive(Args)]
pub struct AxesArgs {
    /// Machines: built-in names, model files, and groups such as @modern (see `panto machines`).
    #[arg(short, long, value_name = "MACHINE,...")]
    machine: Option<String>,

    /// Vary a model parameter, such as link.latency=1us,2us. Repeatable.
    #[arg(long, value_name = "KEY=VALUE,...")]
    vary: Vec<String>,

    /// Override a model parameter in all settings, such as link.latency=2us. Repeatable.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Numbers of processors, shared round robin if there are more ranks.
    #[arg(short, long, value_name = "N,...")]
    processors: Option<String>,

    /// Mappings of ranks: wrap, block, a list in brackets such as `[0,1,3,2]`, or a file with one
    /// processor per rank.
    #[arg(long, value_name = "MAP,...")]
    map: Option<String>,

    /// Speeds of processors relative to the traced machine: numbers, lists in brackets, or files.
    #[arg(long, value_name = "FACTOR,...")]
    speed: Option<String>,

    /// Rules that choose algorithms of collectives: mpich, openmpi, puppet, or files.
    #[arg(long, value_name = "RULES,...")]
    rules: Option<String>,

    /// What messages share: none, endpoints, links [default: as the machine says].
    #[arg(long, value_name = "LEVEL,...", alias = "network")]
    sharing: Option<String>,

    /// Noise: none, periodic:1ms,10us, random:1ms,10us, or a file. Repeatable.
    #[arg(long, value_name = "NOISE")]
    noise: Vec<String>,
}

impl AxesArgs {
    /// Returns whether machines are given as a group.
    pub fn names_group(&self) -> bool {
        self.machine.as_ref().is_some_and(|list| list.contains(GROUP))
    }

    /// Returns all combinations.
    pub fn variants(&self) -> Result<Vec<Variant>, Failure> {
        Ok(product(&self.axes()?)?)
    }

    fn axes(&self) -> Result<Vec<Axis>, Failure> {
        let list = |parameter, text: &Option<String>| {
            text.as_deref().map(|text| Axis::parse(parameter, text)).transpose()
        };
        let machines = self.machine.as_deref().map(Axis::machines).transpose()?;
        let mut axes = Vec::from_iter(machines);
        for text in &self.vary {
            axes.push(Axis::figure(text)?);
        }
        for text in &self.set {
            axes.push(set(text)?);
        }
        for (parameter, text) in [
            (Parameter::Processors, &self.processors),
            (Parameter::Map, &self.map),
            (Parameter::Speed, &self.speed),
            (Parameter::Rules, &self.rules),
            (Parameter::Sharing, &self.sharing),
        ] {
            axes.extend(list(parameter, text)?);
        }
        if !self.noise.is_empty() {
            axes.push(Axis { parameter: Parameter::Noise, values: self.noise.clone() });
        }
        Ok(axes)
    }
}

/// Parses `KEY=VALUE`; commas belong to the value.
fn set(text: &str) -> Result<Axis, Failure> {
    let (key, value) = text.split_once('=').ok_or_else(|| {
        Failure::Usage(format!("--set {text}: expected KEY=VALUE such as link.latency=2us"))
    })?;
    Ok(Axis::single(Parameter::Figure(key.trim().to_owned()), value.trim()))
}

/// A line of a settings file.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Line {
    #[command(flatten)]
    axes: AxesArgs,
}

/// Reads a settings file: each line has the options of a setting, or lists of values for several;
/// text after `#` is a comment.
pub fn read_file(path: &Path) -> Result<Vec<Variant>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("cannot read {}: {error}", path.display())))?;
    let mut variants = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words = words(line);
        if words.is_empty() {
            continue;
        }
        let wrong = |why: &str| Failure::Usage(format!("{}:{number}: {why}", path.display()));
        let parsed = Line::try_parse_from(&words).map_err(|error| wrong(&first_line(&error)))?;
        variants.extend(parsed.axes.variants().map_err(|failure| wrong(&failure.to_string()))?);
    }
    if variants.is_empty() {
        return Err(Failure::Usage(format!(
            "{} has no settings; expected lines such as `--machine infiniband --processors 16`",
            path.display()
        )));
    }
    Ok(variants)
}

/// Returns the first line of an error, without the usage text.
fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// Splits a line into words; quotes protect spaces and `#`.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut begun) = (String::new(), None, false);
    for character in line.chars() {
        match (quote, character) {
            (Some(open), character) if character == open => quote = None,
            (None, '"' | '\'') => (quote, begun) = (Some(character), true),
            (None, '#') if !begun => break,
            (None, character) if character.is_whitespace() => {
                if std::mem::take(&mut begun) {
                    words.push(std::mem::take(&mut word));
                }
            }
            (_, character) => {
                word.push(character);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_into_words() {
        assert_eq!(
            words("--machine a.toml  --map wrap # as it was"),
            ["--machine", "a.toml", "--map", "wrap"]
        );
        assert_eq!(
            words("--machine 'my machine.toml' --set \"a#b\""),
            ["--machine", "my machine.toml", "--set", "a#b"]
        );
        assert_eq!(words("--set a=x#y ''"), ["--set", "a=x#y", ""]);
        assert!(words("   # nothing").is_empty());
    }
}
