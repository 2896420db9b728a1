//! Errors and warnings about calls that cannot be simulated.

use super::channels::CallSite;
use super::error::{CallError, Error, Result};
use super::rank_reader::RankReader;

impl RankReader<'_, '_> {
    /// An error about the current call.
    #[cold]
    pub fn error(&self, message: &str) -> Error {
        self.error_at(self.now, message)
    }

    /// An error about a call.
    #[cold]
    pub fn error_at(&self, site: CallSite, message: &str) -> Error {
        let call = self.context.calls.name(site.call).to_owned();
        let (rank, position, message) = (self.rank, site.position, message.to_owned());
        Error::Call(Box::new(CallError { rank, position, call, message }))
    }

    /// Rejects the current call; with `--lenient` counts a warning instead.
    #[cold]
    pub fn unsupported(&mut self, message: &str) -> Result<()> {
        self.unsupported_at(self.now, message)
    }

    /// Rejects a call; with `--lenient` counts a warning instead.
    #[cold]
    pub fn unsupported_at(&mut self, site: CallSite, message: &str) -> Result<()> {
        if self.context.options.lenient {
            let call = self.context.calls.name(site.call);
            let warning = format!("{call}: {message}; skipped");
            self.context.notes.warn(warning);
            self.repetition.interrupt();
            return Ok(());
        }
        Err(self.error_at(site, &format!("{message}; use --lenient to skip such calls")))
    }
}
