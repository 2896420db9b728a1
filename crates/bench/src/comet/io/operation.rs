//! Writing and reading in blocks.

use std::io;
use std::os::unix::fs::FileExt;

use panto_transport::Transport;

use super::scratch::Scratch;
use crate::measure::{Checked, Operation};
use crate::pattern;

/// Offsets of a rank's blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    block: usize,
    first: u64,
    stride: u64,
}

impl Layout {
    /// Lays out blocks contiguously; in a shared file the blocks of the ranks alternate.
    pub(super) fn new<T: Transport>(block: usize, transport: &T, shared: bool) -> Self {
        let (rank, ranks) = if shared { (transport.rank(), transport.size()) } else { (0, 1) };
        Self { block, first: (rank * block) as u64, stride: (ranks * block) as u64 }
    }

    fn offset(&self, index: usize) -> u64 {
        self.first + self.stride * index as u64
    }
}

/// One rank writes or reads all its blocks.
pub(super) struct IoOperation<'a, T> {
    transport: &'a T,
    scratch: Scratch,
    layout: Layout,
    reads: bool,
    /// All bytes at once, so that they can be made and checked outside the timed region.
    data: Vec<u8>,
    block: Vec<u8>,
    round: u64,
    prepared: io::Result<()>,
}

impl<'a, T: Transport> IoOperation<'a, T> {
    pub(super) fn new(transport: &'a T, scratch: Scratch, layout: Layout, reads: bool, bytes: usize) -> Self {
        let block = vec![0; layout.block.min(bytes)];
        Self { transport, scratch, layout, reads, data: vec![0; bytes], block, round: 0, prepared: Ok(()) }
    }

    fn fill(&mut self, round: u64) {
        self.round = round;
        pattern::fill(&mut self.data, self.transport.rank(), round);
    }

    /// Truncates the file so that it grows again: overwriting an existing one costs less.
    fn prepare_write(&mut self, round: u64) -> io::Result<()> {
        self.fill(round);
        if self.scratch.owned { self.scratch.file.set_len(0) } else { Ok(()) }
    }

    /// Evicts the file from the page cache, so that it is read from the disk.
    fn prepare_read(&mut self, round: u64) -> io::Result<()> {
        if self.round == 0 {
            self.fill(round);
            self.write()?;
        }
        self.data.fill(0);
        self.scratch.evict()
    }

    fn write(&self) -> io::Result<()> {
        for (index, block) in self.data.chunks(self.layout.block).enumerate() {
            self.scratch.file.write_all_at(block, self.layout.offset(index))?;
        }
        self.scratch.file.sync_all()
    }

    fn read(&mut self) -> io::Result<()> {
        for (index, block) in self.data.chunks_mut(self.layout.block).enumerate() {
            self.scratch.file.read_exact_at(block, self.layout.offset(index))?;
        }
        Ok(())
    }

    /// Checks what was written by reading it back.
    fn check_written(&mut self) -> Checked {
        for (index, written) in self.data.chunks(self.layout.block).enumerate() {
            let found = &mut self.block[..written.len()];
            let read = self.scratch.file.read_exact_at(found, self.layout.offset(index));
            read.map_err(|error| format!("cannot read back {}: {error}", self.scratch.path.display()))?;
            if found != written {
                return Err(format!(
                    "block {index} of {} is not what was written",
                    self.scratch.path.display()
                ));
            }
        }
        Ok(())
    }

    fn io_result<R>(&self, what: &str, outcome: io::Result<R>) -> panto_transport::Result<R> {
        outcome.map_err(|error| {
            self.transport.abort(&format!("cannot {what} {}: {error}", self.scratch.path.display()))
        })
    }
}

impl<T: Transport> Operation for IoOperation<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.prepared = if self.reads { self.prepare_read(round) } else { self.prepare_write(round) };
    }

    fn begin(&mut self) -> panto_transport::Result<()> {
        let prepared = std::mem::replace(&mut self.prepared, Ok(()));
        self.io_result("prepare", prepared)
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        if self.reads {
            let outcome = self.read();
            return self.io_result("read", outcome);
        }
        self.io_result("write", self.write())
    }

    fn verify(&mut self) -> Checked {
        if self.reads {
            return pattern::check(&self.data, self.transport.rank(), self.round);
        }
        self.check_written()
    }
}

#[cfg(test)]
mod tests {
    use panto_transport::World;
    use panto_transport::threads::Threads;

    use super::*;

    fn alone(test: impl Fn(IoOperation<'_, <Threads as World>::Endpoint>) + Sync) {
        let directory = tempfile::tempdir().unwrap();
        let outcome = Threads::default().run(1, |transport| {
            for reads in [false, true] {
                let scratch = Scratch::create(transport, directory.path(), false)?;
                test(IoOperation::new(transport, scratch, Layout::new(64, transport, false), reads, 1000));
            }
            Ok::<_, crate::Error>(())
        });
        outcome.unwrap();
        assert_eq!(directory.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_changed_file_is_noticed() {
        alone(|mut operation| {
            operation.prepare(1);
            operation.begin().unwrap();
            operation.run().unwrap();
            assert_eq!(operation.verify(), Ok(()));
            operation.scratch.file.write_all_at(&[0xff, 0], 999).unwrap();
            if operation.reads {
                operation.run().unwrap();
            }
            assert!(operation.verify().is_err());
        });
    }

    #[test]
    fn a_file_that_was_not_written_is_noticed() {
        alone(|mut operation| {
            operation.prepare(1);
            assert!(operation.verify().is_err());
        });
    }

    #[test]
    fn shared_blocks_take_turns() {
        let layouts = Threads::default().run(3, |t| Ok::<_, crate::Error>(Layout::new(10, t, true))).unwrap();
        let offsets =
            [0, 1].map(|index| layouts.iter().map(|layout| layout.offset(index)).collect::<Vec<_>>());
        assert_eq!(offsets, [[0, 10, 20], [30, 40, 50]]);
    }
}
