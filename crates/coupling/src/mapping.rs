//! The file, mapped into this process.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use crate::layout::{Header, MAGIC, MAX_RANKS, RankBlock, SIZE};

/// The shared memory.
pub struct Mapping {
    start: NonNull<u8>,
}

// SAFETY: all of the memory is atomic words.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Creates the file, which must not exist.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create_new(true).open(path)?;
        file.set_len(SIZE as u64)?;
        let mapping = Self::map(&file)?;
        mapping.header().magic.store(MAGIC, Ordering::Release);
        Ok(mapping)
    }

    /// Opens a file that [`Mapping::create`] has made.
    pub fn open(path: &Path) -> io::Result<Self> {
        let invalid = || io::Error::other("not the memory of a run, or of another version of Panto");
        let file = File::options().read(true).write(true).open(path)?;
        if file.metadata()?.len() != SIZE as u64 {
            return Err(invalid());
        }
        let mapping = Self::map(&file)?;
        let is_valid = mapping.header().magic.load(Ordering::Acquire) == MAGIC;
        if is_valid { Ok(mapping) } else { Err(invalid()) }
    }

    fn map(file: &File) -> io::Result<Self> {
        // SAFETY: a new mapping of a file that has this length; the result is checked.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                SIZE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(start.cast()).map(|start| Self { start }).ok_or_else(|| io::Error::other("no memory"))
    }

    pub fn header(&self) -> &Header {
        // SAFETY: the mapping begins on a page and is longer than the header, all of whose bit
        // patterns are valid; it stays until `self` is dropped.
        unsafe { self.start.cast::<Header>().as_ref() }
    }

    /// The block of a rank, which must be below [`MAX_RANKS`].
    pub fn rank(&self, rank: u32) -> &RankBlock {
        assert!(rank < MAX_RANKS, "rank {rank} of {MAX_RANKS}");
        let offset = size_of::<Header>() + rank as usize * size_of::<RankBlock>();
        // SAFETY: blocks follow the header, whose size is a multiple of their alignment, and the
        // mapping has one for each possible rank.
        unsafe { self.start.add(offset).cast::<RankBlock>().as_ref() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this mapping was made by `map` with this size, and nothing borrows from it any
        // more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), SIZE) };
    }
}
