//! Programs in the order of time: against the run-ahead executor, schedules, the slow simulator and closed forms.

mod choice;
/// What the slow simulator wants to know of the engine's own driver.
mod driver {
    /// No message has it.
    pub const RESERVED: u32 = 1_000;
}
mod halts;
mod log;
#[path = "../engine/machines.rs"]
mod machines;
mod picks;
#[path = "../engine/program.rs"]
mod program;
#[path = "../engine/programs.rs"]
mod programs;
mod random;
#[path = "../engine/reference/mod.rs"]
mod reference;
mod same;
mod schedules;
mod sharing;
mod slow;
mod traffic;
