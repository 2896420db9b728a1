//! What disturbs measurements on this host.

mod detours;
mod load;
mod processes;
mod quiet;
mod survey;

pub use detours::{Detours, detours};
pub use load::{HostLoad, HostMeter};
pub use processes::Busy;
pub use quiet::wait_for_quiet;
pub use survey::Survey;
