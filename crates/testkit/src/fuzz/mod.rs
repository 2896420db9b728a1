//! Fuzzing of readers, in the process of a test: seeded, so that a failure can be repeated.
//!
//! Valid files are changed at random (`mutate`), their checksums are repaired so that the change is
//! read, and a reader gets them. It may return an error. It must not panic, take much longer than
//! its input is long, or hold much more memory than that.
//!
//! A test reads a fixed number of inputs. With `PANTO_FUZZ_SECONDS`, the seeds after those are
//! tried until that time has passed.

mod limits;
mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use limits::Usage;
pub use mutate::Mutator;

/// The inputs of a test, unless `PANTO_FUZZ_SECONDS` asks for more.
const INPUTS: u64 = 400;

/// What is read: valid inputs, and how their checksums are repaired after a change.
pub struct Target<'t> {
    /// The name, for messages.
    pub name: &'t str,
    /// Valid inputs.
    pub valid: Vec<Vec<u8>>,
    /// Repairs checksums and the like, as far as possible.
    pub repair: &'t dyn Fn(&mut [u8]),
}

impl<'t> Target<'t> {
    /// A format of text, which has no checksums.
    pub fn text(name: &'t str, valid: &[&str]) -> Self {
        let valid = valid.iter().map(|text| text.as_bytes().to_vec()).collect();
        Self { name, valid, repair: &|_| {} }
    }

    /// Gives changed inputs to a reader.
    pub fn fuzz(&self, read: impl Fn(&[u8])) {
        let extra = std::env::var("PANTO_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
        let end = Instant::now() + Duration::from_secs(extra.unwrap_or(0));
        for seed in 0.. {
            if seed >= INPUTS && Instant::now() >= end {
                break;
            }
            let input = self.input(seed);
            let usage = Usage::now();
            let outcome = catch_unwind(AssertUnwindSafe(|| read(&input)));
            let excess = usage.excess(input.len());
            if outcome.is_err() || excess.is_some() {
                let kept = self.keep(seed, &input);
                panic!("{}: seed {seed}: {}; {kept}", self.name, excess.unwrap_or("a panic".into()));
            }
        }
    }

    /// Returns the input of a seed.
    fn input(&self, seed: u64) -> Vec<u8> {
        let mut mutator = Mutator::new(seed);
        let mut bytes = self.valid[mutator.below(self.valid.len())].clone();
        for _ in 0..=mutator.below(4) {
            let other = mutator.below(self.valid.len());
            mutator.change(&mut bytes, &self.valid[other]);
        }
        // Some changes of checksums are to be read, too.
        if mutator.below(8) > 0 {
            (self.repair)(&mut bytes);
        }
        bytes
    }

    /// Keeps an input beside the build; returns where.
    fn keep(&self, seed: u64, input: &[u8]) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz");
        let path = folder.join(format!("{}-{seed}", self.name));
        let kept = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, input));
        kept.map_or_else(|error| error.to_string(), |()| format!("the input is {}", path.display()))
    }
}
