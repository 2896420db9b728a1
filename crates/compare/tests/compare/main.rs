//! Two runs beside each other.

mod different;
mod foreign;
mod hostile;
mod launches;
mod laws;
mod support;
