//! The program as a child: signals pass to it, and its end is ours.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::Mutex;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;

use super::status::Status;
use crate::failure::Failure;

/// Sent to this process alone, but meant for the program.
const PASSED_ON: [(i32, Signal); 4] =
    [(SIGTERM, Signal::TERM), (SIGHUP, Signal::HUP), (SIGUSR1, Signal::USR1), (SIGUSR2, Signal::USR2)];

/// Sent by a terminal to the program as well: nothing to pass on, and no reason to end before it.
const WAITED_OUT: [i32; 2] = [SIGINT, SIGQUIT];

/// How the program ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    status: ExitStatus,
    /// What this process was told meanwhile.
    pub heard: Heard,
}

/// What signals to this process asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heard {
    /// The end, of this process alone: it is passed on.
    pub end: bool,
    /// The end, of the whole group of processes: Ctrl-C.
    pub interrupt: bool,
}

impl Ended {
    /// The program's exit code; for a signal what shells make of it.
    pub fn code(self) -> u8 {
        self.status.code().unwrap_or_else(|| 128 + self.signal().unwrap_or_default()) as u8
    }

    /// The signal that ended it.
    pub fn signal(self) -> Option<i32> {
        self.status.signal()
    }
}

/// Runs the program to its end, with a status on the terminal.
pub fn run(command: &mut Command, status: &Status) -> Result<Ended, Failure> {
    // Before the program starts, so that none is missed in between. It does not inherit this.
    let wanted = PASSED_ON.iter().map(|(number, _)| *number).chain(WAITED_OUT);
    let mut signals =
        Signals::new(wanted).map_err(|error| Failure::Run(format!("cannot listen to signals: {error}")))?;
    let child = command.spawn().map_err(|error| not_started(command, &error))?;
    let handle = signals.handle();
    let living = Mutex::new(Some(Pid::from_child(&child)));
    std::thread::scope(|scope| {
        let passing = scope.spawn(|| pass_on(&mut signals, &living));
        let watching = status.watch(scope);
        let ended = wait(child, &living);
        drop(watching);
        handle.close();
        let heard = passing.join().unwrap_or_default();
        let status = ended.map_err(|error| Failure::Run(format!("cannot wait for the program: {error}")))?;
        Ok(Ended { status, heard })
    })
}

/// Passes signals on while the program lives; answers what they asked for.
fn pass_on(signals: &mut Signals, living: &Mutex<Option<Pid>>) -> Heard {
    let mut heard = Heard::default();
    for number in signals.forever() {
        heard.end |= [SIGTERM, SIGHUP].contains(&number);
        heard.interrupt |= number == SIGINT;
        let living = living.lock().expect("nobody panics with it");
        if let (Some(pid), Some((_, signal))) = (*living, PASSED_ON.iter().find(|pair| pair.0 == number)) {
            // It may have ended just now, and then there is nobody to tell.
            let _ = kill_process(pid, *signal);
        }
    }
    heard
}

/// Waits for the end. The process keeps its number until nobody sends signals to it any more.
fn wait(mut child: Child, living: &Mutex<Option<Pid>>) -> std::io::Result<ExitStatus> {
    let until_its_end = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while waitid(WaitId::Pid(Pid::from_child(&child)), until_its_end)
        .is_err_and(|error| error == rustix::io::Errno::INTR)
    {}
    living.lock().expect("nobody panics with it").take();
    child.wait()
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    let name = command.get_program().display();
    Failure::Usage(format!(
        "`{name}` does not start: {error}; what follows -- is the command as you type it without panto"
    ))
}
