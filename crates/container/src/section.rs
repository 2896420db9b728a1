//! Sections: stretches of bytes that are packed by LZ4 where that makes them shorter.
//!
//! A block's header holds two lengths for each section, as it is and as it is stored. Equal lengths
//! mean that the section is stored as it is.

use crate::damage::Sound;

/// The most bytes of a section, so that no file makes a reader allocate more. 64 MiB is far above
/// what writers produce: they end a block after some ten thousand records.
pub const MAX_BYTES: usize = 1 << 26;

/// Appends a section, packed if it has at least `worth_packing` bytes and packing makes it shorter.
/// Returns its length as stored, in bytes.
pub fn pack(bytes: &[u8], worth_packing: usize, out: &mut Vec<u8>) -> usize {
    let start = out.len();
    if bytes.len() >= worth_packing {
        out.resize(start + lz4_flex::block::get_maximum_output_size(bytes.len()), 0);
        match lz4_flex::block::compress_into(bytes, &mut out[start..]) {
            Ok(length) if length < bytes.len() => {
                out.truncate(start + length);
                return length;
            }
            _ => out.truncate(start),
        }
    }
    out.extend_from_slice(bytes);
    bytes.len()
}

/// Unpacks a stored section of `full` bytes into a buffer, whose content is replaced.
pub fn unpack(stored: &[u8], full: usize, into: &mut Vec<u8>) -> Sound<()> {
    into.clear();
    if full == stored.len() {
        into.extend_from_slice(stored);
        return Ok(());
    }
    into.resize(full, 0);
    match lz4_flex::block::decompress_into(stored, into) {
        Ok(unpacked) if unpacked == full => Ok(()),
        _ => Err("a section cannot be unpacked"),
    }
}

/// Returns whether the two lengths of a section are possible.
pub fn is_possible(full: u32, stored: u32) -> bool {
    full as usize <= MAX_BYTES && stored <= full
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(bytes: &[u8]) -> usize {
        let (mut out, mut back) = (vec![9], Vec::new());
        let stored = pack(bytes, 32, &mut out);
        assert_eq!(out.len(), 1 + stored);
        unpack(&out[1..], bytes.len(), &mut back).expect("a sound section");
        assert_eq!(back, bytes);
        stored
    }

    #[test]
    fn sections_are_read_back_and_packed_where_it_pays() {
        assert_eq!(round_trip(&[]), 0);
        assert_eq!(round_trip(&[1; 31]), 31);
        assert!(round_trip(&[1; 1000]) < 100);
        let random: Vec<u8> = (0_u32..1000).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        assert!(round_trip(&random) <= 1000);
    }

    #[test]
    fn cut_sections_are_refused() {
        let mut out = Vec::new();
        pack(&[1; 1000], 32, &mut out);
        out.pop();
        assert!(unpack(&out, 1000, &mut Vec::new()).is_err());
    }
}
