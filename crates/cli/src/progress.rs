//! The progress bar, drawn only if standard error is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use panto_units::one_line;

use crate::print;

/// A progress bar.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Returns a bar without a length, on standard error if that is a terminal.
    pub fn new() -> Self {
        let target = if print::is_mute() || print::is_quiet() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(8)
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        let style =
            ProgressStyle::with_template("{prefix:22} {bar:20} {pos:>4}/{len:4} {left:>11} {wide_msg}");
        if let Ok(style) = style {
            let left = |state: &ProgressState, to: &mut dyn std::fmt::Write| {
                if state.pos() > 0 && Some(state.pos()) < state.len() {
                    let _ = to.write_str(&left(state.eta()));
                }
            };
            bar.set_style(style.with_key("left", left).progress_chars("=> "));
        }
        Self { bar }
    }

    /// Starts a part of the work that has this many steps.
    pub fn begin(&self, name: &str, steps: usize) {
        self.bar.set_prefix(one_line(name));
        self.bar.set_length(steps as u64);
        self.bar.set_position(0);
        // The steps of another part take another time.
        self.bar.reset_eta();
        self.bar.set_message("");
    }

    /// Shows what is being done.
    pub fn message(&self, message: &str) {
        self.bar.set_message(one_line(message));
    }

    /// Advances by one step.
    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// Advances by one step, and shows what is being done.
    pub fn step(&self, message: &str) {
        self.bar.inc(1);
        self.bar.set_message(one_line(message));
    }

    /// Hides the bar while something is printed.
    pub fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Removes the bar.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Returns an estimate of the time left, in the two largest units.
fn left(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s left"),
        (0, minutes, seconds) => format!("{minutes}m{seconds:02}s left"),
        (hours, minutes, _) => format!("{hours}h{minutes:02}m left"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_has_two_units() {
        let shown = |seconds| left(Duration::from_secs(seconds));
        assert_eq!(shown(7), "7s left");
        assert_eq!(shown(61), "1m01s left");
        assert_eq!(shown(2 * 3600 + 125), "2h02m left");
    }
}
