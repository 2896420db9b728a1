//! Why nothing was recorded, as far as the program's file tells.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;

use super::program;

/// Says why no rank was traced, and what helps.
pub fn why(words: &[OsString]) -> String {
    let remedy = "the words after -- should start it as you would without panto";
    let Some(path) = program::find(words) else {
        return format!(
            "no rank was traced, and no word of the command is a program that can be seen from here; {remedy}"
        );
    };
    let shown = path.display();
    match Nature::of(&path) {
        Nature::SetUid => format!(
            "no rank was traced: {shown} is set-uid or set-gid, and the system keeps preloaded libraries out of such programs; \
             trace a copy without that bit"
        ),
        Nature::Static => format!(
            "no rank was traced: {shown} is statically linked, and the tracer can only be loaded into programs that load shared \
             libraries; link it without -static"
        ),
        Nature::OtherMachine => format!(
            "no rank was traced: {shown} is a program for another kind of processor than this panto; use a panto that was built for it"
        ),
        Nature::Script => format!(
            "no rank called MPI_Init: {shown} is a script; what it starts must be an MPI program, dynamically linked, and get the \
             script's environment (LD_PRELOAD)"
        ),
        Nature::WithoutMpi => format!(
            "no rank called MPI_Init: {shown} is no MPI program, unless it loads MPI from a library of its own; {remedy}"
        ),
        Nature::WithMpi => format!(
            "no rank called MPI_Init: either {shown} ended before, or the environment did not reach it (LD_PRELOAD and \
             PANTO_TRACE_DIR); starting it the other way round always works: `mpirun ... panto trace -o FILE -- {shown}`"
        ),
    }
}

/// What a program's file is.
#[derive(Debug, PartialEq, Eq)]
enum Nature {
    SetUid,
    Script,
    Static,
    OtherMachine,
    WithMpi,
    WithoutMpi,
}

/// Set-uid and set-gid.
const SET_ID: u32 = 0o6000;

/// Of the ELF format (System V ABI, chapters 4 and 5), for 64 bits: marks, and places in the header.
mod elf {
    pub const MARK: [u8; 4] = *b"\x7fELF";
    /// Up to and with the machine: class, byte order, ABI, kind of file.
    pub const IDENTITY: usize = 20;
    pub const KIND: std::ops::Range<usize> = 7..18;
    pub const HEADER: usize = 64;
    pub const SEGMENTS_AT: usize = 32;
    pub const SEGMENT_SIZE: usize = 54;
    pub const SEGMENT_COUNT: usize = 56;
    /// The segment that names the dynamic linker.
    pub const INTERPRETER: u32 = 3;
}

impl Nature {
    fn of(path: &Path) -> Self {
        let Ok(file) = File::open(path) else { return Self::WithMpi };
        if file.metadata().is_ok_and(|data| data.permissions().mode() & SET_ID != 0) {
            return Self::SetUid;
        }
        let mut header = [0; elf::HEADER];
        if file.read_exact_at(&mut header, 0).is_err() || !header.starts_with(&elf::MARK) {
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

/// Class, byte order and machine are those of this very program.
fn is_for_this_machine(header: &[u8]) -> bool {
    let mut own = [0; elf::IDENTITY];
    let read = File::open("/proc/self/exe").and_then(|file| file.read_exact_at(&mut own, 0));
    let differs = |place: usize| !elf::KIND.contains(&place) && own[place] != header[place];
    read.is_err() || !(0..elf::IDENTITY).any(differs)
}

/// Does the program ask for a dynamic linker?
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

/// Is the name of MPI's first function in it, or that of Fortran's?
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
        // A name may lie across the border.
        kept = filled.min(longest - 1);
        window.copy_within(filled - kept..filled, 0);
    }
    // What cannot be read may be anything.
    true
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn with(content: &[u8], mode: u32) -> Nature {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        Nature::of(&path)
    }

    #[test]
    fn files_are_told_apart() {
        let own = fs::read("/proc/self/exe").unwrap();
        assert_eq!(with(b"#!/bin/sh\necho MPI_Init\n", 0o755), Nature::Script);
        assert_eq!(with(&own, 0o755), Nature::WithMpi);
        assert_eq!(with(&own, 0o4755), Nature::SetUid);
        assert_eq!(Nature::of(Path::new("/bin/true")), Nature::WithoutMpi);
        let mut other = own.clone();
        other[18] ^= 0xff;
        assert_eq!(with(&other, 0o755), Nature::OtherMachine);
        let mut without_segments = own;
        without_segments[elf::SEGMENT_COUNT..elf::SEGMENT_COUNT + 2].fill(0);
        assert_eq!(with(&without_segments, 0o755), Nature::Static);
    }

    #[test]
    fn a_name_across_a_border_is_found() {
        let mut content = fs::read("/bin/true").unwrap();
        content.resize(1 << 20, 0);
        content.truncate((1 << 20) - 3);
        content.extend_from_slice(b"MPI_Init_thread");
        assert_eq!(with(&content, 0o755), Nature::WithMpi);
    }
}
