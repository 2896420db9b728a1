//! Cold caches: evicts memory from all caches (T4).
//!
//! Where the processor has an instruction for it, line by line: a last-level cache may be larger
//! than any buffer that one would want to read. Elsewhere by reading a buffer larger than the
//! last-level cache, which displaces most of its content.

use std::hint::black_box;

/// Assumed bytes of a cache line. Where lines are longer, some are evicted twice.
const LINE: usize = 64;

/// Size of the displacing buffer, in sizes of the last-level cache.
const DISPLACE_FACTOR: usize = 2;

/// Assumed bytes of the last-level cache where the system does not report it: larger than most.
const DEFAULT_CACHE: usize = 64 << 20;

/// Assumed bytes of the second-level cache where the system does not report it.
const DEFAULT_SECOND_LEVEL: usize = 4 << 20;

/// Evicts memory from all caches.
#[derive(Debug)]
pub struct Evictor {
    method: Method,
}

#[derive(Debug)]
enum Method {
    /// Flushes each line with an instruction.
    #[cfg(target_arch = "x86_64")]
    FlushLines(flush::Instruction),
    /// Reads this other memory.
    Displace(Vec<u8>),
}

impl Default for Evictor {
    fn default() -> Self {
        #[cfg(target_arch = "x86_64")]
        let method = Method::FlushLines(flush::Instruction::best());
        #[cfg(not(target_arch = "x86_64"))]
        let Self { method } = Self::displacing();
        Self { method }
    }
}

impl Evictor {
    /// Returns an evictor that reads through this system's last-level cache, on any processor.
    pub fn displacing() -> Self {
        Self { method: Method::Displace(vec![1; DISPLACE_FACTOR * last_level_cache()]) }
    }

    /// Returns an evictor that invalidates the second-level cache of its core, as COMMTEST does, by
    /// reading twice its size. Larger caches keep what they hold.
    pub fn second_level() -> Self {
        let bytes = largest_cache(|level| level == 2).unwrap_or(DEFAULT_SECOND_LEVEL);
        Self { method: Method::Displace(vec![1; DISPLACE_FACTOR * bytes]) }
    }

    /// Evicts this memory. Its content does not change.
    pub fn evict(&self, memory: &[u8]) {
        match &self.method {
            #[cfg(target_arch = "x86_64")]
            Method::FlushLines(instruction) => instruction.flush(memory),
            Method::Displace(other) => {
                black_box(other.iter().step_by(LINE).fold(0_u8, |sum, byte| sum.wrapping_add(*byte)));
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod flush {
    use std::arch::asm;
    use std::arch::x86_64::{__cpuid_count, _mm_clflush, _mm_mfence};

    use super::LINE;

    /// The instruction that evicts a line.
    #[derive(Debug, Clone, Copy)]
    pub(super) enum Instruction {
        /// On every x86-64 processor; executed one after the other.
        Clflush,
        /// On newer processors; several execute at once.
        Clflushopt,
    }

    impl Instruction {
        pub(super) fn best() -> Self {
            // CPUID leaf 7, bit 23 of EBX (Intel's manual, volume 2A).
            const OPT: u32 = 1 << 23;
            let features = if __cpuid_count(0, 0).eax >= 7 { __cpuid_count(7, 0).ebx } else { 0 };
            if features & OPT == 0 { Self::Clflush } else { Self::Clflushopt }
        }

        pub(super) fn flush(self, memory: &[u8]) {
            // The first and the last line may be shared with other memory, which is evicted as
            // well.
            let lines = memory.chunks(LINE).map(<[u8]>::as_ptr).chain(memory.last().map(std::ptr::from_ref));
            for line in lines {
                match self {
                    // SAFETY: `line` is the address of a borrowed byte, and flushing does not
                    // change it.
                    Self::Clflush => unsafe { _mm_clflush(line) },
                    // SAFETY: as above, and CPUID reports the instruction.
                    Self::Clflushopt => unsafe {
                        asm!("clflushopt [{0}]", in(reg) line, options(nostack, preserves_flags));
                    },
                }
            }
            // SAFETY: SSE2 is part of x86-64. The fence waits until all lines are flushed.
            unsafe { _mm_mfence() };
        }
    }
}

/// Returns the bytes of the largest cache of the first processor, as Linux reports it.
fn last_level_cache() -> usize {
    largest_cache(|_| true).unwrap_or(DEFAULT_CACHE)
}

/// Returns the bytes of the largest cache of the first core at the wanted levels; `None` where the
/// system does not report any.
fn largest_cache(is_wanted: impl Fn(u32) -> bool) -> Option<usize> {
    let file = |index: usize, name: &str| {
        std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}")).ok()
    };
    let caches = (0..8).map_while(|index| Some((file(index, "level")?, file(index, "size")?)));
    let wanted = caches.filter(|(level, _)| level.trim().parse().is_ok_and(&is_wanted));
    wanted.filter_map(|(_, size)| parse_size(&size)).max()
}

/// Parses a size as Linux writes it, such as `32768K`.
fn parse_size(text: &str) -> Option<usize> {
    let text = text.trim();
    let (number, factor) = match text.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => text.strip_suffix('M').map_or((text, 1), |number| (number, 1 << 20)),
    };
    number.parse::<usize>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_survives() {
        let memory: Vec<u8> = (0..10_000).map(|i| (i % 251) as u8).collect();
        let small = Evictor { method: Method::Displace(vec![1; 1 << 20]) };
        for evictor in [Evictor::default(), small] {
            for part in [&memory[..], &memory[3..70], &memory[9_999..], &[]] {
                evictor.evict(part);
            }
            assert!(memory.iter().enumerate().all(|(i, byte)| *byte == (i % 251) as u8));
        }
    }

    #[test]
    fn sizes_as_linux_writes_them() {
        assert_eq!(parse_size("48K\n"), Some(48 << 10));
        assert_eq!(parse_size("260M"), Some(260 << 20));
        assert_eq!(parse_size("512"), Some(512));
        assert_eq!(parse_size("many"), None);
    }
}
