//! Runs the traced program as a child process: forwards signals to it, and returns its exit status.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::Mutex;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;

use super::status::Status;
use crate::failure::Failure;

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

/// Runs the program to its end, with a status line on the terminal.
pub fn run(command: &mut Command, status: &Status) -> Result<Exit, Failure> {
    // Handlers are installed before the program starts, so that no signal is lost; it does not
    // inherit them.
    let wanted = FORWARDED.iter().map(|(number, _)| *number).chain(IGNORED);
    let mut signals = Signals::new(wanted)
        .map_err(|error| Failure::Run(format!("cannot install signal handlers: {error}")))?;
    let child = command.spawn().map_err(|error| not_started(command, &error))?;
    let handle = signals.handle();
    let living = Mutex::new(Some(Pid::from_child(&child)));
    std::thread::scope(|scope| {
        let forwarding = scope.spawn(|| forward(&mut signals, &living));
        let watching = status.watch(scope);
        let ended = wait(child, &living);
        drop(watching);
        handle.close();
        let received = forwarding.join().unwrap_or_default();
        let status = ended.map_err(|error| Failure::Run(format!("cannot wait for the program: {error}")))?;
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

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    let name = command.get_program().display();
    Failure::Usage(format!(
        "cannot start `{name}`: {error}; after -- give the command as you would run it without panto"
    ))
}
