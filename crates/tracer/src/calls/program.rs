//! The beginning and the end, `MPI_Pcontrol`, and what comes from outside of the world: processes and sessions.

use std::ffi::{c_int, c_void};

use panto_trace::Action;

use crate::at::At;
use crate::local;
use crate::rank;
use crate::site::Site;
use crate::start;
use crate::wrap::{calls, export, record_before};

const OFF: c_int = 0;
const ON: c_int = 1;
const FLUSH: c_int = 2;
const RESET: c_int = 3;

/// `MPI_Init` has no levels: it gives the lowest.
const SINGLE: u32 = 0;

/// The standard's own interface counts levels in steps of 1,024.
fn level(provided: usize) -> u32 {
    if provided == 0 {
        return SINGLE;
    }
    // SAFETY: MPI wrote a number there.
    let level = unsafe { *(provided as *const c_int) } as u32;
    if level >= 1024 { level / 1024 } else { level }
}

macro_rules! starts {
    ($($name:literal $real_name:literal ($($argument:ident),*) $threads:expr;)*) => {$(
        export!($name, ($($argument),*), |_site, real| start::start(
            $real_name,
            // SAFETY: the program's own arguments.
            || unsafe { real($($argument),*) },
            || $threads,
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
            let Some(entered) = local::enter() else {
                // SAFETY: it has no arguments.
                return unsafe { real() };
            };
            // In case that it does not return.
            rank::with(rank::Rank::flush);
            // SAFETY: it has no arguments.
            let code = unsafe { real() };
            let entered = record_before(site, entered, &mut |at| at.emit(&Action::Finalise {}));
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
            if let Some(entered) = local::enter() {
                record_before(site, entered, &mut |at| at.emit(&Action::Abort { code: code as c_int }));
                rank::end(Some("MPI_Abort"));
            }
            // SAFETY: the program's own arguments.
            unsafe { real(comm, code) }
        });
    )*};
}

aborts! {
    "MPI_Abort";
    "PMPI_Abort";
}

/// `MPI_Pcontrol(level, ...)`: the other arguments are for other tools, and no function of any library does anything with them.
#[unsafe(no_mangle)]
pub extern "C" fn MPI_Pcontrol(level: c_int) -> c_int {
    pcontrol(level)
}

/// As [`MPI_Pcontrol`].
#[unsafe(no_mangle)]
pub extern "C" fn PMPI_Pcontrol(level: c_int) -> c_int {
    pcontrol(level)
}

fn pcontrol(level: c_int) -> c_int {
    static SITE: Site = Site::new(c"MPI_Pcontrol");
    if let Some(entered) = local::enter() {
        let entered = record_before(&SITE, entered, &mut |at| at.control(level));
        let code = pass_on(&SITE, level);
        entered.leave(0, None);
        return code;
    }
    pass_on(&SITE, level)
}

/// A tool that was linked into the program wants to know, too.
fn pass_on(site: &Site, level: c_int) -> c_int {
    let address = site.real();
    if address.is_null() {
        return 0;
    }
    // SAFETY: it is MPI's function of that name, with its own prototype.
    unsafe {
        let real = std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int, ...) -> c_int>(address);
        real(level)
    }
}

impl At<'_> {
    /// The four levels that PUPPET had, without numbers (P1).
    fn control(&mut self, level: i32) {
        match level {
            OFF => {
                self.emit(&Action::Control { level });
                self.rank.switch(false);
            }
            ON => {
                if !self.rank.switch(true) {
                    self.forget_computation();
                }
                self.emit(&Action::Control { level });
            }
            FLUSH => {
                self.emit(&Action::Control { level });
                self.rank.flush();
            }
            RESET => self.rank.start_anew(),
            _ => self.emit(&Action::Control { level }),
        }
    }

    fn processes(&mut self, count: i64) {
        self.emit(&Action::Process { count });
    }

    /// Processes outside of this world, and the intercommunicator to them.
    fn connected(&mut self, comm: usize, count: i64, address: usize) {
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
