//! What is said of calls that cannot be simulated.

use super::channels::Place;
use super::error::{At, Error, Result};
use super::rank::Walk;

impl Walk<'_, '_> {
    /// What is wrong with the call that is read.
    #[cold]
    pub fn error(&self, what: &str) -> Error {
        self.error_at(self.now, what)
    }

    /// What is wrong with a call.
    #[cold]
    pub fn error_at(&self, place: Place, what: &str) -> Error {
        let call = self.shared.calls.name(place.call).to_owned();
        Error::Call(Box::new(At { rank: self.rank, position: place.position, call, what: what.to_owned() }))
    }

    /// Something in the call that is read cannot be simulated: an error, or a warning for those who are lenient.
    #[cold]
    pub fn lack(&mut self, what: &str) -> Result<()> {
        self.lack_at(self.now, what)
    }

    /// The same of another call.
    #[cold]
    pub fn lack_at(&mut self, place: Place, what: &str) -> Result<()> {
        if self.shared.options.lenient {
            let call = self.shared.calls.name(place.call);
            let warning = format!("{call}: {what}; left out");
            self.shared.notes.warn(warning);
            return Ok(());
        }
        Err(self.error_at(place, &format!("{what}; --lenient leaves such calls out")))
    }
}
