//! The places in the source of call sites: function, file and line, from the debug information of
//! programs and shared libraries, or the function alone from their symbols.
//!
//! It runs after the program, because reading debug information takes time and memory; the ranks
//! have recorded files and addresses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use addr2line::{Loader, demangle_auto};
use panto_trace::{CallSite, Places, Trace};

/// Finds the places of all call sites of a trace. Files that cannot be read any more are left out;
/// their call sites are shown by file and address.
pub fn places(trace: &Trace) -> panto_trace::Result<Places> {
    let mut places = Places::default();
    if !trace.has_call_sites() {
        return Ok(places);
    }
    let mut sites: BTreeMap<String, BTreeSet<CallSite>> = BTreeMap::new();
    for rank in trace.ranks() {
        for site in rank.tables()?.sites() {
            sites.entry(site.object.clone()).or_default().insert(site.clone());
        }
    }
    let known = trace.places();
    for (object, sites) in sites {
        let loader = Loader::new(&object).ok();
        for site in sites {
            let found = loader.as_ref().and_then(|loader| place(loader, &site));
            // A trace that is combined again may have places of files that are gone.
            let place = found.or_else(|| known.get(&site).map(str::to_owned));
            if let Some(place) = place {
                places.insert(site, place);
            }
        }
    }
    Ok(places)
}

/// Returns the place of a call site.
fn place(loader: &Loader, site: &CallSite) -> Option<String> {
    // The return address is that of the next instruction, which may belong to another line.
    let call = site.address.checked_sub(1)?;
    let mut function = None;
    let mut location = None;
    if let Ok(mut frames) = loader.find_frames(call)
        && let Ok(Some(frame)) = frames.next()
    {
        // The innermost frame: a call in an inlined function is in that function.
        function = frame
            .function
            .and_then(|name| Some(demangle_auto(name.raw_name().ok()?, name.language).into_owned()));
        location = frame.location.and_then(|at| Some((file_name(at.file?), at.line?)));
    }
    // Sparse debug information (`-g1`) has lines and not always functions, which symbols name.
    let symbol = loader.find_symbol_info(call).map(|symbol| {
        (
            demangle_auto(symbol.name().into(), None).into_owned(),
            site.address.saturating_sub(symbol.address()),
        )
    });
    match (function, location, symbol) {
        (Some(function), Some((file, line)), _) | (None, Some((file, line)), Some((function, _))) => {
            Some(format!("{function} ({file}:{line})"))
        }
        (None, Some((file, line)), None) => Some(format!("{file}:{line}")),
        // Several calls of a function are told apart by their distance from its beginning.
        (_, None, symbol) => symbol.map(|(name, distance)| format!("{name}+{distance:#x}")),
    }
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the addresses of this program in its memory and in its file, by the first lines of
    /// the system's list.
    fn bias(program: &str) -> u64 {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let line = maps.lines().find(|line| line.ends_with(program)).unwrap();
        u64::from_str_radix(line.split('-').next().unwrap(), 16).unwrap()
    }

    #[inline(never)]
    fn somewhere() -> u32 {
        line!()
    }

    #[test]
    fn an_address_has_its_function_and_line() {
        let program = std::env::current_exe().unwrap().display().to_string();
        let address = somewhere as fn() -> u32 as usize as u64 - bias(&program) + 1;
        let site = CallSite { object: program.clone(), address };
        let found = place(&Loader::new(&program).unwrap(), &site).unwrap();
        // The head, the body or the end of the function.
        let line = somewhere();
        let ends = [line - 1, line, line + 1].map(|line| format!("(places.rs:{line})"));
        assert!(found.contains("somewhere") && ends.iter().any(|end| found.ends_with(end)), "{found}");
        assert!(place(&Loader::new(&program).unwrap(), &CallSite { address: 0, ..site }).is_none());
    }
}
