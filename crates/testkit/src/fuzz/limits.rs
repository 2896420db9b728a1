//! What reading an input takes: processor time of this thread, and peak memory of the process.
//!
//! Linux tells both in `/proc`, where the peak can be reset. Elsewhere nothing is limited.

/// Processor time that any input may take, in nanoseconds, however short it is.
const LEAST_CPU_NS: u64 = 2_000_000_000;

/// Processor time for each byte of an input, in nanoseconds.
const CPU_NS_PER_BYTE: u64 = 20_000;

/// Memory that any input may take, in bytes.
const LEAST_MEMORY: u64 = 32 << 20;

/// Memory for each byte of an input: packed sections are 255 times as long as they are stored, and
/// what is made of a byte takes some words.
const MEMORY_PER_BYTE: u64 = 4_096;

/// Time and memory at a moment.
pub struct Usage {
    cpu_ns: Option<u64>,
    memory: Option<u64>,
}

impl Usage {
    /// Returns the usage so far, and resets the peak.
    pub fn now() -> Self {
        let memory = std::fs::write("/proc/self/clear_refs", "5").ok().and_then(|()| peak());
        Self { cpu_ns: cpu_ns(), memory }
    }

    /// Returns what an input of this length took too much of since then.
    pub fn excess(&self, length: usize) -> Option<String> {
        let length = length as u64;
        let since = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        let cpu = since(cpu_ns(), self.cpu_ns).filter(|ns| *ns > LEAST_CPU_NS + CPU_NS_PER_BYTE * length);
        let memory = self.memory.and_then(|_| since(peak(), self.memory));
        let memory = memory.filter(|bytes| *bytes > LEAST_MEMORY + MEMORY_PER_BYTE * length);
        let cpu = cpu.map(|ns| format!("{length} bytes took {} ms of processor time", ns / 1_000_000));
        cpu.or_else(|| memory.map(|bytes| format!("{length} bytes took {} MiB of memory", bytes >> 20)))
    }
}

/// Returns the processor time of this thread.
fn cpu_ns() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Returns the most memory that was resident since the last reset, in bytes.
fn peak() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib << 10)
}
