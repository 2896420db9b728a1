//! A limit of the CPU time of a process, by a control group of the kernel.

use std::fs;
use std::path::{Path, PathBuf};

/// CPU time in microseconds that the process may use in each period: six tenths of two cores.
const QUOTA: u32 = 120_000;
/// The period in microseconds: the kernel's default.
const PERIOD: u32 = 100_000;

/// A control group that limits one process; removed when dropped.
pub struct CpuLimit(PathBuf);

impl CpuLimit {
    /// Limits a process; `None` where control groups may not be made.
    pub fn new(process: u32) -> Option<Self> {
        let limit = Self::unused()?;
        fs::write(limit.0.join("cgroup.procs"), process.to_string()).ok()?;
        Some(limit)
    }

    /// Returns whether control groups may be made here.
    pub fn is_possible() -> bool {
        Self::unused().is_some()
    }

    /// Returns a control group with the limit, and without a process.
    fn unused() -> Option<Self> {
        let name = format!("panto-noise-{}", std::process::id());
        let (first, second) =
            (Path::new("/sys/fs/cgroup/cpu").join(&name), Path::new("/sys/fs/cgroup").join(&name));
        // Version 1 of the kernel's interface has a folder for the CPU.
        if first.parent().is_some_and(Path::exists) {
            fs::create_dir(&first).ok()?;
            let limit = Self(first);
            fs::write(limit.0.join("cpu.cfs_period_us"), PERIOD.to_string()).ok()?;
            fs::write(limit.0.join("cpu.cfs_quota_us"), QUOTA.to_string()).ok()?;
            return Some(limit);
        }
        fs::create_dir(&second).ok()?;
        let limit = Self(second);
        fs::write(limit.0.join("cpu.max"), format!("{QUOTA} {PERIOD}")).ok()?;
        Some(limit)
    }
}

impl Drop for CpuLimit {
    fn drop(&mut self) {
        // The process has ended, so the group is empty.
        let _ = fs::remove_dir(&self.0);
    }
}
