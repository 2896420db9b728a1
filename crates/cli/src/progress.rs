//! The progress bar: on a terminal, and nothing in a pipe.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::out;

/// Shows how far a run has come.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar for work of unknown length; it draws on standard error, if that is a terminal.
    pub fn new() -> Self {
        let target =
            if out::is_mute() { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(8) };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        let style = ProgressStyle::with_template("{prefix:22} {bar:20} {pos:>4}/{len:4} {wide_msg}");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar }
    }

    /// A new part of the work begins.
    pub fn begin(&self, name: &str, steps: usize) {
        self.bar.set_prefix(name.to_owned());
        self.bar.set_length(steps as u64);
        self.bar.set_position(0);
        self.bar.set_message("");
    }

    /// One step is done.
    pub fn step(&self, message: String) {
        self.bar.inc(1);
        self.bar.set_message(message);
    }

    /// Prints something without disturbing the bar.
    pub fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }
}

impl Progress {
    /// Takes the bar away, before results are printed where it stood.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
