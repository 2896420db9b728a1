//! Datatypes and operations of the program.

use rustc_hash::FxHashMap;

use panto_trace::{Datatype, Recorder, Type};

use crate::library::Mpi;

/// Datatypes that were seen. Types of the same size and extent share a number, so that a program that makes them anew in each round still
/// repeats itself in the trace.
#[derive(Default)]
pub struct Types {
    by_handle: FxHashMap<usize, Known>,
    numbers: FxHashMap<Datatype, Type>,
    commuting: FxHashMap<usize, bool>,
    /// The last one asked for; most programs use one.
    last: Option<(usize, Known)>,
    /// How often a handle got another meaning.
    changes: u32,
}

/// A datatype.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    pub number: Type,
    pub size: u64,
}

impl Types {
    /// The datatype of this handle.
    #[inline]
    pub fn get(&mut self, handle: usize, mpi: &Mpi, recorder: &mut Recorder) -> Known {
        match self.last {
            Some((last, known)) if last == handle => known,
            _ => self.look_up(handle, mpi, recorder),
        }
    }

    /// As long as this stays the same, each handle means the same.
    #[inline]
    pub fn changes(&self) -> u32 {
        self.changes
    }

    fn look_up(&mut self, handle: usize, mpi: &Mpi, recorder: &mut Recorder) -> Known {
        let numbers = &mut self.numbers;
        let known = *self.by_handle.entry(handle).or_insert_with(|| {
            let (size, extent, is_derived) = mpi.datatype(handle);
            let datatype = Datatype { size, extent, is_derived };
            let number = *numbers.entry(datatype).or_insert_with(|| recorder.datatype(&datatype));
            Known { number, size }
        });
        self.last = Some((handle, known));
        known
    }

    /// The program freed it; its handle may stand for another one soon.
    pub fn forget(&mut self, handle: usize) {
        self.by_handle.remove(&handle);
        self.last = None;
        self.changes = self.changes.wrapping_add(1);
    }

    /// May operands of this operation change places?
    pub fn commutes(&mut self, op: usize, mpi: &Mpi) -> bool {
        *self.commuting.entry(op).or_insert_with(|| mpi.commutes(op))
    }

    /// The program freed an operation.
    pub fn forget_op(&mut self, op: usize) {
        self.commuting.remove(&op);
    }
}
