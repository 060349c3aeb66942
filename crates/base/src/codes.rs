//! Enums for the fixed words that front ends, the log and the database use.

/// Defines an enum whose variants have one word each in JSON, in the database and in TypeScript.
#[macro_export]
macro_rules! codes {
    ($(#[$outer:meta])* $vis:vis enum $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal,)+ }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ::serde::Serialize, ::ts_rs::TS)]
        $(#[$outer])*
        $vis enum $name {
            $($(#[$inner])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// All variants.
            $vis const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The variant's word.
            $vis const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The variant with this word.
            $vis fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}
