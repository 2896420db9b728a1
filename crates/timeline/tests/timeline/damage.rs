//! Damaged files: reading one gives an error, or a prefix of the intact content; never other
//! content, never a silent loss, never a panic.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use panto_timeline::{Error, Timeline};

use crate::support::{Seen, few, read, write};

/// Reads all that is readable of a file and compares it with the intact content. Returns the
/// errors.
fn check(path: &Path, sound: &Seen, context: &str) -> Vec<String> {
    let timeline = match Timeline::open(path) {
        Ok(timeline) => timeline,
        Err(error) => return vec![error.to_string()],
    };
    let (seen, errors) = read(&timeline);
    assert_eq!(seen.states.len(), sound.states.len(), "{context}: other ranks");
    let comes_first = seen.states.iter().zip(&sound.states).all(|(seen, sound)| sound.starts_with(seen))
        && seen.messages.iter().zip(&sound.messages).all(|(seen, sound)| sound.starts_with(seen));
    assert!(comes_first, "{context}: something else");
    assert_eq!(timeline.summary().is_err(), !errors.is_empty(), "{context}: a summary of damage");
    let told: Vec<String> = timeline.damage().into_iter().chain(&errors).map(Error::to_string).collect();
    assert!(!told.is_empty() || seen == *sound, "{context}: something is lost in silence");
    told
}

/// Returns whether an error message names the file, the position and a remedy.
fn is_clear(told: &str, path: &Path) -> bool {
    let place = [" byte ", "not a timeline", "version "];
    let remedy = ["simulate again", "panto simulate", "use a newer panto"];
    told.contains(&*path.to_string_lossy())
        && place.iter().any(|part| told.contains(part))
        && remedy.iter().any(|part| told.contains(part))
}

fn small(folder: &Path) -> (Vec<u8>, Seen) {
    let path = folder.join("sound.ptl");
    let (about, events) = few();
    let (_, sound) = write(&path, &about, 0, &events);
    assert!(check(&path, &sound, "sound").is_empty());
    (std::fs::read(path).expect("it was written"), sound)
}

/// Writes the bytes to a file that is then damaged in place: rewriting it each time would wait for
/// the disk.
fn copy(path: &Path, bytes: &[u8]) -> File {
    std::fs::write(path, bytes).expect("a file");
    File::options().write(true).open(path).expect("it was written")
}

#[test]
fn truncated_at_every_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bytes, sound) = small(folder.path());
    let path = folder.path().join("cut");
    let file = copy(&path, &bytes);
    let mut most = 0;
    for length in (0..bytes.len()).rev() {
        file.set_len(length as u64).expect("it can be cut");
        let told = check(&path, &sound, &format!("{length} bytes"));
        assert!(!told.is_empty(), "{length} bytes: no error was reported");
        for told in told {
            assert!(is_clear(&told, &path), "{length} bytes: {told}");
            assert!(length == 0 || told.contains("incomplete"), "{length} bytes: {told}");
        }
        if let Ok(timeline) = Timeline::open(&path) {
            most = most.max(timeline.counts().0);
        }
    }
    assert_eq!(most, 3 * 48, "cut behind the last block nothing is lost");
}

#[test]
fn every_flipped_bit() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bytes, sound) = small(folder.path());
    let path = folder.path().join("flipped");
    let file = copy(&path, &bytes);
    let mut unnoticed = Vec::new();
    for (place, byte) in bytes.iter().enumerate() {
        for bit in 0..8 {
            file.write_all_at(&[byte ^ 1 << bit], place as u64).expect("it can be written");
            let context = format!("bit {bit} of byte {place}");
            let told = check(&path, &sound, &context);
            if told.is_empty() {
                unnoticed.push(context);
            }
            for told in told {
                assert!(is_clear(&told, &path), "bit {bit} of byte {place}: {told}");
            }
        }
        file.write_all_at(&[*byte], place as u64).expect("it can be written");
    }
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}

#[test]
fn bytes_in_the_middle_that_are_lost_or_doubled() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bytes, sound) = small(folder.path());
    let path = folder.path().join("shifted");
    for start in (0..bytes.len()).step_by(13) {
        for length in [1, 48, 200] {
            let end = (start + length).min(bytes.len());
            let lost = [&bytes[..start], &bytes[end..]].concat();
            let doubled = [&bytes[..end], &bytes[start..]].concat();
            for changed in [lost, doubled] {
                copy(&path, &changed);
                let told = check(&path, &sound, &format!("{length} bytes at {start}"));
                assert!(!told.is_empty(), "{length} bytes at {start}: no error was reported");
            }
        }
    }
}

#[test]
fn a_newer_version_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut bytes, sound) = small(folder.path());
    let path = folder.path().join("newer");
    bytes[8..12].copy_from_slice(&2_u32.to_le_bytes());
    let checksum = panto_container::checksum(&[&bytes[..24]]);
    bytes[24..28].copy_from_slice(&checksum.to_le_bytes());
    copy(&path, &bytes);
    let told = check(&path, &sound, "newer").concat();
    assert!(told.contains("version 2") && told.contains("newer panto"), "{told}");
    assert!(Timeline::recognises(&path));
}

#[test]
fn something_else_is_no_timeline() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("else");
    for bytes in [b"".as_slice(), b"PANTO-TR and so on, for more than a head's length", b"{}", &[0; 100]] {
        copy(&path, bytes);
        assert!(matches!(Timeline::open(&path), Err(Error::NotATimeline { .. })), "{bytes:?}");
        assert!(!Timeline::recognises(&path));
    }
    assert!(matches!(Timeline::open(folder.path()), Err(Error::NotATimeline { .. })));
    assert!(matches!(Timeline::open(&folder.path().join("nothing")), Err(Error::Io { .. })));
    assert!(!Timeline::recognises(folder.path()));
    let (bytes, _) = small(folder.path());
    copy(&path, &bytes);
    assert!(Timeline::recognises(&path));
}
