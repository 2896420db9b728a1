//! Initialization and finalization, `MPI_Pcontrol`, and processes and sessions outside of
//! `MPI_COMM_WORLD`.

use std::ffi::{c_int, c_void};

use panto_trace::{Action, stopped};

use super::region::is_region;
use crate::call_context::CallContext;
use crate::function::Function;
use crate::interpose::{calls, export, record_before};
use crate::live;
use crate::rank;
use crate::start;
use crate::thread_state;

const OFF: c_int = 0;
const ON: c_int = 1;
const FLUSH: c_int = 2;
const RESET: c_int = 3;

/// The level of threads of `MPI_Init`: `MPI_THREAD_SINGLE`.
const SINGLE: u32 = 0;

/// Returns the level of threads that MPI provides. The standard ABI counts levels in steps of
/// 1,024.
unsafe fn level(provided: usize) -> u32 {
    if provided == 0 {
        return SINGLE;
    }
    // SAFETY: MPI wrote an `int` there.
    let level = unsafe { *(provided as *const c_int) } as u32;
    if level >= 1024 { level / 1024 } else { level }
}

macro_rules! starts {
    ($($name:literal $real_name:literal ($($argument:ident),*) $threads:expr;)*) => {$(
        export!($name, ($($argument),*), |_site, real| start::start(
            $real_name,
            // SAFETY: these are the program's arguments of this function.
            || unsafe { real($($argument),*) },
            // SAFETY: MPI has returned, so it has written the level of threads.
            #[allow(unused_unsafe, reason = "`MPI_Init` has no such argument")]
            || unsafe { $threads },
        ));
    )*};
}

starts! {
    "MPI_Init" "MPI_Init" (argc, argv) SINGLE;
    "PMPI_Init" "MPI_Init" (argc, argv) SINGLE;
    "MPI_Init_thread" "MPI_Init_thread" (argc, argv, required, provided) level(provided);
    "PMPI_Init_thread" "MPI_Init_thread" (argc, argv, required, provided) level(provided);
}

macro_rules! ends {
    ($($name:literal;)*) => {$(
        export!($name, (), |site, real| {
            let Some(entered) = thread_state::enter() else {
                // SAFETY: the function has no arguments.
                return unsafe { real() };
            };
            let mut entered = entered;
            live::finalise(site, &mut entered);
            // In case that the function does not return.
            rank::with(rank::Rank::flush);
            // SAFETY: the function has no arguments.
            let code = unsafe { real() };
            let mut entered = record_before(site, entered, &mut |at| at.record(&Action::Finalise {}));
            rank::end(None);
            entered.leave(0, None);
            code
        });
    )*};
}

ends! {
    "MPI_Finalize";
    "PMPI_Finalize";
}

macro_rules! aborts {
    ($($name:literal;)*) => {$(
        export!($name, (comm, code), |site, real| {
            if let Some(entered) = thread_state::enter() {
                record_before(site, entered, &mut |at| at.record(&Action::Abort { code: code as c_int }));
                live::abort();
                rank::end(Some(stopped::ABORTED));
            }
            // SAFETY: these are the program's arguments of this function.
            unsafe { real(comm, code) }
        });
    )*};
}

aborts! {
    "MPI_Abort";
    "PMPI_Abort";
}

/// `MPI_Pcontrol(level, ...)`. With level 4 the second argument is the name of a region; others are
/// for other tools, and no library uses them.
#[unsafe(no_mangle)]
pub extern "C" fn MPI_Pcontrol(level: c_int, argument: usize) -> c_int {
    pcontrol(level, argument)
}

/// As [`MPI_Pcontrol`].
#[unsafe(no_mangle)]
pub extern "C" fn PMPI_Pcontrol(level: c_int, argument: usize) -> c_int {
    pcontrol(level, argument)
}

fn pcontrol(level: c_int, argument: usize) -> c_int {
    static FUNCTION: Function = Function::new(c"MPI_Pcontrol");
    if let Some(mut entered) = thread_state::enter() {
        entered.forget_stack();
        let mut entered = record_before(&FUNCTION, entered, &mut |at| at.control(level, argument));
        let code = pass_on(&FUNCTION, level, argument);
        entered.leave(0, None);
        return code;
    }
    pass_on(&FUNCTION, level, argument)
}

/// Calls `MPI_Pcontrol` of a tool that was linked into the program, or of MPI.
fn pass_on(site: &Function, level: c_int, argument: usize) -> c_int {
    let address = site.real();
    if address.is_null() {
        return 0;
    }
    // SAFETY: this is MPI's function of that name, with its own prototype.
    unsafe {
        let real = std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int, ...) -> c_int>(address);
        real(level, argument)
    }
}

impl CallContext<'_> {
    /// The four levels that PUPPET had, without numbers (P1), and those of regions.
    fn control(&mut self, level: i32, argument: usize) {
        match level {
            OFF => {
                self.record(&Action::Control { level });
                self.rank.switch(false);
            }
            ON => {
                if !self.rank.switch(true) {
                    self.forget_computation();
                }
                self.record(&Action::Control { level });
            }
            FLUSH => {
                self.record(&Action::Control { level });
                self.rank.flush();
            }
            RESET => self.rank.start_anew(),
            _ if is_region(level) => self.region_level(level, argument),
            _ => self.record(&Action::Control { level }),
        }
    }

    fn processes(&mut self, count: i64) {
        self.record(&Action::Process { count });
    }

    /// Records processes outside of this world, and defines the intercommunicator to them.
    unsafe fn connected(&mut self, comm: usize, count: i64, address: usize) {
        self.define_made(comm, address);
        self.processes(count);
    }
}

calls! {
    MPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, errors) => |at| at.connected(comm, i64::from(maxprocs as c_int), intercomm);
    MPI_Comm_spawn_multiple(count, commands, argvs, maxprocs, infos, root, comm, intercomm, errors) => |at| at.connected(comm, i64::from(count as c_int), intercomm);
    MPI_Comm_accept(port, info, root, comm, newcomm) => |at| at.connected(comm, 0, newcomm);
    MPI_Comm_connect(port, info, root, comm, newcomm) => |at| at.connected(comm, 0, newcomm);
    MPI_Comm_join(fd, intercomm) => |at| at.processes(0);
    MPI_Session_init(info, handler, session) => |at| at.processes(0);
    MPI_Session_finalize(session) => |at| at.processes(0);
}
