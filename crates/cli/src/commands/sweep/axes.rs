//! What a sweep varies, from the command line or from the lines of a file.

use std::path::Path;

use clap::{Args, Parser};
use panto_predict::sweep::{Axis, Knob, Variant, product};

use crate::failure::Failure;

/// What is varied. Lists are split at commas outside of brackets.
#[derive(Args)]
pub struct AxesArgs {
    /// Machines: built-in ones and model files
    #[arg(short, long, value_name = "MACHINE,...")]
    machine: Option<String>,

    /// Vary a figure of the model, such as link.latency=1us,2us; may be given again and again
    #[arg(long, value_name = "KEY=VALUE,...")]
    vary: Vec<String>,

    /// Change the model of all settings, such as link.latency=2us; may be given again and again
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Numbers of processors; more ranks share them in turns
    #[arg(short, long, value_name = "N,...")]
    processors: Option<String>,

    /// Where ranks run: wrap, block, a list in brackets such as `[0,1,3,2]`, or a file with one for each rank
    #[arg(long, value_name = "MAP,...")]
    map: Option<String>,

    /// How many times faster processors compute than where the program was traced: numbers, lists in brackets, files
    #[arg(long, value_name = "FACTOR,...")]
    speed: Option<String>,

    /// What chooses the algorithms of collectives: mpich, openmpi, puppet, files
    #[arg(long, value_name = "RULES,...")]
    rules: Option<String>,

    /// What messages do that meet: fast (nothing), traffic (they share links) [default: fast]
    #[arg(long, value_name = "NETWORK,...")]
    network: Option<String>,

    /// What interrupts computation: none, periodic:1ms,10us, random:1ms,10us, or a file; may be given again and again
    #[arg(long, value_name = "NOISE")]
    noise: Vec<String>,
}

impl AxesArgs {
    /// All combinations.
    pub fn variants(&self) -> Result<Vec<Variant>, Failure> {
        Ok(product(&self.axes()?)?)
    }

    fn axes(&self) -> Result<Vec<Axis>, Failure> {
        let list =
            |knob, text: &Option<String>| text.as_deref().map(|text| Axis::parse(knob, text)).transpose();
        let mut axes = Vec::from_iter(list(Knob::Machine, &self.machine)?);
        for text in &self.vary {
            axes.push(Axis::figure(text)?);
        }
        for text in &self.set {
            axes.push(set(text)?);
        }
        for (knob, text) in [
            (Knob::Processors, &self.processors),
            (Knob::Map, &self.map),
            (Knob::Speed, &self.speed),
            (Knob::Rules, &self.rules),
            (Knob::Network, &self.network),
        ] {
            axes.extend(list(knob, text)?);
        }
        if !self.noise.is_empty() {
            axes.push(Axis { knob: Knob::Noise, values: self.noise.clone() });
        }
        Ok(axes)
    }
}

/// One value, commas and all.
fn set(text: &str) -> Result<Axis, Failure> {
    let (key, value) = text.split_once('=').ok_or_else(|| {
        Failure::Usage(format!("--set {text}: expected KEY=VALUE such as link.latency=2us"))
    })?;
    Ok(Axis::single(Knob::Figure(key.trim().to_owned()), value.trim()))
}

/// A line of a list, which has the options of a setting.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Line {
    #[command(flatten)]
    axes: AxesArgs,
}

/// The settings of a list: each line has the options of one, or lists of values for several; what follows # is a note.
pub fn listed(path: &Path) -> Result<Vec<Variant>, Failure> {
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
            "{} has no settings: a line is such as `--machine infiniband --processors 16`",
            path.display()
        )));
    }
    Ok(variants)
}

/// What is wrong, without how the command would be used.
fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// The words of a line; quotes keep spaces and #.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut begun) = (String::new(), None, false);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => (quote, begun) = (Some(letter), true),
            (None, '#') if !begun => break,
            (None, letter) if letter.is_whitespace() => {
                if std::mem::take(&mut begun) {
                    words.push(std::mem::take(&mut word));
                }
            }
            (_, letter) => {
                word.push(letter);
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
    fn lines_have_words() {
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
