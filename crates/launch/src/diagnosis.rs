//! Diagnoses why no rank was traced, from the program's executable file.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::program;

/// Why no rank was traced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// The program that the command starts, and its kind; `None` if the command names none on this
    /// host.
    pub program: Option<(PathBuf, ProgramKind)>,
}

/// The kind of an executable file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramKind {
    /// The file is set-uid or set-gid.
    SetUid,
    /// The file is not a binary.
    Script,
    /// The file is statically linked.
    Static,
    /// The file is built for another architecture.
    OtherMachine,
    /// The file references MPI.
    WithMpi,
    /// The file does not reference MPI.
    WithoutMpi,
}

impl Diagnosis {
    /// Examines the program that a command starts.
    pub fn of(words: &[OsString]) -> Self {
        let program = program::find(words).map(|path| {
            let kind = ProgramKind::of(&path);
            (path, kind)
        });
        Self { program }
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let remedy = "after -- give the command as you would run it without panto";
        let Some((path, kind)) = &self.program else {
            return write!(
                f,
                "no rank was traced, and the command names no executable on this host; {remedy}"
            );
        };
        let shown = path.display();
        match kind {
            ProgramKind::SetUid => write!(
                f,
                "no rank was traced: {shown} is set-uid or set-gid, for which the system ignores LD_PRELOAD; \
                 trace a copy without that bit"
            ),
            ProgramKind::Static => write!(
                f,
                "no rank was traced: {shown} is statically linked, so the tracer cannot be preloaded; link it without -static"
            ),
            ProgramKind::OtherMachine => write!(
                f,
                "no rank was traced: {shown} is built for another architecture than this panto; use a panto for that \
                 architecture"
            ),
            ProgramKind::Script => write!(
                f,
                "no rank called MPI_Init: {shown} is a script; it must start a dynamically linked MPI program and pass on \
                 its environment (LD_PRELOAD)"
            ),
            ProgramKind::WithoutMpi => write!(
                f,
                "no rank called MPI_Init: {shown} does not reference MPI (unless one of its libraries does); \
                 after -- give an MPI program, as in `panto trace -- mpirun -n 4 ./app`"
            ),
            ProgramKind::WithMpi => write!(
                f,
                "no rank called MPI_Init: {shown} ended before, or its environment lacks LD_PRELOAD and PANTO_TRACE_DIR; \
                 `mpirun ... panto trace -o FILE -- {shown}` records it nevertheless"
            ),
        }
    }
}

/// The mode bits set-uid and set-gid.
const SET_ID: u32 = 0o6000;

/// Magic numbers and offsets of the 64-bit ELF header (System V ABI, chapters 4 and 5).
mod elf {
    /// The first bytes of a file.
    pub const MAGIC: [u8; 4] = *b"\x7fELF";
    /// Bytes up to and including the machine: class, byte order, ABI, file type.
    pub const IDENTITY: usize = 20;
    /// Bytes of the identity that may differ: ABI version, padding and file type.
    pub const KIND: std::ops::Range<usize> = 7..18;
    /// Bytes of the header.
    pub const HEADER: usize = 64;
    /// Offset of the position of the segment table.
    pub const SEGMENTS_AT: usize = 32;
    /// Offset of the size of an entry of the segment table.
    pub const SEGMENT_SIZE: usize = 54;
    /// Offset of the number of segments.
    pub const SEGMENT_COUNT: usize = 56;
    /// The type of the segment that names the dynamic linker.
    pub const INTERPRETER: u32 = 3;
}

impl ProgramKind {
    fn of(path: &Path) -> Self {
        let Ok(file) = File::open(path) else { return Self::WithMpi };
        if file.metadata().is_ok_and(|data| data.permissions().mode() & SET_ID != 0) {
            return Self::SetUid;
        }
        let mut header = [0; elf::HEADER];
        if file.read_exact_at(&mut header, 0).is_err() || !header.starts_with(&elf::MAGIC) {
            return Self::Script;
        }
        if !is_for_this_machine(&header) {
            return Self::OtherMachine;
        }
        if !has_interpreter(&file, &header).unwrap_or(true) {
            return Self::Static;
        }
        if mentions_mpi(file) { Self::WithMpi } else { Self::WithoutMpi }
    }
}

/// Returns whether class, byte order and machine are those of this program.
fn is_for_this_machine(header: &[u8]) -> bool {
    let mut own = [0; elf::IDENTITY];
    let read = File::open("/proc/self/exe").and_then(|file| file.read_exact_at(&mut own, 0));
    let differs = |place: usize| !elf::KIND.contains(&place) && own[place] != header[place];
    read.is_err() || !(0..elf::IDENTITY).any(differs)
}

/// Returns whether the program needs a dynamic linker.
fn has_interpreter(file: &File, header: &[u8]) -> std::io::Result<bool> {
    let number = |at: usize, size: usize| {
        header[at..at + size].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    };
    let (start, size) = (number(elf::SEGMENTS_AT, 8), number(elf::SEGMENT_SIZE, 2));
    for segment in 0..number(elf::SEGMENT_COUNT, 2) {
        let mut kind = [0; 4];
        file.read_exact_at(&mut kind, start.saturating_add(segment * size))?;
        if u32::from_le_bytes(kind) == elf::INTERPRETER {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether the file contains the name of `MPI_Init`, in C or Fortran.
fn mentions_mpi(mut file: File) -> bool {
    let names: [&[u8]; 2] = [b"MPI_Init", b"mpi_init"];
    let longest = names[0].len();
    let mut window = vec![0; 1 << 20];
    let mut kept = 0;
    while let Ok(read) = file.read(&mut window[kept..]) {
        if read == 0 {
            return false;
        }
        let filled = kept + read;
        if window[..filled].windows(longest).any(|part| names.contains(&part)) {
            return true;
        }
        // A name may span two windows.
        kept = filled.min(longest - 1);
        window.copy_within(filled - kept..filled, 0);
    }
    // An unreadable file is not diagnosed.
    true
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn kind_of(content: &[u8], mode: u32) -> ProgramKind {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("program");
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        ProgramKind::of(&path)
    }

    #[test]
    fn kinds_of_files_are_recognised() {
        let own = fs::read("/proc/self/exe").unwrap();
        assert_eq!(kind_of(b"#!/bin/sh\necho MPI_Init\n", 0o755), ProgramKind::Script);
        assert_eq!(kind_of(&own, 0o755), ProgramKind::WithMpi);
        assert_eq!(kind_of(&own, 0o4755), ProgramKind::SetUid);
        assert_eq!(ProgramKind::of(Path::new("/bin/true")), ProgramKind::WithoutMpi);
        let mut other = own.clone();
        other[18] ^= 0xff;
        assert_eq!(kind_of(&other, 0o755), ProgramKind::OtherMachine);
        let mut without_segments = own;
        without_segments[elf::SEGMENT_COUNT..elf::SEGMENT_COUNT + 2].fill(0);
        assert_eq!(kind_of(&without_segments, 0o755), ProgramKind::Static);
    }

    #[test]
    fn a_name_that_spans_two_windows_is_found() {
        let mut content = fs::read("/bin/true").unwrap();
        content.resize(1 << 20, 0);
        content.truncate((1 << 20) - 3);
        content.extend_from_slice(b"MPI_Init_thread");
        assert_eq!(kind_of(&content, 0o755), ProgramKind::WithMpi);
    }
}
