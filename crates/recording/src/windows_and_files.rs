//! Windows and files of the program, by handle.

use rustc_hash::FxHashMap;

use panto_trace::{Comm, Recorder, WindowOrFile, WindowOrFileId};

/// A window or a file, as the tracer needs it in each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Its number in the trace.
    pub number: WindowOrFileId,
    /// This rank's number in its communicator.
    pub rank: u32,
}

/// The open windows, or the open files, of this rank.
#[derive(Default)]
pub struct WindowsAndFiles(FxHashMap<usize, ObjectInfo>);

impl WindowsAndFiles {
    /// Adds one that was opened on a communicator, in which this rank has the number `rank`.
    pub fn add(
        &mut self,
        handle: usize,
        comm: Comm,
        rank: u32,
        name: String,
        recorder: &mut Recorder,
    ) -> ObjectInfo {
        let info = ObjectInfo { number: recorder.window_or_file(&WindowOrFile { comm, name }), rank };
        self.0.insert(handle, info);
        info
    }

    /// Returns that of a handle.
    pub fn get(&self, handle: usize) -> Option<ObjectInfo> {
        self.0.get(&handle).copied()
    }

    /// Removes one that is closed.
    pub fn remove(&mut self, handle: usize) -> Option<ObjectInfo> {
        self.0.remove(&handle)
    }
}
