//! What makes a host: namespaces of its own for network, name, mounts and shared memory.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

/// Namespaces that live as long as a process in them that only waits for us. It ends when we do, however we end, and with
/// it goes everything that was made inside.
pub struct Namespace(Child);

/// Network, host name and mounts; and shared memory, through which MPIs would talk otherwise.
const KINDS: [&str; 4] = ["--net", "--uts", "--mount", "--ipc"];

impl Namespace {
    /// Makes one, or says why that is not allowed.
    pub fn new() -> Result<Self, String> {
        let mut child = Command::new("unshare")
            .args(KINDS)
            .args(["sh", "-c", "echo ready && exec cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("unshare: {error}"))?;
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        output.read_line(&mut line).expect("text");
        let mut namespace = Self(child);
        if line.trim() == "ready" { Ok(namespace) } else { Err(namespace.complaint()) }
    }

    /// A process in it; nothing else is there.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Something that runs in it.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.pid().to_string()]).args(KINDS).arg("--").arg(program);
        command
    }

    /// Runs the words of a line in it.
    pub fn run(&self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let output = self.command(words.next().expect("a program")).args(words).output();
        let output = output.map_err(|error| format!("nsenter: {error}"))?;
        let complaint = || format!("{line}: {}", String::from_utf8_lossy(&output.stderr).trim());
        if output.status.success() { Ok(()) } else { Err(complaint()) }
    }

    fn complaint(&mut self) -> String {
        let mut text = String::new();
        let _ = self.0.stderr.take().expect("piped").read_to_string(&mut text);
        text.trim().to_owned()
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
