//! Windows and files of the program.

use rustc_hash::FxHashMap;

use panto_trace::{Comm, Object, Recorder, Thing};

/// A window or a file, with this rank's number in its communicator.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    pub number: Object,
    pub rank: u32,
}

/// All that are open, by their handles.
#[derive(Default)]
pub struct Things(FxHashMap<usize, Known>);

impl Things {
    /// Adds one.
    pub fn add(
        &mut self,
        handle: usize,
        comm: Comm,
        rank: u32,
        name: String,
        recorder: &mut Recorder,
    ) -> Known {
        let known = Known { number: recorder.thing(&Thing { comm, name }), rank };
        self.0.insert(handle, known);
        known
    }

    /// That of this handle.
    pub fn get(&self, handle: usize) -> Option<Known> {
        self.0.get(&handle).copied()
    }

    /// It is closed.
    pub fn remove(&mut self, handle: usize) -> Option<Known> {
        self.0.remove(&handle)
    }
}
