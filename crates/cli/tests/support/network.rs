//! A network on which tests run the jobs of all MPIs.

use std::process::Command;

use tempfile::TempDir;

use super::lan::{Hosts, Limit};
use crate::job::Job;
use crate::mpis::{Family, Mpi};

/// What each host may send, in bytes a second.
pub const RATE: u64 = 200_000_000 / 8;
/// What it may send at once before that, in bytes.
pub const BURST: u64 = 16 << 10;

/// Hosts with names and addresses, on one network. All is gone when this is dropped.
pub struct Network {
    hosts: Hosts,
    _folder: TempDir,
}

impl Network {
    /// So many hosts. Where that is not allowed, it is said, and the test has nothing to do.
    pub fn new(hosts: usize) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a directory");
        match Hosts::new(hosts, Limit { rate: RATE, burst: BURST }, folder.path()) {
            Ok(hosts) => Some(Self { hosts, _folder: folder }),
            Err(why) => {
                eprintln!("skipped: hosts cannot be made here, which takes the rights of root: {why}");
                None
            }
        }
    }

    /// A job of `panto` on all hosts, started from the first.
    pub fn job(&self, mpi: &Mpi, ranks_a_host: usize) -> Job {
        let launcher = self.command(mpi.launcher().expect("asked before whether it is here"));
        let options = self.options(mpi, ranks_a_host);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        mpi.job_by(launcher, ranks_a_host * self.hosts.names().len(), &options)
    }

    /// A command on the first host.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        self.hosts.command(program)
    }

    /// What a launcher must be told to start so many ranks on each host.
    pub fn options(&self, mpi: &Mpi, ranks_a_host: usize) -> Vec<String> {
        let (agent, slots) = (self.hosts.agent(), self.hosts.slots(usize::MAX, ranks_a_host));
        let options: &[&str] = match mpi.family {
            Family::Mpich | Family::Intel => {
                &["-launcher", "ssh", "-launcher-exec", &agent, "-hosts", &slots]
            }
            Family::OpenMpi4 => &["--mca", "plm_rsh_agent", &agent, "--host", &slots],
            Family::OpenMpi5 => &["--prtemca", "plm_ssh_agent", &agent, "--host", &slots],
        };
        options.iter().map(ToString::to_string).collect()
    }

    /// Pulls the cable of a host, whose number is its place.
    pub fn cut_off(&self, host: usize) {
        self.hosts.cut_off(host);
    }

    /// The names of the hosts.
    pub fn names(&self) -> Vec<&str> {
        self.hosts.names()
    }
}
