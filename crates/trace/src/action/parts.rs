//! What the list of actions becomes: an enum, and how its items are taken apart and put together.

use super::{Constants, MOST_CONSTANTS};

/// Makes [`Action`](super::Action) and [`Kind`](super::Kind) from one list. Each action has a number that never changes, and between
/// semicolons its constant parts, its varying ones and its lists.
macro_rules! actions {
    ($(
        $(#[$about:meta])*
        $number:literal $action:ident {
            $($(#[$constant_about:meta])* $constant:ident: $constant_type:ty,)*
            ; $($(#[$varying_about:meta])* $varying:ident: $varying_type:ty,)*
            ; $($(#[$list_about:meta])* $list:ident,)*
        }
    )+) => {
        /// What a call does.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Action<'a> {
            $($(#[$about])* $action {
                $($(#[$constant_about])* $constant: $constant_type,)*
                $($(#[$varying_about])* $varying: $varying_type,)*
                $($(#[$list_about])* $list: &'a [i64],)*
            },)+
        }

        crate::field::numbered! {
            /// Which action.
            pub enum Kind {
                $($(#[$about])* $number $action,)+
            }
        }

        impl Kind {
            /// How many constant parts it has.
            pub fn constants(self) -> usize {
                match self {
                    $(Self::$action => $crate::action::parts::names(&[$(stringify!($constant),)*]),)+
                }
            }

            /// How many varying parts it has that are single numbers.
            pub fn varying(self) -> usize {
                match self {
                    $(Self::$action => $crate::action::parts::names(&[$(stringify!($varying),)*]),)+
                }
            }

            /// How many lists it has. Each has its length in front.
            pub fn lists(self) -> usize {
                match self {
                    $(Self::$action => $crate::action::parts::names(&[$(stringify!($list),)*]),)+
                }
            }
        }

        impl<'a> Action<'a> {
            /// Which one.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Self::$action { .. } => Kind::$action,)+
                }
            }

            /// Takes it apart: constant parts are answered, varying ones appended.
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

            /// Puts it together; none if a part does not mean anything.
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
