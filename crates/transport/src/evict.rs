//! Cold caches: memory that no cache holds any more (T4).
//!
//! Line by line, where the processor lets programs do that: a last-level cache may be larger than any buffer that one would like to
//! read through. Elsewhere a buffer larger than the last-level cache is read, which displaces most of what was there.

use std::hint::black_box;

/// Bytes of a cache line. Where lines are longer, some are evicted twice.
const LINE: usize = 64;

/// How much larger than the last-level cache a buffer is that displaces its content.
const MARGIN: usize = 2;

/// The last-level cache where the system does not tell its size: larger than most.
const USUAL_CACHE: usize = 64 << 20;

/// Evicts memory from all caches.
#[derive(Debug)]
pub struct Evictor {
    way: Way,
}

#[derive(Debug)]
enum Way {
    /// Each line by an instruction.
    #[cfg(target_arch = "x86_64")]
    ByLine(flush::Instruction),
    /// By reading other memory.
    Displacing(Vec<u8>),
}

impl Default for Evictor {
    fn default() -> Self {
        #[cfg(target_arch = "x86_64")]
        let way = Way::ByLine(flush::Instruction::best());
        #[cfg(not(target_arch = "x86_64"))]
        let Self { way } = Self::displacing();
        Self { way }
    }
}

impl Evictor {
    /// One that reads through this system's last-level cache, on any processor.
    pub fn displacing() -> Self {
        Self { way: Way::Displacing(vec![1; MARGIN * last_level_cache()]) }
    }

    /// Evicts this memory. Its content stays as it is.
    pub fn evict(&self, memory: &[u8]) {
        match &self.way {
            #[cfg(target_arch = "x86_64")]
            Way::ByLine(instruction) => instruction.flush(memory),
            Way::Displacing(other) => {
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
        /// Every processor of this architecture has it; each waits for the one before.
        Clflush,
        /// Newer ones have this too, several at once.
        Clflushopt,
    }

    impl Instruction {
        pub(super) fn best() -> Self {
            // Leaf 7 tells in bit 23 of EBX (Intel's manual, volume 2A, CPUID).
            const OPT: u32 = 1 << 23;
            let features = if __cpuid_count(0, 0).eax >= 7 { __cpuid_count(7, 0).ebx } else { 0 };
            if features & OPT == 0 { Self::Clflush } else { Self::Clflushopt }
        }

        pub(super) fn flush(self, memory: &[u8]) {
            // The first and the last line may be shared with other memory, which is evicted as well.
            let lines = memory.chunks(LINE).map(<[u8]>::as_ptr).chain(memory.last().map(std::ptr::from_ref));
            for line in lines {
                match self {
                    // SAFETY: the address is that of a byte that is borrowed; its value does not change.
                    Self::Clflush => unsafe { _mm_clflush(line) },
                    // SAFETY: the same, and the processor has said that it knows the instruction.
                    Self::Clflushopt => unsafe {
                        asm!("clflushopt [{0}]", in(reg) line, options(nostack, preserves_flags));
                    },
                }
            }
            // SAFETY: waits until all lines are gone; every processor of this architecture has it.
            unsafe { _mm_mfence() };
        }
    }
}

/// Bytes of the largest cache of the first processor, as Linux tells.
fn last_level_cache() -> usize {
    let folder = "/sys/devices/system/cpu/cpu0/cache";
    let size = |index: usize| std::fs::read_to_string(format!("{folder}/index{index}/size")).ok();
    let sizes = (0..8).map_while(size).filter_map(|text| parse_size(&text));
    sizes.max().unwrap_or(USUAL_CACHE)
}

/// `32768K`, as Linux writes it.
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
        let small = Evictor { way: Way::Displacing(vec![1; 1 << 20]) };
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
