//! Little-endian numbers at fixed offsets.

/// Returns the 32-bit number at an offset.
///
/// # Panics
/// If fewer than four bytes are there.
#[inline]
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Returns the 64-bit number at an offset.
///
/// # Panics
/// If fewer than eight bytes are there.
#[inline]
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
