//! The macro that makes an enum, an encoder and a decoder from the list of actions.

use super::{Constants, MOST_CONSTANTS};

/// Makes [`Action`](super::Action) and [`Kind`](super::Kind) from one list. Each action has a
/// number that never changes, and, separated by semicolons, its constant parts, its varying parts
/// and its lists.
macro_rules! actions {
    ($(
        $(#[$about:meta])*
        $number:literal $action:ident {
            $($(#[$constant_about:meta])* $constant:ident: $constant_type:ty,)*
            ; $($(#[$varying_about:meta])* $varying:ident: $varying_type:ty,)*
            ; $($(#[$list_about:meta])* $list:ident,)*
        }
    )+) => {
        /// What a call does, with all its parameters.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Action<'a> {
            $($(#[$about])* $action {
                $($(#[$constant_about])* $constant: $constant_type,)*
                $($(#[$varying_about])* $varying: $varying_type,)*
                $($(#[$list_about])* $list: &'a [i64],)*
            },)+
        }

        crate::field::numbered! {
            /// The kind of an action: which call it is, without its parameters.
            pub enum Kind {
                $($(#[$about])* $number $action,)+
            }
        }

        impl Kind {
            /// Returns the number of constant parts.
            pub fn constants(self) -> usize {
                match self {
                    $(Self::$action => $crate::action::parts::names(&[$(stringify!($constant),)*]),)+
                }
            }

            /// Returns the number of varying parts that are single numbers.
            pub fn varying(self) -> usize {
                match self {
                    $(Self::$action => $crate::action::parts::names(&[$(stringify!($varying),)*]),)+
                }
            }

            /// Returns the number of lists. Each follows its length.
            pub fn lists(self) -> usize {
                match self {
                    $(Self::$action => $crate::action::parts::names(&[$(stringify!($list),)*]),)+
                }
            }
        }

        impl<'a> Action<'a> {
            /// Returns the kind.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Self::$action { .. } => Kind::$action,)+
                }
            }

            /// Splits the action: returns its constant parts and appends the varying ones.
            #[inline]
            pub fn split(&self, values: &mut Vec<i64>) -> Constants {
                match *self {
                    $(Self::$action { $($constant,)* $($varying,)* $($list,)* } => {
                        $(values.push($varying.put());)*
                        $(
                            values.push($list.len() as i64);
                            values.extend_from_slice($list);
                        )*
                        $crate::action::parts::fill([$($constant.put(),)*])
                    })+
                }
            }

            /// Joins the parts of an action; none if a part is invalid.
            #[inline]
            pub fn join(kind: Kind, constants: &Constants, values: &'a [i64]) -> Option<Self> {
                #[allow(unused_mut, unused_variables, reason = "some actions have no such parts")]
                match kind {
                    $(Kind::$action => {
                        let mut constants = constants.iter();
                        let mut values = values;
                        Some(Self::$action {
                            $($constant: Field::get(*constants.next()?)?,)*
                            $($varying: Field::get($crate::action::parts::next(&mut values)?)?,)*
                            $($list: $crate::action::parts::list(&mut values)?,)*
                        })
                    })+
                }
            }
        }
    };
}
pub(super) use actions;

pub const fn names(names: &[&str]) -> usize {
    names.len()
}

#[inline]
pub fn fill<const N: usize>(parts: [i64; N]) -> Constants {
    let mut constants = [0; MOST_CONSTANTS];
    constants[..N].copy_from_slice(&parts);
    constants
}

#[inline]
pub fn next(values: &mut &[i64]) -> Option<i64> {
    let (&value, rest) = values.split_first()?;
    *values = rest;
    Some(value)
}

#[inline]
pub fn list<'a>(values: &mut &'a [i64]) -> Option<&'a [i64]> {
    let length = usize::try_from(next(values)?).ok()?;
    let (taken, rest) = values.split_at_checked(length)?;
    *values = rest;
    Some(taken)
}
