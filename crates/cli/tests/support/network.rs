//! A few hosts and the switch between them, made of namespaces of this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;

use super::namespace::Namespace;
use crate::job::Job;
use crate::mpis::{Family, Mpi};

/// What each host may send, in bytes a second.
pub const RATE: u64 = 200_000_000 / 8;
/// What it may send at once before that, in bytes.
pub const BURST: u64 = 16 << 10;

/// How many there have been in this process.
static NETWORKS: AtomicUsize = AtomicUsize::new(0);

/// Hosts with names and addresses, on one network. All is gone when this is dropped.
pub struct Network {
    hosts: Vec<Host>,
    /// Outlives the hosts, whose cables end in it.
    switch: Namespace,
    folder: TempDir,
}

struct Host {
    name: String,
    namespace: Namespace,
}

impl Network {
    /// So many hosts. Where that is not allowed, it is said, and the test has nothing to do.
    pub fn new(hosts: usize) -> Option<Self> {
        match Self::parts(hosts) {
            Ok(network) => {
                network.configure();
                Some(network)
            }
            Err(why) => {
                eprintln!("skipped: hosts cannot be made here, which takes the rights of root: {why}");
                None
            }
        }
    }

    /// The namespaces and the cables: what may be forbidden.
    fn parts(count: usize) -> Result<Self, String> {
        let switch = Namespace::new()?;
        switch.run("ip link add bridge type bridge")?;
        switch.run("ip link set bridge up")?;
        // MPIs name files after the host, and several tests may run at once.
        let mark = format!("{}-{}", std::process::id(), NETWORKS.fetch_add(1, Ordering::Relaxed));
        let mut hosts = Vec::new();
        for number in 1..=count {
            let namespace = Namespace::new()?;
            let inside = namespace.pid();
            switch.run(&format!("ip link add port{number} type veth peer name eth0 netns {inside}"))?;
            switch.run(&format!("ip link set port{number} master bridge up"))?;
            hosts.push(Host { name: format!("host{number}-{mark}"), namespace });
        }
        Ok(Self { hosts, switch, folder: tempfile::tempdir().expect("a directory") })
    }

    /// Names, addresses and the limit of the rate.
    fn configure(&self) {
        let table = self.file("hosts");
        let lines =
            self.hosts.iter().zip(1..).map(|(host, number)| format!("10.0.0.{number} {}\n", host.name));
        fs::write(&table, format!("127.0.0.1 localhost\n{}", lines.collect::<String>())).expect("writable");
        for (host, number) in self.hosts.iter().zip(1..) {
            let run = |line: &str| host.namespace.run(line).unwrap_or_else(|why| panic!("{why}"));
            run(&format!("hostname {}", host.name));
            run(&format!("mount --bind {} /etc/hosts", table.display()));
            run("ip link set lo up");
            run(&format!("ip address add 10.0.0.{number}/24 dev eth0"));
            run("ip link set eth0 up");
            let rate = RATE * 8;
            run(&format!("tc qdisc add dev eth0 root tbf rate {rate}bit burst {BURST}b latency 100ms"));
            fs::write(self.file(&host.name), host.namespace.pid().to_string()).expect("writable");
        }
        self.write_agent();
    }

    /// What launchers call instead of ssh: options, a host, and a command.
    fn write_agent(&self) {
        let folder = self.folder.path().display();
        let text = format!(
            "#!/bin/sh\n\
             while [ \"${{1#-}}\" != \"$1\" ]; do shift; done\n\
             host=$1; shift\n\
             exec nsenter --target \"$(cat '{folder}'/\"$host\")\" --net --uts --mount --ipc -- /bin/sh -c \"$*\"\n"
        );
        let agent = self.file("agent");
        fs::write(&agent, text).expect("writable");
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }

    /// A job of `panto` on all hosts, started from the first.
    pub fn job(&self, mpi: &Mpi, ranks_a_host: usize) -> Job {
        let launcher = self.command(mpi.launcher().expect("asked before whether it is here"));
        let options = self.options(mpi, ranks_a_host);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        mpi.job_by(launcher, ranks_a_host * self.hosts.len(), &options)
    }

    /// A command on the first host.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        self.hosts[0].namespace.command(program)
    }

    /// What a launcher must be told to start so many ranks on each host.
    pub fn options(&self, mpi: &Mpi, ranks_a_host: usize) -> Vec<String> {
        let agent = self.file("agent").to_str().expect("text").to_owned();
        let slots: Vec<String> =
            self.hosts.iter().map(|host| format!("{}:{ranks_a_host}", host.name)).collect();
        let slots = slots.join(",");
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
        self.switch.run(&format!("ip link set port{} down", host + 1)).unwrap_or_else(|why| panic!("{why}"));
    }

    /// The names of the hosts.
    pub fn names(&self) -> Vec<&str> {
        self.hosts.iter().map(|host| host.name.as_str()).collect()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
