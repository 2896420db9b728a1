//! A host: namespaces for network, host name, mounts and shared memory.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

/// Namespaces that live as long as an idle process in them. Its standard input is a pipe from this
/// process, so that it exits whenever and however this process does, and the namespaces go with it.
pub struct Namespace(Child);

/// The kinds of namespaces. A separate IPC namespace keeps MPIs from communicating through shared
/// memory.
const KINDS: [&str; 4] = ["--net", "--uts", "--mount", "--ipc"];

impl Namespace {
    /// Creates the namespaces; the error says what is not permitted.
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
        if line.trim() == "ready" { Ok(namespace) } else { Err(namespace.error_output()) }
    }

    /// Returns the id of the idle process.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Creates a command that runs in the namespaces.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.pid().to_string()]).args(KINDS).arg("--").arg(program);
        command
    }

    /// Runs a command line in the namespaces.
    pub fn run(&self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let output = self.command(words.next().expect("a program")).args(words).output();
        let output = output.map_err(|error| format!("nsenter: {error}"))?;
        let error_output = || format!("{line}: {}", String::from_utf8_lossy(&output.stderr).trim());
        if output.status.success() { Ok(()) } else { Err(error_output()) }
    }

    fn error_output(&mut self) -> String {
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
