//! Closed lists of words: what front ends, the log and the database tell apart.

/// An enum whose variants are words in JSON, in the database and in TypeScript, each written once.
#[macro_export]
macro_rules! codes {
    ($(#[$outer:meta])* $vis:vis enum $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal,)+ }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ::serde::Serialize, ::ts_rs::TS)]
        $(#[$outer])*
        $vis enum $name {
            $($(#[$inner])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Each of them.
            $vis const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word for it.
            $vis const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The one of this word.
            $vis fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}
