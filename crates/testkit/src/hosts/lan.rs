//! Hosts and the switch between them, built from namespaces of this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::namespace::Namespace;

/// The number of networks created by this process.
static NETWORKS: AtomicUsize = AtomicUsize::new(0);

/// Hosts with names and addresses on one network, which is removed when this is dropped.
pub struct Hosts {
    all: Vec<Host>,
    /// The namespace of the bridge, dropped after the hosts; `None` if the caller connects them.
    switch: Option<Namespace>,
    folder: PathBuf,
}

struct Host {
    name: String,
    namespace: Namespace,
}

/// The traffic limit of a host.
#[derive(Clone, Copy)]
pub struct Limit {
    /// Rate in bytes per second.
    pub rate: u64,
    /// Burst size in bytes.
    pub burst: u64,
}

impl Hosts {
    /// Creates `count` connected hosts with their files in this folder; the error says what is not
    /// permitted.
    pub fn new(count: usize, limit: Limit, folder: &Path) -> Result<Self, String> {
        let mut hosts = Self::unconnected(count, folder)?;
        hosts.connect()?;
        hosts.configure();
        hosts.limit_rate(limit);
        Ok(hosts)
    }

    /// Creates hosts without `eth0`; the error says what is not permitted.
    pub fn unconnected(count: usize, folder: &Path) -> Result<Self, String> {
        // MPIs name files after the host, and tests may run concurrently.
        let mark = format!("{}-{}", std::process::id(), NETWORKS.fetch_add(1, Ordering::Relaxed));
        let host = |number| Ok(Host { name: format!("host{number}-{mark}"), namespace: Namespace::new()? });
        let all = (1..=count).map(host).collect::<Result<_, String>>()?;
        Ok(Self { all, switch: None, folder: folder.to_owned() })
    }

    /// Connects the hosts to a bridge in its own namespace.
    fn connect(&mut self) -> Result<(), String> {
        let switch = Namespace::new()?;
        switch.run("ip link add bridge type bridge")?;
        switch.run("ip link set bridge up")?;
        for (host, number) in self.all.iter().zip(1..) {
            let inside = host.namespace.pid();
            switch.run(&format!("ip link add port{number} type veth peer name eth0 netns {inside}"))?;
            switch.run(&format!("ip link set port{number} master bridge up"))?;
        }
        self.switch = Some(switch);
        Ok(())
    }

    /// Limits the send rate of each host.
    fn limit_rate(&self, Limit { rate, burst }: Limit) {
        let bits = rate * 8;
        let line = format!("tc qdisc add dev eth0 root tbf rate {bits}bit burst {burst}b latency 100ms");
        for host in &self.all {
            host.namespace.run(&line).unwrap_or_else(|why| panic!("{why}"));
        }
    }

    /// Returns a process id in each host.
    pub fn processes(&self) -> Vec<u32> {
        self.all.iter().map(|host| host.namespace.pid()).collect()
    }

    /// Sets names and addresses.
    pub fn configure(&self) {
        let table = self.file("hosts");
        let lines = self.all.iter().zip(1..).map(|(host, number)| format!("10.0.0.{number} {}\n", host.name));
        fs::write(&table, format!("127.0.0.1 localhost\n{}", lines.collect::<String>())).expect("writable");
        for (host, number) in self.all.iter().zip(1..) {
            let run = |line: &str| host.namespace.run(line).unwrap_or_else(|why| panic!("{why}"));
            run(&format!("hostname {}", host.name));
            run(&format!("mount --bind {} /etc/hosts", table.display()));
            run("ip link set lo up");
            run(&format!("ip address add 10.0.0.{number}/24 dev eth0"));
            run("ip link set eth0 up");
            fs::write(self.file(&host.name), host.namespace.pid().to_string()).expect("writable");
        }
        self.write_agent();
    }

    /// Writes the script that launchers call instead of ssh, with options, a host and a command.
    fn write_agent(&self) {
        let folder = self.folder.display();
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

    /// Creates a command that runs on the first host.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        self.all[0].namespace.command(program)
    }

    /// Returns the script that launchers call instead of ssh.
    pub fn agent(&self) -> String {
        self.file("agent").to_str().expect("text").to_owned()
    }

    /// Returns the first `hosts` hosts with `ranks_per_host` slots each, in the syntax of
    /// launchers.
    pub fn slots(&self, hosts: usize, ranks_per_host: usize) -> String {
        let slots = self.all.iter().take(hosts).map(|host| format!("{}:{ranks_per_host}", host.name));
        slots.collect::<Vec<_>>().join(",")
    }

    /// Disconnects a host, given by its index.
    pub fn disconnect(&self, host: usize) {
        let switch = self.switch.as_ref().expect("the hosts are connected");
        switch.run(&format!("ip link set port{} down", host + 1)).unwrap_or_else(|why| panic!("{why}"));
    }

    /// Returns the names of the hosts.
    pub fn names(&self) -> Vec<&str> {
        self.all.iter().map(|host| host.name.as_str()).collect()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}
