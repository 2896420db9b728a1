//! The versions of symbols that an ELF file needs of shared libraries, such as `GLIBC_2.17` of
//! `libc.so.6`: the dynamic linker refuses a program if one of them is missing.
//!
//! They are in the section `.gnu.version_r` ("Linux Standard Base Core Specification 5.0", 10.7):
//! a list of libraries, each with a list of versions, both linked by offsets. Only 64-bit
//! little-endian files are read, which all targets of `cargo xtask dist` are.

use std::fmt;

/// The type of the section with the needed versions.
const SHT_GNU_VERNEED: u32 = 0x6fff_fffe;

/// A version of symbols that a library must have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NeededVersion {
    /// The file name of the library.
    pub library: String,
    /// The version, such as `GLIBC_2.17`.
    pub version: String,
}

impl fmt::Display for NeededVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.version, self.library)
    }
}

impl NeededVersion {
    /// Returns whether a glibc of this version lacks it. Versions of other libraries are never
    /// lacking: `libgcc_s.so.1` has its own.
    pub fn is_newer_than(&self, glibc: (u32, u32)) -> bool {
        let Some(numbers) = self.version.strip_prefix("GLIBC_") else { return false };
        let mut numbers = numbers.split('.').map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => (major, minor) > glibc,
            // `GLIBC_PRIVATE`, which differs between all versions.
            _ => true,
        }
    }
}

/// The first bytes of a 64-bit little-endian file.
const MAGIC: &[u8] = b"\x7fELF\x02\x01";

/// Returns the first file of this kind inside another, to its end; one that needs a library.
pub fn embedded(file: &[u8]) -> Option<&[u8]> {
    let inside = (1..file.len()).filter(|at| file[*at..].starts_with(MAGIC)).map(|at| &file[at..]);
    inside.into_iter().find(|inside| needed_versions(inside).is_some_and(|versions| !versions.is_empty()))
}

/// Returns the versions that a file needs, or `None` if it is not an ELF file of this kind.
pub fn needed_versions(file: &[u8]) -> Option<Vec<NeededVersion>> {
    let (table, count) = (file.starts_with(MAGIC).then(|| u64_at(file, 0x28))??, u16_at(file, 0x3c)?);
    let section = |index: u64| Section::read(file, table.checked_add(index * Section::BYTES)?);
    let sections: Vec<Section> = (0..u64::from(count)).map(section).collect::<Option<_>>()?;
    let Some(needed) = sections.iter().find(|section| section.kind == SHT_GNU_VERNEED) else {
        return Some(Vec::new());
    };
    let names = sections.get(needed.link as usize)?;
    let mut versions = Vec::new();
    for (library_at, count) in libraries(file, needed)? {
        let library = text(file, names, u32_at(file, library_at + 4)?)?;
        let mut at = library_at.checked_add(u64::from(u32_at(file, library_at + 8)?))?;
        for _ in 0..count {
            let version = text(file, names, u32_at(file, at + 8)?)?;
            versions.push(NeededVersion { library: library.clone(), version });
            at = at.checked_add(u64::from(u32_at(file, at + 12)?))?;
        }
    }
    versions.sort();
    Some(versions)
}

/// Returns the offset of each library's entry, and the number of its versions.
fn libraries(file: &[u8], needed: &Section) -> Option<Vec<(u64, u16)>> {
    let mut at = needed.offset;
    let mut found = Vec::new();
    for _ in 0..needed.info {
        found.push((at, u16_at(file, at + 2)?));
        at = at.checked_add(u64::from(u32_at(file, at + 12)?))?;
    }
    Some(found)
}

/// A row of the table of sections.
struct Section {
    kind: u32,
    offset: u64,
    /// The section of its names.
    link: u32,
    /// The number of its entries.
    info: u32,
}

impl Section {
    const BYTES: u64 = 64;

    fn read(file: &[u8], at: u64) -> Option<Self> {
        Some(Self {
            kind: u32_at(file, at + 4)?,
            offset: u64_at(file, at + 0x18)?,
            link: u32_at(file, at + 0x28)?,
            info: u32_at(file, at + 0x2c)?,
        })
    }
}

/// Returns the text at an offset of a section of names.
fn text(file: &[u8], names: &Section, at: u32) -> Option<String> {
    let start = usize::try_from(names.offset.checked_add(u64::from(at))?).ok()?;
    let bytes = file.get(start..)?;
    let end = bytes.iter().position(|byte| *byte == 0)?;
    String::from_utf8(bytes[..end].to_vec()).ok()
}

fn bytes_at<const N: usize>(file: &[u8], at: u64) -> Option<[u8; N]> {
    let at = usize::try_from(at).ok()?;
    file.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(file: &[u8], at: u64) -> Option<u16> {
    bytes_at(file, at).map(u16::from_le_bytes)
}

fn u32_at(file: &[u8], at: u64) -> Option<u32> {
    bytes_at(file, at).map(u32::from_le_bytes)
}

fn u64_at(file: &[u8], at: u64) -> Option<u64> {
    bytes_at(file, at).map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn this_program() -> Vec<u8> {
        std::fs::read(std::env::current_exe().unwrap()).unwrap()
    }

    #[test]
    fn a_program_needs_versions_of_the_c_library() {
        let versions = needed_versions(&this_program()).unwrap();
        let of_libc = |needed: &&NeededVersion| needed.library == "libc.so.6";
        assert!(versions.iter().filter(of_libc).count() > 1, "{versions:?}");
        assert!(versions.iter().filter(of_libc).all(|needed| needed.version.starts_with("GLIBC_")));
        assert!(versions.iter().any(|needed| needed.is_newer_than((2, 1))));
        assert!(!versions.iter().any(|needed| needed.is_newer_than((9, 0))));
    }

    #[test]
    fn a_library_inside_a_file_is_found() {
        let program = this_program();
        let outer = [b"\x7fELF\x02\x01 is not one by itself".as_slice(), &program].concat();
        let inner = embedded(&outer).unwrap();
        assert_eq!(needed_versions(inner), needed_versions(&program));
        assert_eq!(embedded(b"\x7fELF\x02\x01"), None);
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        let needed = |version: &str| NeededVersion { library: "libc.so.6".into(), version: version.into() };
        for old in ["GLIBC_2.2.5", "GLIBC_2.9", "GLIBC_2.17", "GCC_4.2.0"] {
            assert!(!needed(old).is_newer_than((2, 17)), "{old}");
        }
        for new in ["GLIBC_2.18", "GLIBC_2.34", "GLIBC_3.0", "GLIBC_PRIVATE"] {
            assert!(needed(new).is_newer_than((2, 17)), "{new}");
        }
    }

    #[test]
    fn other_files_and_cut_ones_are_no_programs() {
        assert_eq!(needed_versions(b"#!/bin/sh\n"), None);
        assert_eq!(needed_versions(b"\x7fELF\x02\x01"), None);
        let program = this_program();
        assert_eq!(needed_versions(&program[..program.len() / 2]), None);
    }
}
