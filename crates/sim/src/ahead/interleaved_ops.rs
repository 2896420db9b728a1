//! The operations of all ranks, with those of neighbouring ranks interleaved.
//!
//! Neighbouring ranks are usually about equally far in their code. So the operations are cut into
//! *chunks* of eight, and a 4 KiB page holds chunks of several ranks: the same part of the code of
//! each. (Huge pages are a hint that the system may refuse.) An engine that executes one rank after
//! the other then stays on a page. With tens of thousands of ranks, nearly every turn would
//! otherwise begin with a TLB miss, which takes longer than the turn. In this picture, `a0` is
//! chunk 0 of rank a:
//!
//! ```text
//! contiguous                 runs of one chunk
//! a0 a1 a2 a3 ... b0 b1      a0 b0 c0 ... (32 ranks, one page)  a1 b1 c1 ... (next page)
//! ```
//!
//! A rank's chunks come in *runs* of 2^`run_bits` consecutive ones; the runs of a group of ranks
//! fill a page. With fewer than some thousand ranks ([`MIN_INTERLEAVED`]), or where ranks have very
//! different numbers of operations (interleaving would waste memory), each rank is contiguous.

use panto_memory::HugeVec;

use super::channel_order::MIN_GROUPED;
use crate::program::{Code, Op, PackedOp};

/// Operations in a chunk: two cache lines.
const CHUNK_OPS: usize = 8;
/// Log2 of the number of chunks in a page of 4 KiB.
const PAGE_CHUNK_BITS: u32 = 5;
/// Log2 of the run length with many ranks: one chunk.
const RUN_OF_ONE: u32 = 0;
/// Log2 of the run length with some ranks, whose turns are longer: four chunks.
const RUN_OF_FOUR: u32 = 2;
/// Log2 of a run length that no rank exceeds, for few ranks or ranks of different length.
const CONTIGUOUS: u32 = 31;
/// Number of ranks from which on operations are interleaved: contiguous ranks would touch more
/// pages than the TLB covers.
const MIN_INTERLEAVED: usize = MIN_GROUPED / 4;
/// How many times as long as its contents the interleaved layout may be.
const MAX_EXPANSION: usize = 2;

/// Consecutive operations of one rank.
#[derive(Debug, Clone, Copy)]
#[repr(align(128))]
pub(crate) struct OpChunk([PackedOp; CHUNK_OPS]);

const _: () = assert!(size_of::<OpChunk>() == 128);

impl OpChunk {
    /// Returns the operations of the chunk from that at program counter `pc` on.
    #[inline]
    pub(super) fn starting_at(&self, pc: u32) -> &[PackedOp] {
        &self.0[pc as usize % CHUNK_OPS..]
    }
}

/// The operations of all ranks.
#[derive(Debug)]
pub(super) struct InterleavedOps {
    chunks: HugeVec<OpChunk>,
    /// The first chunk of each position.
    starts: Vec<usize>,
    chunk_map: ChunkMap,
}

/// Where the chunks of a rank lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkMap {
    /// Log2 of the number of a rank's chunks that follow each other.
    run_bits: u32,
}

impl InterleavedOps {
    /// Copies the operations of codes in the order of their positions, changing each by `change`.
    pub(super) fn new<'c>(
        codes: impl Iterator<Item = &'c Code> + Clone,
        change: impl Fn(PackedOp) -> PackedOp,
    ) -> Self {
        // One operation more than a rank has: an end, also where the program has none.
        let lengths: Vec<usize> = codes.clone().map(|code| code.ops.len() / CHUNK_OPS + 1).collect();
        let chunk_map = ChunkMap::of(&lengths);
        let (starts, all) = chunk_map.starts(&lengths);
        let mut chunks = HugeVec::filled(OpChunk([Op::End.into(); CHUNK_OPS]), all);
        for (code, &start) in codes.zip(&starts) {
            for (nth, ops) in code.ops.chunks(CHUNK_OPS).enumerate() {
                let chunk = &mut chunks[start + chunk_map.offset(nth)].0;
                chunk.iter_mut().zip(ops).for_each(|(place, &op)| *place = change(op));
            }
        }
        Self { chunks, starts, chunk_map }
    }

    /// Returns the chunks from the first of a position on, among them those of other ranks.
    pub(super) fn of(&self, position: u32) -> &[OpChunk] {
        &self.chunks[self.starts[position as usize]..]
    }

    pub(super) fn chunk_map(&self) -> ChunkMap {
        self.chunk_map
    }
}

impl ChunkMap {
    /// Returns the layout for ranks with these numbers of chunks.
    fn of(lengths: &[usize]) -> Self {
        let written: usize = lengths.iter().sum();
        let run_bits = match lengths.len() {
            MIN_GROUPED.. => RUN_OF_ONE,
            MIN_INTERLEAVED.. => RUN_OF_FOUR,
            _ => CONTIGUOUS,
        };
        let chunk_map = Self { run_bits };
        if chunk_map.starts(lengths).1 <= written * MAX_EXPANSION {
            chunk_map
        } else {
            Self { run_bits: CONTIGUOUS }
        }
    }

    /// Returns the first chunk of each rank, and the number of chunks in all.
    fn starts(self, lengths: &[usize]) -> (Vec<usize>, usize) {
        let mut starts = Vec::with_capacity(lengths.len());
        let mut page = 0;
        if self.run_bits == CONTIGUOUS {
            for length in lengths {
                starts.push(page);
                page += length;
            }
            return (starts, page);
        }
        for group in lengths.chunks(1 << (PAGE_CHUNK_BITS - self.run_bits)) {
            starts.extend((0..group.len()).map(|nth| page + (nth << self.run_bits)));
            let longest = group.iter().copied().max().unwrap_or(0);
            page += longest.div_ceil(1 << self.run_bits) << PAGE_CHUNK_BITS;
        }
        (starts, page)
    }

    /// Returns the distance of a rank's chunk from its first one.
    #[inline]
    fn offset(self, chunk: usize) -> usize {
        (chunk >> self.run_bits << PAGE_CHUNK_BITS) + (chunk & ((1 << self.run_bits) - 1))
    }

    /// Returns the chunk of a rank that holds the operation at program counter `pc`.
    #[inline]
    pub(super) fn chunk(self, chunks: &[OpChunk], pc: u32) -> Option<&OpChunk> {
        chunks.get(self.offset(pc as usize / CHUNK_OPS))
    }

    /// Returns the operation of a rank at program counter `pc`.
    pub(super) fn op(self, chunks: &[OpChunk], pc: u32) -> Option<PackedOp> {
        self.chunk(chunks, pc).map(|chunk| chunk.0[pc as usize % CHUNK_OPS])
    }
}

#[cfg(test)]
mod tests {
    use panto_units::Time;

    use super::*;

    fn code(length: usize) -> Code {
        let op = |nth: usize| Op::Compute(Time::from_picos(nth as u64)).into();
        Code { ops: (0..length).map(op).collect(), times: Vec::new(), slots: 0 }
    }

    fn assert_complete(lengths: &[usize], run_bits: u32) {
        let codes: Vec<Code> = lengths.iter().map(|&length| code(length)).collect();
        let ops = InterleavedOps::new(codes.iter(), |op| op);
        assert_eq!(ops.chunk_map, ChunkMap { run_bits });
        for (position, code) in codes.iter().enumerate() {
            let found = |pc: usize| ops.chunk_map.op(ops.of(position as u32), pc as u32);
            for (pc, &op) in code.ops.iter().enumerate() {
                assert_eq!(found(pc), Some(op), "{position} at {pc}");
            }
            assert_eq!(found(code.ops.len()), Some(Op::End.into()), "{position} ends");
        }
    }

    #[test]
    fn ranks_of_similar_length_are_interleaved() {
        let lengths: Vec<usize> = (0..MIN_GROUPED + 7).map(|position| 40 + position % 9).collect();
        assert_complete(&lengths, RUN_OF_ONE);
        assert_complete(&lengths[..MIN_GROUPED - 1], RUN_OF_FOUR);
        assert_complete(&lengths[..MIN_INTERLEAVED - 1], CONTIGUOUS);
    }

    #[test]
    fn ranks_of_very_different_length_are_contiguous() {
        let mut lengths = vec![3; MIN_GROUPED];
        lengths[5] = 100_000;
        assert_complete(&lengths, CONTIGUOUS);
    }

    #[test]
    fn no_ranks_and_ranks_without_operations() {
        assert_complete(&[], CONTIGUOUS);
        assert_complete(&[0, 0, CHUNK_OPS, CHUNK_OPS - 1], CONTIGUOUS);
    }
}
