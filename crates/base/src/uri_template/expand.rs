//! Expands a template (RFC 6570 §3).

use super::{Modifier, Operator, TemplatePart, ValueRef, Variable};

/// How an operator expands its variables (RFC 6570, appendix A).
struct OperatorRules {
    /// Text before the first value.
    first: &'static str,
    /// Text between values.
    separator: &'static str,
    /// Whether each value follows its name, as in `name=value`.
    named: bool,
    /// Text between a name and an empty value.
    if_empty: &'static str,
    /// Whether reserved characters and escapes are copied unchanged.
    reserved: bool,
}

impl Operator {
    fn rules(self) -> OperatorRules {
        let (first, separator, named, if_empty, reserved) = match self {
            Self::Simple => ("", ",", false, "", false),
            Self::Reserved => ("", ",", false, "", true),
            Self::Fragment => ("#", ",", false, "", true),
            Self::Label => (".", ".", false, "", false),
            Self::Path => ("/", "/", false, "", false),
            Self::Parameter => (";", ";", true, "", false),
            Self::Query => ("?", "&", true, "=", false),
            Self::Continuation => ("&", "&", true, "=", false),
        };
        OperatorRules { first, separator, named, if_empty, reserved }
    }
}

pub(super) fn expand<'a>(parts: &[TemplatePart], value: impl Fn(&str) -> Option<ValueRef<'a>>) -> String {
    let mut uri = String::new();
    for part in parts {
        match part {
            TemplatePart::Literal(text) => uri.push_str(text),
            TemplatePart::Expression { operator, variables } => {
                let rules = operator.rules();
                let mut before = rules.first;
                for variable in variables {
                    if let Some(written) =
                        value(&variable.name).and_then(|value| write(&rules, variable, value))
                    {
                        uri.push_str(before);
                        uri.push_str(&written);
                        before = rules.separator;
                    }
                }
            }
        }
    }
    uri
}

/// Expands one variable of an expression. `None` if it is undefined.
fn write(rules: &OperatorRules, variable: &Variable, value: ValueRef<'_>) -> Option<String> {
    let escape = |text: &str| escape(text, rules.reserved);
    let explode = variable.modifier == Modifier::Explode;
    let separator = if explode { rules.separator } else { "," };
    let named = |name: &str, value: String| {
        let equals = if value.is_empty() { rules.if_empty } else { "=" };
        format!("{name}{equals}{value}")
    };
    let items: Vec<String> = match value {
        ValueRef::Text(text) => vec![match variable.modifier {
            Modifier::Prefix(length) => escape(prefix(text, length, rules.reserved)),
            Modifier::None | Modifier::Explode => escape(text),
        }],
        ValueRef::List(items) => items.iter().map(|item| escape(item)).collect(),
        ValueRef::Pairs(pairs) => pairs
            .iter()
            .map(|(name, value)| {
                let (name, value) = (escape(name), escape(value));
                match (explode, rules.named) {
                    (true, true) => named(&name, value),
                    (true, false) => format!("{name}={value}"),
                    (false, _) => format!("{name},{value}"),
                }
            })
            .collect(),
    };
    if items.is_empty() {
        return None;
    }
    let is_text = matches!(value, ValueRef::Text(_));
    let own_names = matches!(value, ValueRef::Pairs(_)) && explode;
    Some(if !rules.named || own_names {
        items.join(separator)
    } else if explode && !is_text {
        let items: Vec<String> = items.into_iter().map(|item| named(&variable.name, item)).collect();
        items.join(separator)
    } else {
        named(&variable.name, items.join(separator))
    })
}

/// The first `length` characters. With `keeps_escapes`, an escape is one character and is not cut in two.
fn prefix(text: &str, length: usize, keeps_escapes: bool) -> &str {
    let mut rest = text;
    for _ in 0..length {
        let Some(character) = rest.chars().next() else {
            break;
        };
        let taken = if keeps_escapes && is_escape(rest.as_bytes()) { 3 } else { character.len_utf8() };
        rest = rest.get(taken..).unwrap_or_default();
    }
    text.strip_suffix(rest).unwrap_or(text)
}

/// Whether the bytes begin with an escape such as `%2F`.
fn is_escape(bytes: &[u8]) -> bool {
    matches!(bytes, [b'%', first, second, ..] if first.is_ascii_hexdigit() && second.is_ascii_hexdigit())
}

/// Escapes everything but unreserved characters. With `reserved`, reserved characters and escapes are kept
/// too.
pub(super) fn escape(text: &str, reserved: bool) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut escaped = String::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let [byte, rest @ ..] = bytes {
        let plain = byte.is_ascii_alphanumeric()
            || b"-._~".contains(byte)
            || (reserved && (b":/?#[]@!$&'()*+,;=".contains(byte) || is_escape(bytes)));
        if plain {
            escaped.push(char::from(*byte));
        } else {
            escaped.push('%');
            for half in [byte >> 4, byte & 0xf] {
                escaped.extend(DIGITS.get(usize::from(half)).copied().map(char::from));
            }
        }
        bytes = rest;
    }
    escaped
}
