//! Datatypes and reduction operations of the program, by handle.

use rustc_hash::FxHashMap;

use panto_trace::{Datatype, Recorder, Type};

use crate::library::Library;

/// The datatypes and reduction operations of this rank.
///
/// Datatypes of equal size and extent share a number, so that a program that makes them anew in
/// each iteration still repeats itself in the trace.
#[derive(Default)]
pub struct Types {
    by_handle: FxHashMap<usize, TypeInfo>,
    numbers: FxHashMap<Datatype, Type>,
    commutative: FxHashMap<usize, bool>,
    /// The last one that was looked up: most programs use one.
    last: Option<(usize, TypeInfo)>,
    changes: u32,
}

/// A datatype, as the tracer needs it in each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeInfo {
    /// Its number in the trace.
    pub number: Type,
    /// Bytes of data in one element.
    pub size: u64,
}

impl Types {
    /// Returns the datatype of a handle.
    #[inline]
    pub fn get(&mut self, handle: usize, mpi: &impl Library, recorder: &mut Recorder) -> TypeInfo {
        match self.last {
            Some((last, info)) if last == handle => info,
            _ => self.look_up(handle, mpi, recorder),
        }
    }

    /// Returns how often a handle got another meaning: while this is the same, all handles are.
    #[inline]
    pub fn changes(&self) -> u32 {
        self.changes
    }

    fn look_up(&mut self, handle: usize, mpi: &impl Library, recorder: &mut Recorder) -> TypeInfo {
        let numbers = &mut self.numbers;
        let info = *self.by_handle.entry(handle).or_insert_with(|| {
            let datatype = mpi.datatype(handle);
            let number = *numbers.entry(datatype).or_insert_with(|| recorder.datatype(&datatype));
            TypeInfo { number, size: datatype.size }
        });
        self.last = Some((handle, info));
        info
    }

    /// Forgets a handle: the program freed the datatype, and MPI may reuse the handle.
    pub fn forget(&mut self, handle: usize) {
        self.by_handle.remove(&handle);
        self.last = None;
        self.changes = self.changes.wrapping_add(1);
    }

    /// Returns whether a reduction operation is commutative.
    pub fn is_commutative(&mut self, op: usize, mpi: &impl Library) -> bool {
        *self.commutative.entry(op).or_insert_with(|| mpi.is_commutative(op))
    }

    /// Forgets the handle of an operation that the program freed.
    pub fn forget_op(&mut self, op: usize) {
        self.commutative.remove(&op);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::tests::FakeLibrary;

    #[test]
    fn equal_datatypes_share_a_number() {
        let (mpi, mut recorder, mut types) = (FakeLibrary::default(), Recorder::new(false), Types::default());
        let eight = types.get(8, &mpi, &mut recorder);
        assert_eq!(types.get(4, &mpi, &mut recorder), TypeInfo { number: Type(1), size: 4 });
        types.forget(8);
        assert_eq!(types.get(24, &mpi, &mut recorder), eight);
        assert_eq!(types.changes(), 1);
    }

    #[test]
    fn an_operation_is_asked_for_once_until_it_is_freed() {
        let (mpi, mut types) = (FakeLibrary::default(), Types::default());
        assert!(
            types.is_commutative(0, &mpi) && types.is_commutative(0, &mpi) && !types.is_commutative(3, &mpi)
        );
        assert_eq!(mpi.calls.get(), 2);
        types.forget_op(0);
        assert!(types.is_commutative(0, &mpi));
        assert_eq!(mpi.calls.get(), 3);
    }
}
