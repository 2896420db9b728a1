//! Hosts for tests: network namespaces of this machine, connected by virtual Ethernet with a
//! limited rate.

pub mod lan;
pub mod namespace;
