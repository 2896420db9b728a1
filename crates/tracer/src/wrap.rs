//! Stand-ins: from a line of a table to exported functions.

use std::ffi::c_int;

use crate::at::At;
use crate::local::{self, Entered};
use crate::rank;
use crate::site::Site;

/// Calls the real function and then records it.
#[inline]
pub fn traced(
    site: &'static Site,
    is_wide: bool,
    real: impl FnOnce() -> c_int,
    record: impl FnOnce(&mut At<'_>),
) -> c_int {
    let Some(entered) = local::enter() else { return real() };
    let code = real();
    let mut record = Some(record);
    finish(site, is_wide, code, entered, &mut |at| record.take().into_iter().for_each(|record| record(at)));
    code
}

/// The same for functions that need a look at their arguments before, or get others in their place.
#[inline]
pub fn prepared<P>(
    site: &'static Site,
    is_wide: bool,
    plain: impl FnOnce() -> c_int,
    before: impl FnOnce() -> P,
    real: impl FnOnce(&mut P) -> c_int,
    record: impl FnOnce(&mut At<'_>, &mut P),
) -> c_int {
    let Some(entered) = local::enter() else { return plain() };
    let mut prepared = before();
    let code = real(&mut prepared);
    let mut record = Some(record);
    finish(site, is_wide, code, entered, &mut |at| {
        record.take().into_iter().for_each(|record| record(at, &mut prepared));
    });
    code
}

/// Records a call that may not return, before it is made.
pub fn record_before(
    site: &'static Site,
    mut entered: Entered,
    record: &mut dyn FnMut(&mut At<'_>),
) -> Entered {
    let end = entered.returned();
    record_now(site, false, 0, &mut entered, end, record);
    entered
}

/// Not generic: it would be there more than six hundred times.
fn finish(
    site: &'static Site,
    is_wide: bool,
    code: c_int,
    mut entered: Entered,
    record: &mut dyn FnMut(&mut At<'_>),
) {
    let end = entered.returned();
    let (carried, wrote) = record_now(site, is_wide, code, &mut entered, end, record);
    // Writing a block was measured by itself.
    entered.leave(carried, end.filter(|_| !wrote));
}

/// Answers the computation that belongs to the next call, and whether a block was written.
#[inline]
fn record_now(
    site: &'static Site,
    is_wide: bool,
    code: c_int,
    entered: &mut Entered,
    end: Option<u64>,
    record: &mut dyn FnMut(&mut At<'_>),
) -> (u64, bool) {
    rank::with(|rank| {
        let mut at = At::new(rank, site, is_wide, code, entered, end);
        record(&mut at);
        let unsettled = at.unsettled();
        (unsettled, rank.after_call(end.unwrap_or(entered.start())))
    })
    .unwrap_or_default()
}

/// A name as C has it.
macro_rules! c_name {
    ($name:expr) => {
        match std::ffi::CStr::from_bytes_with_nul(concat!($name, "\0").as_bytes()) {
            Ok(name) => name,
            Err(_) => unreachable!(),
        }
    };
}

/// A word for each argument.
macro_rules! word {
    ($argument:ident) => {
        usize
    };
}

/// One exported function. A function with wide counts that this MPI does not have yet is done by the one with narrow counts: programs look
/// whether such functions exist, and now they do.
macro_rules! export {
    (@wide $name:expr, ($($argument:ident),*), |$site:ident, $real:ident, $is_wide:ident| $body:expr) => {
        const _: () = {
            #[unsafe(export_name = $name)]
            pub unsafe extern "C-unwind" fn stand_in($($argument: usize),*) -> std::ffi::c_int {
                static WIDE: crate::site::Site = crate::site::Site::new(crate::wrap::c_name!($name));
                static NARROW: crate::site::Site = crate::site::Site::new(crate::wrap::c_name!($name)).narrow();
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
                    false => match crate::narrow::narrow(&[$(stringify!($argument)),*], &mut words) {
                        None => return WIDE.too_many(),
                        lists => lists,
                    },
                };
                let [$($argument),*] = words;
                // SAFETY: as for functions with narrow counts.
                let $real = unsafe {
                    std::mem::transmute::<
                        *mut std::ffi::c_void,
                        unsafe extern "C-unwind" fn($(crate::wrap::word!($argument)),*) -> std::ffi::c_int,
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
            #[unsafe(export_name = $name)]
            pub unsafe extern "C-unwind" fn stand_in($($argument: usize),*) -> std::ffi::c_int {
                static SITE: crate::site::Site = crate::site::Site::new(crate::wrap::c_name!($name));
                let address = SITE.real();
                if address.is_null() {
                    return SITE.missing();
                }
                // SAFETY: it is MPI's function of that name. All its arguments are integers or addresses, each of which is passed in a word of
                // its own; a narrower integer is the lower part of the word.
                let $real = unsafe {
                    std::mem::transmute::<
                        *mut std::ffi::c_void,
                        unsafe extern "C-unwind" fn($(crate::wrap::word!($argument)),*) -> std::ffi::c_int,
                    >(address)
                };
                let $site = &SITE;
                $body
            }
        };
    };
}

/// Functions that are recorded after they were called: `MPI_X also MPI_X_c (arguments) => |at| what;`. The second name is the same function
/// with counts of 64 bits.
macro_rules! calls {
    () => {};
    ($name:ident also $wide:ident $arguments:tt => |$at:ident| $record:expr; $($rest:tt)*) => {
        crate::wrap::calls!(@pair $name false $arguments |$at| $record);
        crate::wrap::calls!(@pair $wide true $arguments |$at| $record);
        crate::wrap::calls!($($rest)*);
    };
    ($name:ident $arguments:tt => |$at:ident| $record:expr; $($rest:tt)*) => {
        crate::wrap::calls!(@pair $name false $arguments |$at| $record);
        crate::wrap::calls!($($rest)*);
    };
    (@pair $name:ident $wide:tt $arguments:tt |$at:ident| $record:expr) => {
        crate::wrap::calls!(@one stringify!($name), $wide $arguments |$at| $record);
        crate::wrap::calls!(@one concat!("P", stringify!($name)), $wide $arguments |$at| $record);
    };
    (@one $name:expr, true ($($argument:ident),*) |$at:ident| $record:expr) => {
        crate::wrap::export!(@wide $name, ($($argument),*), |site, real, is_wide| crate::wrap::traced(
            site,
            is_wide,
            // SAFETY: the program's own arguments.
            || unsafe { real($($argument),*) },
            |$at| if $at.succeeded() { $record },
        ));
    };
    (@one $name:expr, false ($($argument:ident),*) |$at:ident| $record:expr) => {
        crate::wrap::export!($name, ($($argument),*), |site, real| crate::wrap::traced(
            site,
            false,
            // SAFETY: the program's own arguments.
            || unsafe { real($($argument),*) },
            |$at| if $at.succeeded() { $record },
        ));
    };
}

/// Functions that need a look before: `MPI_X (arguments) before look, call |look| (arguments), after |at, look| what;`.
macro_rules! prepared_calls {
    () => {};
    ($name:ident also $wide:ident $arguments:tt before $before:expr, call |$look:ident| $passed:tt,
        after |$at:ident, $taken:ident| $record:expr; $($rest:tt)*) => {
        crate::wrap::prepared_calls!(@pair $name false $arguments $before, |$look| $passed, |$at, $taken| $record);
        crate::wrap::prepared_calls!(@pair $wide true $arguments $before, |$look| $passed, |$at, $taken| $record);
        crate::wrap::prepared_calls!($($rest)*);
    };
    ($name:ident $arguments:tt before $before:expr, call |$look:ident| $passed:tt,
        after |$at:ident, $taken:ident| $record:expr; $($rest:tt)*) => {
        crate::wrap::prepared_calls!(@pair $name false $arguments $before, |$look| $passed, |$at, $taken| $record);
        crate::wrap::prepared_calls!($($rest)*);
    };
    (@pair $name:ident $wide:tt $arguments:tt $before:expr, |$look:ident| $passed:tt, |$at:ident, $taken:ident| $record:expr) => {
        crate::wrap::prepared_calls!(@one stringify!($name), $wide $arguments $before, |$look| $passed, |$at, $taken| $record);
        crate::wrap::prepared_calls!(@one concat!("P", stringify!($name)), $wide $arguments $before, |$look| $passed, |$at, $taken| $record);
    };
    (@one $name:expr, true ($($argument:ident),*) $before:expr, |$look:ident| ($($passed:expr),*), |$at:ident, $taken:ident| $record:expr) => {
        crate::wrap::export!(@wide $name, ($($argument),*), |site, real, is_wide| crate::wrap::prepared(
            site,
            is_wide,
            // SAFETY: the program's own arguments.
            || unsafe { real($($argument),*) },
            || $before,
            // SAFETY: the program's own arguments, or places that serve in their stead.
            |$look| unsafe { real($($passed),*) },
            |$at, $taken| $record,
        ));
    };
    (@one $name:expr, false ($($argument:ident),*) $before:expr, |$look:ident| ($($passed:expr),*), |$at:ident, $taken:ident| $record:expr) => {
        crate::wrap::export!($name, ($($argument),*), |site, real| crate::wrap::prepared(
            site,
            false,
            // SAFETY: the program's own arguments.
            || unsafe { real($($argument),*) },
            || $before,
            // SAFETY: the program's own arguments, or places that serve in their stead.
            |$look| unsafe { real($($passed),*) },
            |$at, $taken| $record,
        ));
    };
}

pub(crate) use {c_name, calls, export, prepared_calls, word};
