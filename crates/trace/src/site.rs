//! Call sites: the places in a program's code from which it calls MPI.
//!
//! A stream has them as the file of the code (the program or a shared library) and the return
//! address in it, which the tracer knows without reading debug information. Their *places* in the
//! source (`solve (stencil.c:42)`) are found when the streams are combined, and are metadata of the
//! whole trace.

use std::collections::BTreeMap;
use std::path::Path;

use crate::metadata::Metadata;

/// Names of metadata entries with the place of a call site begin so.
const KEY: &str = "call_site.";

/// Where a program calls MPI.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallSite {
    /// The file of the code: the program, or a shared library.
    pub object: String,
    /// The return address, as the file itself counts addresses.
    pub address: u64,
}

impl CallSite {
    /// Returns its name without debug information: `stencil+0x1a2b`.
    pub fn raw(&self) -> String {
        let name = Path::new(&self.object).file_name().and_then(|name| name.to_str());
        format!("{}+{:#x}", name.unwrap_or(&self.object), self.address)
    }
}

/// The places in the source of call sites.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places(BTreeMap<CallSite, String>);

impl Places {
    /// Takes those that the metadata of a trace have.
    pub fn of(metadata: &Metadata) -> Self {
        let entries = metadata.iter().filter(|(name, _)| name.starts_with(KEY));
        Self(entries.filter_map(|(_, value)| parse(value)).collect())
    }

    /// Adds the place of a call site, such as `solve (stencil.c:42)`.
    pub fn insert(&mut self, site: CallSite, place: String) {
        self.0.insert(site, place);
    }

    /// Returns the place of a call site, if it is known.
    pub fn get(&self, site: &CallSite) -> Option<&str> {
        self.0.get(site).map(String::as_str)
    }

    /// Returns the place of a call site; its address if the source is not known.
    pub fn name(&self, site: &CallSite) -> String {
        self.0.get(site).cloned().unwrap_or_else(|| site.raw())
    }

    /// Writes them to the metadata of a trace.
    pub fn add_to(&self, metadata: &mut Metadata) {
        for (number, (site, place)) in self.0.iter().enumerate() {
            let value = format!("{:#x}\t{}\t{place}", site.address, site.object);
            metadata.set(&format!("{KEY}{number}"), &value);
        }
    }

    /// Returns whether an entry of the metadata is the place of a call site.
    pub fn is_entry(name: &str) -> bool {
        name.starts_with(KEY)
    }
}

/// Reads the address, the file and the place from the value of an entry.
fn parse(value: &str) -> Option<(CallSite, String)> {
    let mut parts = value.splitn(3, '\t');
    let address = u64::from_str_radix(parts.next()?.strip_prefix("0x")?, 16).ok()?;
    let (object, place) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    Some((CallSite { object, address }, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_kept_in_metadata() {
        let site = |address| CallSite { object: "/bin/a = b".to_owned(), address };
        let mut places = Places::default();
        places.insert(site(0x1a2b), "solve (stencil.c:42)".to_owned());
        let mut metadata = Metadata::default();
        metadata.set("call_site.1", "no address");
        places.add_to(&mut metadata);
        let read = Places::of(&Metadata::from_text(&metadata.to_text()));
        assert_eq!(read, places);
        assert_eq!(read.name(&site(0x1a2b)), "solve (stencil.c:42)");
        assert_eq!(read.name(&site(7)), "a = b+0x7");
    }
}
