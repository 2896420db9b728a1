//! Two runs beside each other.

mod different;
mod foreign;
mod history;
mod hostile;
mod launches;
mod laws;
mod support;
