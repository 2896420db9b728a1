//! Interposition: from a line of a table to exported functions.
//!
//! Each line of the tables in `calls` becomes two exported C functions, `MPI_X` and `PMPI_X`, and
//! two more where MPI has a variant with 64-bit counts. All arguments are words: integers and
//! addresses are passed in registers or on the stack, one word each, on all supported platforms,
//! and a narrower integer is the lower part of its word. An exported function does this:
//!
//! 1. It finds MPI's own function of that name ([`Function`]).
//! 2. It enters the call ([`thread_state::enter`]). If this thread is inside MPI already, or
//!    nothing is recorded, it calls MPI's function and returns.
//! 3. It calls MPI's function, without any lock. Where needed, arguments are read, or statuses
//!    replaced, before.
//! 4. It takes the lock of the rank and records the call if it succeeded ([`CallContext`]).
//! 5. It leaves the call, and returns MPI's code unchanged.
//!
//! `MPI_Init`, `MPI_Finalize`, `MPI_Abort` and `MPI_Pcontrol` differ (`calls::program`).
//!
//! The functions are `extern "C-unwind"`: a C++ exception that an error handler throws passes
//! through.

use std::ffi::c_int;

use crate::call_context::CallContext;
use crate::function::Function;
use crate::live;
use crate::rank;
use crate::thread_state::{self, ActiveCall};

/// Calls MPI's function and then records the call.
#[inline]
pub fn traced(
    site: &'static Function,
    is_wide: bool,
    words: &[usize],
    mut real: impl FnMut() -> c_int,
    mut record: impl FnMut(&mut CallContext<'_>),
) -> c_int {
    let Some(mut entered) = thread_state::enter() else { return real() };
    if live::is_on() {
        return in_virtual_time(site, is_wide, words, entered, &mut real, &mut record);
    }
    let code = real();
    finish(site, is_wide, code, &mut entered, &mut record);
    code
}

/// As [`traced`], in a run on a simulated machine. Not generic, like [`finish`].
fn in_virtual_time(
    site: &'static Function,
    is_wide: bool,
    words: &[usize],
    mut entered: ActiveCall,
    real: &mut dyn FnMut() -> c_int,
    record: &mut dyn FnMut(&mut CallContext<'_>),
) -> c_int {
    let mut record_first = |entered: &mut ActiveCall| {
        let end = entered.returned();
        record_now(site, is_wide, 0, entered, end, record);
    };
    let (code, is_recorded) = live::traced(site, is_wide, words, &mut entered, real, &mut record_first);
    if is_recorded {
        entered.returned();
        entered.leave(0, None);
    } else {
        finish(site, is_wide, code, &mut entered, record);
        live::recorded(site, words);
    }
    code
}

/// As [`traced`], for functions whose arguments are read before the call, or replaced.
#[inline]
pub fn prepared<P>(
    site: &'static Function,
    is_wide: bool,
    plain: impl FnOnce() -> c_int,
    before: impl FnOnce() -> P,
    real: impl FnOnce(&mut P) -> c_int,
    mut record: impl FnMut(&mut CallContext<'_>, &mut P),
) -> c_int {
    let Some(mut entered) = thread_state::enter() else { return plain() };
    let (mut prepared, code);
    if live::is_on() {
        let mut record_first = |entered: &mut ActiveCall, prepared: &mut P| {
            let end = entered.returned();
            record_now(site, is_wide, 0, entered, end, &mut |at| record(at, prepared));
        };
        let is_recorded;
        (code, prepared, is_recorded) =
            live::prepared(site, is_wide, &mut entered, before, real, &mut record_first);
        if is_recorded {
            entered.returned();
            entered.leave(0, None);
            return code;
        }
    } else {
        prepared = before();
        code = real(&mut prepared);
    }
    finish(site, is_wide, code, &mut entered, &mut |at| record(at, &mut prepared));
    code
}

/// Records a call without leaving it: `MPI_Abort`, which may not return, and `MPI_Pcontrol` before
/// they are made, `MPI_Finalize` after it has returned.
pub fn record_before(
    site: &'static Function,
    mut entered: ActiveCall,
    record: &mut dyn FnMut(&mut CallContext<'_>),
) -> ActiveCall {
    let end = entered.returned();
    record_now(site, false, 0, &mut entered, end, record);
    entered
}

/// Records a call and leaves it. Not generic, because it would be instantiated more than six
/// hundred times.
fn finish(
    site: &'static Function,
    is_wide: bool,
    code: c_int,
    entered: &mut ActiveCall,
    record: &mut dyn FnMut(&mut CallContext<'_>),
) {
    let end = entered.returned();
    let (carried, wrote) = record_now(site, is_wide, code, entered, end, record);
    // The time of writing a block is measured by itself.
    entered.leave(carried, end.filter(|_| !wrote));
}

/// Returns the computation that belongs to the next call, and whether a block was written.
#[inline]
fn record_now(
    site: &'static Function,
    is_wide: bool,
    code: c_int,
    entered: &mut ActiveCall,
    end: Option<u64>,
    record: &mut dyn FnMut(&mut CallContext<'_>),
) -> (u64, bool) {
    rank::with(|rank| {
        let mut at = CallContext::new(rank, site, is_wide, code, entered, end);
        record(&mut at);
        let unsettled = at.unrecorded_computation();
        (unsettled, rank.after_call(end.unwrap_or(entered.start())))
    })
    .unwrap_or_default()
}

/// A name as a C string.
macro_rules! c_name {
    ($name:expr) => {
        match std::ffi::CStr::from_bytes_with_nul(concat!($name, "\0").as_bytes()) {
            Ok(name) => name,
            Err(_) => unreachable!(),
        }
    };
}

/// The type of each argument: a word.
macro_rules! word {
    ($argument:ident) => {
        usize
    };
}

/// One exported function. A function with 64-bit counts that this MPI does not have is carried out
/// by the one with 32-bit counts: programs check whether such functions exist, and now they do.
macro_rules! export {
    (@wide $name:expr, ($($argument:ident),*), |$site:ident, $real:ident, $is_wide:ident| $body:expr) => {
        const _: () = {
            #[cfg(target_arch = "x86_64")]
            crate::entry::trampoline!($name, stand_in);
            #[cfg_attr(not(target_arch = "x86_64"), unsafe(export_name = $name))]
            pub unsafe extern "C-unwind" fn stand_in($($argument: usize),*) -> std::ffi::c_int {
                static WIDE: crate::function::Function = crate::function::Function::new(crate::interpose::c_name!($name));
                static NARROW: crate::function::Function = crate::function::Function::new(crate::interpose::c_name!($name)).narrow();
                let mut words = [$($argument),*];
                let ($site, address, $is_wide) = match WIDE.real() {
                    none if none.is_null() => (&NARROW, NARROW.real(), false),
                    address => (&WIDE, address, true),
                };
                if address.is_null() {
                    return WIDE.missing();
                }
                let narrowed = match $is_wide {
                    true => None,
                    // SAFETY: these are the program's arguments of this function.
                    false => match unsafe { crate::narrow::narrow(&[$(stringify!($argument)),*], &mut words) } {
                        None => return WIDE.too_many(),
                        lists => lists,
                    },
                };
                let [$($argument),*] = words;
                // SAFETY: as for functions with 32-bit counts.
                let $real = unsafe {
                    std::mem::transmute::<
                        *mut std::ffi::c_void,
                        unsafe extern "C-unwind" fn($(crate::interpose::word!($argument)),*) -> std::ffi::c_int,
                    >(address)
                };
                let code = $body;
                drop(narrowed);
                code
            }
        };
    };
    ($name:expr, ($($argument:ident),*), |$site:ident, $real:ident| $body:expr) => {
        const _: () = {
            #[cfg(target_arch = "x86_64")]
            crate::entry::trampoline!($name, stand_in);
            #[cfg_attr(not(target_arch = "x86_64"), unsafe(export_name = $name))]
            pub unsafe extern "C-unwind" fn stand_in($($argument: usize),*) -> std::ffi::c_int {
                static FUNCTION: crate::function::Function = crate::function::Function::new(crate::interpose::c_name!($name));
                let address = FUNCTION.real();
                if address.is_null() {
                    return FUNCTION.missing();
                }
                // SAFETY: this is MPI's function of that name. All its arguments are integers or
                // addresses, each of which is passed in a word of its own; a narrower integer is
                // the lower part of the word.
                let $real = unsafe {
                    std::mem::transmute::<
                        *mut std::ffi::c_void,
                        unsafe extern "C-unwind" fn($(crate::interpose::word!($argument)),*) -> std::ffi::c_int,
                    >(address)
                };
                let $site = &FUNCTION;
                $body
            }
        };
    };
}

/// Functions that are recorded after the call: `MPI_X also MPI_X_c (arguments) => |at| record;`.
/// The second name is the variant with 64-bit counts.
macro_rules! calls {
    () => {};
    ($name:ident also $wide:ident $arguments:tt => |$at:ident| $record:expr; $($rest:tt)*) => {
        crate::interpose::calls!(@pair $name false $arguments |$at| $record);
        crate::interpose::calls!(@pair $wide true $arguments |$at| $record);
        crate::interpose::calls!($($rest)*);
    };
    ($name:ident $arguments:tt => |$at:ident| $record:expr; $($rest:tt)*) => {
        crate::interpose::calls!(@pair $name false $arguments |$at| $record);
        crate::interpose::calls!($($rest)*);
    };
    (@pair $name:ident $wide:tt $arguments:tt |$at:ident| $record:expr) => {
        crate::interpose::calls!(@one stringify!($name), $wide $arguments |$at| $record);
        crate::interpose::calls!(@one concat!("P", stringify!($name)), $wide $arguments |$at| $record);
    };
    (@one $name:expr, true ($($argument:ident),*) |$at:ident| $record:expr) => {
        crate::interpose::export!(@wide $name, ($($argument),*), |site, real, is_wide| crate::interpose::traced(
            site,
            is_wide,
            &[$($argument),*],
            // SAFETY: these are the program's arguments of this function.
            || unsafe { real($($argument),*) },
            // SAFETY: the call succeeded, so MPI accepted the arguments that are recorded.
            #[allow(unused_unsafe, reason = "not every record reads memory of the program")]
            |$at| if $at.succeeded() { unsafe { $record } },
        ));
    };
    (@one $name:expr, false ($($argument:ident),*) |$at:ident| $record:expr) => {
        crate::interpose::export!($name, ($($argument),*), |site, real| crate::interpose::traced(
            site,
            false,
            &[$($argument),*],
            // SAFETY: these are the program's arguments of this function.
            || unsafe { real($($argument),*) },
            // SAFETY: the call succeeded, so MPI accepted the arguments that are recorded.
            #[allow(unused_unsafe, reason = "not every record reads memory of the program")]
            |$at| if $at.succeeded() { unsafe { $record } },
        ));
    };
}

/// Functions whose arguments are read before the call: `MPI_X (arguments) before read, call |read|
/// (arguments), after |at, read| record;`.
macro_rules! prepared_calls {
    () => {};
    ($name:ident also $wide:ident $arguments:tt before $before:expr, call |$look:ident| $passed:tt,
        after |$at:ident, $taken:ident| $record:expr; $($rest:tt)*) => {
        crate::interpose::prepared_calls!(@pair $name false $arguments $before, |$look| $passed, |$at, $taken| $record);
        crate::interpose::prepared_calls!(@pair $wide true $arguments $before, |$look| $passed, |$at, $taken| $record);
        crate::interpose::prepared_calls!($($rest)*);
    };
    ($name:ident $arguments:tt before $before:expr, call |$look:ident| $passed:tt,
        after |$at:ident, $taken:ident| $record:expr; $($rest:tt)*) => {
        crate::interpose::prepared_calls!(@pair $name false $arguments $before, |$look| $passed, |$at, $taken| $record);
        crate::interpose::prepared_calls!($($rest)*);
    };
    (@pair $name:ident $wide:tt $arguments:tt $before:expr, |$look:ident| $passed:tt, |$at:ident, $taken:ident| $record:expr) => {
        crate::interpose::prepared_calls!(@one stringify!($name), $wide $arguments $before, |$look| $passed, |$at, $taken| $record);
        crate::interpose::prepared_calls!(@one concat!("P", stringify!($name)), $wide $arguments $before, |$look| $passed, |$at, $taken| $record);
    };
    (@one $name:expr, true ($($argument:ident),*) $before:expr, |$look:ident| ($($passed:expr),*), |$at:ident, $taken:ident| $record:expr) => {
        crate::interpose::export!(@wide $name, ($($argument),*), |site, real, is_wide| crate::interpose::prepared(
            site,
            is_wide,
            // SAFETY: these are the program's arguments of this function.
            || unsafe { real($($argument),*) },
            // SAFETY: these are the program's arguments, which it passes to MPI next.
            #[allow(unused_unsafe, reason = "not every function looks at memory before the call")]
            || unsafe { $before },
            // SAFETY: these are the program's arguments, or memory of the tracer in their place.
            |$look| unsafe { real($($passed),*) },
            // SAFETY: the call returned; its record asks first whether it succeeded.
            #[allow(unused_unsafe, reason = "not every record reads memory of the program")]
            |$at, $taken| unsafe { $record },
        ));
    };
    (@one $name:expr, false ($($argument:ident),*) $before:expr, |$look:ident| ($($passed:expr),*), |$at:ident, $taken:ident| $record:expr) => {
        crate::interpose::export!($name, ($($argument),*), |site, real| crate::interpose::prepared(
            site,
            false,
            // SAFETY: these are the program's arguments of this function.
            || unsafe { real($($argument),*) },
            // SAFETY: these are the program's arguments, which it passes to MPI next.
            #[allow(unused_unsafe, reason = "not every function looks at memory before the call")]
            || unsafe { $before },
            // SAFETY: these are the program's arguments, or memory of the tracer in their place.
            |$look| unsafe { real($($passed),*) },
            // SAFETY: the call returned; its record asks first whether it succeeded.
            #[allow(unused_unsafe, reason = "not every record reads memory of the program")]
            |$at, $taken| unsafe { $record },
        ));
    };
}

pub(crate) use {c_name, calls, export, prepared_calls, word};
