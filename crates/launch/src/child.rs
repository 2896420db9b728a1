//! Runs the traced program as a child process: forwards signals to it, and returns its exit status.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;

use crate::error::{Error, Result};

/// Signals that are sent to this process alone and forwarded to the program.
const FORWARDED: [(i32, Signal); 4] =
    [(SIGTERM, Signal::TERM), (SIGHUP, Signal::HUP), (SIGUSR1, Signal::USR1), (SIGUSR2, Signal::USR2)];

/// Signals that the terminal sends to the program as well: not forwarded, and ignored until it
/// ends.
const IGNORED: [i32; 2] = [SIGINT, SIGQUIT];

/// The end of the program.
#[derive(Debug, Clone, Copy)]
pub struct Exit {
    status: ExitStatus,
    /// The signals that this process received meanwhile.
    pub received: ReceivedSignals,
}

/// Which kinds of signals this process received.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReceivedSignals {
    /// SIGTERM or SIGHUP to this process alone, which were forwarded.
    pub terminate: bool,
    /// Ctrl-C, to the whole process group.
    pub interrupt: bool,
}

impl Exit {
    /// Returns the exit code of the program; 128 + n for signal n, as shells have it.
    pub fn code(self) -> u8 {
        self.status.code().unwrap_or_else(|| 128 + self.signal().unwrap_or_default()) as u8
    }

    /// Returns the signal that ended the program.
    pub fn signal(self) -> Option<i32> {
        self.status.signal()
    }
}

/// Runs the program to its end. `watch` runs on a thread of its own meanwhile, and must return when
/// its receiver is disconnected, which is when the program has ended.
///
/// # Panics
/// Panics if `watch` does.
pub fn run(command: &mut Command, watch: impl FnOnce(Receiver<()>) + Send) -> Result<Exit> {
    // Handlers are installed before the program starts, so that no signal is lost; it does not
    // inherit them.
    let wanted = FORWARDED.iter().map(|(number, _)| *number).chain(IGNORED);
    let mut signals = Signals::new(wanted)
        .map_err(|source| Error::System { what: "cannot install signal handlers", source })?;
    let child = command.spawn().map_err(|source| not_started(command, source))?;
    let handle = signals.handle();
    let living = Mutex::new(Some(Pid::from_child(&child)));
    std::thread::scope(|scope| {
        let forwarding = scope.spawn(|| forward(&mut signals, &living));
        let (running, ended) = channel();
        scope.spawn(move || watch(ended));
        let status = wait(child, &living);
        drop(running);
        handle.close();
        let received = forwarding.join().unwrap_or_default();
        let status =
            status.map_err(|source| Error::System { what: "cannot wait for the program", source })?;
        Ok(Exit { status, received })
    })
}

/// Forwards signals while the program runs; returns which were received.
fn forward(signals: &mut Signals, living: &Mutex<Option<Pid>>) -> ReceivedSignals {
    let mut received = ReceivedSignals::default();
    for number in signals.forever() {
        received.terminate |= [SIGTERM, SIGHUP].contains(&number);
        received.interrupt |= number == SIGINT;
        let living = living.lock().expect("no thread panics while it holds the lock");
        if let (Some(pid), Some((_, signal))) = (*living, FORWARDED.iter().find(|pair| pair.0 == number)) {
            // The program may have ended just now; the error does not matter.
            let _ = kill_process(pid, *signal);
        }
    }
    received
}

/// Waits for the end of the program. The process is reaped, and its number freed, only after
/// forwarding has stopped.
fn wait(mut child: Child, living: &Mutex<Option<Pid>>) -> std::io::Result<ExitStatus> {
    let until_its_end = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while waitid(WaitId::Pid(Pid::from_child(&child)), until_its_end)
        .is_err_and(|error| error == rustix::io::Errno::INTR)
    {}
    living.lock().expect("no thread panics while it holds the lock").take();
    child.wait()
}

fn not_started(command: &Command, source: std::io::Error) -> Error {
    Error::NotStarted { program: command.get_program().display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Exit {
        run(Command::new("sh").args(["-c", script]), |ended| assert!(ended.recv().is_err())).unwrap()
    }

    #[test]
    fn the_exit_code_is_that_of_a_shell() {
        assert_eq!((shell("exit 7").code(), shell("exit 7").signal()), (7, None));
        assert_eq!((shell("kill -9 $$").code(), shell("kill -9 $$").signal()), (137, Some(9)));
    }

    #[test]
    fn a_command_that_does_not_exist_is_named() {
        let error = run(&mut Command::new("./no-such-program"), |_| ()).unwrap_err();
        assert!(error.to_string().contains("cannot start `./no-such-program`"), "{error}");
    }
}
