//! Options that belong to one suite.
//!
//! [`Settings`](crate::Settings) holds what every kernel needs. What only one suite needs is a type
//! of that suite, and `Settings` keeps such values by their type, as an extension map does. So a
//! suite depends on the settings, and the settings on no suite.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;

use crate::error::Result;

/// The options of one suite. Their default is what runs when the user sets none.
pub trait SuiteOptions: Any + fmt::Debug + Clone + Default + Send + Sync {
    /// Returns an error if no kernel of the suite can run with these options on `ranks` ranks.
    fn check(&self, ranks: usize) -> Result<()> {
        let _ = ranks;
        Ok(())
    }
}

/// [`SuiteOptions`] without their type.
trait Erased: Any + fmt::Debug + Send + Sync {
    fn check(&self, ranks: usize) -> Result<()>;
    fn boxed(&self) -> Box<dyn Erased>;
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<O: SuiteOptions> Erased for O {
    fn check(&self, ranks: usize) -> Result<()> {
        SuiteOptions::check(self, ranks)
    }

    fn boxed(&self) -> Box<dyn Erased> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// At most one value of each type of [`SuiteOptions`], in the order in which they were set.
#[derive(Debug, Default)]
pub struct OptionsMap(Vec<Box<dyn Erased>>);

impl Clone for OptionsMap {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|options| options.as_ref().boxed()).collect())
    }
}

impl OptionsMap {
    /// Returns the options of a suite: those that were set, or the default.
    pub fn get<O: SuiteOptions>(&self) -> Cow<'_, O> {
        let found = self.0.iter().find_map(|options| options.as_ref().as_any().downcast_ref());
        found.map_or_else(|| Cow::Owned(O::default()), Cow::Borrowed)
    }

    /// Sets the options of a suite.
    pub fn set<O: SuiteOptions>(&mut self, options: O) {
        self.0.retain(|other| !other.as_ref().as_any().is::<O>());
        self.0.push(Box::new(options));
    }

    /// Returns the options of a suite for modification.
    ///
    /// # Panics
    /// Never: options that were not set are set to their default first.
    pub fn get_mut<O: SuiteOptions>(&mut self) -> &mut O {
        if !self.0.iter().any(|options| options.as_ref().as_any().is::<O>()) {
            self.set(O::default());
        }
        let found = self.0.iter_mut().find_map(|options| options.as_mut().as_any_mut().downcast_mut());
        found.expect("just set")
    }

    /// Returns the first error of the options that were set.
    pub(crate) fn check(&self, ranks: usize) -> Result<()> {
        self.0.iter().try_for_each(|options| options.as_ref().check(ranks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[derive(Debug, Clone, Default, PartialEq)]
    struct Width(usize);

    #[derive(Debug, Clone, Default, PartialEq)]
    struct Name(String);

    impl SuiteOptions for Name {}

    impl SuiteOptions for Width {
        fn check(&self, ranks: usize) -> Result<()> {
            if self.0 <= ranks { Ok(()) } else { Err(Error::usage("too wide")) }
        }
    }

    #[test]
    fn options_are_found_by_their_type() {
        let mut map = OptionsMap::default();
        assert_eq!(*map.get::<Width>(), Width(0));
        map.set(Width(3));
        map.get_mut::<Name>().0.push('x');
        map.set(Width(4));
        let copy = map.clone();
        assert_eq!((&*copy.get::<Width>(), &*copy.get::<Name>()), (&Width(4), &Name("x".into())));
        assert!(copy.check(4).is_ok() && copy.check(3).is_err());
    }
}
