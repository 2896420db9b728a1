//! Bases of model files.

use std::path::PathBuf;

use panto_units::Time;

use crate::{Machine, Model};

struct Directory(tempfile::TempDir);

impl Directory {
    fn with(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(directory)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn load(&self, name: &str) -> Result<Machine, String> {
        Machine::load(self.path(name).to_str().unwrap(), &[]).map_err(|error| error.to_string())
    }
}

#[test]
fn a_built_in_with_a_change() {
    let files =
        Directory::with(&[("fast.toml", "base = \"ipsc860\"\nnetwork.link.bandwidth = \"28MB/s\"\n")]);
    let (fast, old) = (files.load("fast.toml").unwrap(), Machine::load("ipsc860", &[]).unwrap());
    assert_eq!((fast.name.as_str(), fast.protocol), ("fast", old.protocol));
    assert_eq!(fast.network.link.of(28), Time::from_nanos(1_000));
    assert_eq!(fast.network.overheads, old.network.overheads);
}

#[test]
fn bases_are_relative_to_their_file() {
    let files = Directory::with(&[
        ("deep/a.toml", "base = \"../b.toml\"\n[network]\ntopology = \"ring\"\nprocessors = 8\n"),
        ("b.toml", "base = \"infiniband\"\nabout = \"b\"\n[send]\nstandard = \"buffered\"\n"),
    ]);
    let machine = files.load("deep/a.toml").unwrap();
    assert_eq!((machine.name.as_str(), machine.about.as_str(), machine.processors()), ("a", "b", 8));
}

#[test]
fn circular_bases_are_errors() {
    let files = Directory::with(&[
        ("a.toml", "base = \"b.toml\"\n"),
        ("b.toml", "\nbase = \"./c.toml\"\n"),
        ("c.toml", "base = \"a.toml\"\n"),
        ("self.toml", "base = \"self.toml\"\n"),
    ]);
    let error = files.load("a.toml").unwrap_err();
    let names = error.split("circular: ").nth(1).unwrap();
    let names: Vec<&str> = names.split(" -> ").map(|name| name.rsplit('/').next().unwrap()).collect();
    assert_eq!(names, ["a.toml", "b.toml", "c.toml", "a.toml"]);
    assert!(error.contains("a.toml:1: the chain of bases is circular"), "{error}");
    assert!(files.load("self.toml").unwrap_err().contains("circular"));
}

#[test]
fn long_chains_are_errors() {
    let names: Vec<(String, String)> =
        (0..100).map(|n| (format!("{n}.toml"), format!("base = \"{}.toml\"", n + 1))).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert!(Directory::with(&files).load("0.toml").unwrap_err().contains("the chain of bases is too long"));
}

#[test]
fn a_missing_base_is_an_error() {
    let files = Directory::with(&[
        ("a.toml", "base = \"nowhere.toml\"\n"),
        ("b.toml", "base = 3\n"),
        ("c.toml", "\n\nbase = \"wrong.toml\"\n"),
        ("wrong.toml", "\nnetwrk = 3\n"),
        ("d.toml", "base = \"dir\"\n"),
        ("dir/x", ""),
    ]);
    let error = files.load("a.toml").unwrap_err();
    assert!(error.contains("a.toml:1: `base`: cannot read"), "{error}");
    assert!(error.ends_with("nowhere.toml: no such file"), "{error}");
    assert!(files.load("b.toml").unwrap_err().contains("b.toml:1: `base` is 3, expected the name"));
    assert!(
        files
            .load("c.toml")
            .unwrap_err()
            .contains("wrong.toml:2: a model has no key `netwrk`, did you mean `network`?")
    );
    assert!(files.load("d.toml").unwrap_err().contains("is a directory"));
}

#[test]
fn a_source_applies_to_its_own_figure_only() {
    let text = "base = \"ipsc860\"\n[send]\nabove = \"200B\"\n[sources]\n\"network.hop\" = \"a guess\"\n";
    let model = Model::parse(text, "mine.toml", &["link.bandwidth=5MB/s".to_owned()]).unwrap();
    let source = |key: &str| model.figures().into_iter().find(|figure| figure.key == key).unwrap().source;
    assert_eq!(source("send.above"), "mine.toml:3");
    assert!(source("send.standard").starts_with("CoMet thesis, 4.2"));
    assert_eq!(source("network.link.bandwidth"), "--set link.bandwidth=5MB/s");
    assert!(source("network.hop").starts_with("CoMet thesis"), "a new source is no source of the old figure");
    assert!(model.machine().sources.iter().any(|source| source.key == "send.above"));
}
