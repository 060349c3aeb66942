//! Odd values, and which members they do not fit.

/// A value as JSON text; `None` is that the member is missing.
pub(super) type OddValue = (&'static str, Option<&'static str>);

/// Values that real servers have used in the wrong place.
pub(super) const VALUES: [OddValue; 24] = [
    ("missing", None),
    ("null", Some("null")),
    ("true", Some("true")),
    ("false", Some("false")),
    ("zero", Some("0")),
    ("negative", Some("-1")),
    ("fraction", Some("1.5")),
    ("beyond floats", Some("1e999")),
    ("beyond 64 bits", Some("18446744073709551616")),
    ("empty text", Some(r#""""#)),
    ("text", Some(r#""tide""#)),
    ("text of a boolean", Some(r#""true""#)),
    ("text of a number", Some(r#""42""#)),
    ("control characters", Some(r#""\u0000\u001b[31m""#)),
    ("half a surrogate pair", Some(r#""\ud83d""#)),
    ("other scripts", Some(r#""青岛 ⚓ \u202e""#)),
    ("empty list", Some("[]")),
    ("list of text", Some(r#"["tide"]"#)),
    ("list of null", Some("[null]")),
    ("list of lists", Some("[[[]]]")),
    ("empty object", Some("{}")),
    ("other object", Some(r#"{"tide":{"high":[]}}"#)),
    ("a member twice", Some(r#"{"tide":1,"tide":2}"#)),
    ("nested deeply", Some("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]")),
];

/// The expected kind of a member.
#[derive(Debug, Clone, Copy)]
pub(super) enum MemberKind {
    Text,
    /// A text that is not empty.
    Name,
    /// One of a few texts, none of which is among the values.
    Keyword,
    Flag,
    Count,
    Number,
    Object,
    List,
    /// A cursor. Where any text comes again and again, that is odd as well, but not where the list ends.
    Cursor,
    /// Any value is valid, or the value is not read.
    Any,
}

impl MemberKind {
    /// Whether the value is valid. `None` if that is undefined.
    pub(super) fn accepts(self, needed: bool, value: Option<&str>) -> Option<bool> {
        let Some(value) = value else { return Some(!needed) };
        if value == "null" {
            return Some(!needed);
        }
        let text = value.starts_with('"') && value != r#""\ud83d""#;
        Some(match self {
            Self::Text => text,
            Self::Name => text && value != r#""""#,
            Self::Keyword => false,
            Self::Cursor if text => return None,
            Self::Cursor => false,
            Self::Flag => matches!(value, "true" | "false"),
            Self::Count => value == "0",
            Self::Number => value.starts_with(|c: char| c == '-' || c.is_ascii_digit()),
            Self::Object => match value {
                "{}" | r#"{"tide":{"high":[]}}"# | r#"{"tide":1,"tide":2}"# => return None,
                _ => false,
            },
            Self::List => match value {
                "[]" => true,
                _ if value.starts_with('[') => return None,
                _ => false,
            },
            Self::Any => return None,
        })
    }
}
