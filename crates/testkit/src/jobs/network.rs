//! A network of simulated hosts on which tests run MPI jobs.

use std::process::Command;

use tempfile::TempDir;

use super::job::Job;
use super::mpis::{Family, Mpi};
use crate::hosts::lan::{Hosts, Limit};

/// The send rate of each host, in bytes per second.
pub const RATE: u64 = 200_000_000 / 8;
/// The burst size of each host, in bytes.
pub const BURST: u64 = 16 << 10;

/// Hosts with names and addresses on one network, which is removed when this is dropped.
pub struct Network {
    hosts: Hosts,
    _folder: TempDir,
}

impl Network {
    /// Creates a network of `hosts` hosts; without permission, prints that the test is skipped.
    pub fn new(hosts: usize) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a directory");
        match Hosts::new(hosts, Limit { rate: RATE, burst: BURST }, folder.path()) {
            Ok(hosts) => Some(Self { hosts, _folder: folder }),
            Err(why) => {
                eprintln!("skipped: creating hosts needs root: {why}");
                None
            }
        }
    }

    /// Creates a job of `panto` on all hosts, launched from the first.
    pub fn job(&self, mpi: &Mpi, ranks_per_host: usize) -> Job {
        let launcher = self.command(mpi.launcher().expect("the caller checked is_installed"));
        let options = self.options(mpi, ranks_per_host);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        mpi.job_with_launcher(launcher, ranks_per_host * self.hosts.names().len(), &options)
    }

    /// Creates a command that runs on the first host.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        self.hosts.command(program)
    }

    /// Returns the launcher options for `ranks_per_host` ranks on each host.
    pub fn options(&self, mpi: &Mpi, ranks_per_host: usize) -> Vec<String> {
        let (agent, slots) = (self.hosts.agent(), self.hosts.slots(usize::MAX, ranks_per_host));
        let options: &[&str] = match mpi.family {
            Family::Mpich | Family::Intel => {
                &["-launcher", "ssh", "-launcher-exec", &agent, "-hosts", &slots]
            }
            Family::OpenMpi4 => &["--mca", "plm_rsh_agent", &agent, "--host", &slots],
            Family::OpenMpi5 => &["--prtemca", "plm_ssh_agent", &agent, "--host", &slots],
        };
        options.iter().map(ToString::to_string).collect()
    }

    /// Disconnects a host, given by its index.
    pub fn disconnect(&self, host: usize) {
        self.hosts.disconnect(host);
    }

    /// Returns the names of the hosts.
    pub fn names(&self) -> Vec<&str> {
        self.hosts.names()
    }
}
