//! Decides which addresses a template can expand to, and whether two templates can expand to the same one.
//!
//! Matching is lenient, because servers match their own templates differently. A variable's value ends where
//! the RFC's operators end it, but an address that a template can't expand to never matches.

use super::expand::escape;
use super::{Modifier, Operator, TemplatePart, UriTemplate, Variable};

impl UriTemplate {
    /// Whether the template can expand to an address. Takes time in proportion to the address's length.
    pub fn matches(&self, uri: &str) -> bool {
        if uri.len() > Self::MAX_BYTES {
            return false;
        }
        let uri = escape(uri, true);
        if !uri.starts_with(self.head()) || !uri.ends_with(self.tail()) {
            return false;
        }
        let bytes = uri.as_bytes();
        // The positions at which the parts so far may end.
        let mut reached: Vec<bool> = std::iter::once(true).chain(bytes.iter().map(|_| false)).collect();
        for part in &self.parts {
            reached = match part {
                TemplatePart::Literal(text) => after_literal(&reached, bytes, text.as_bytes()),
                TemplatePart::Expression { operator, variables } => {
                    after_expression(&reached, bytes, *operator, variables)
                }
            };
        }
        reached.last() == Some(&true)
    }

    /// Whether both templates can expand to the same address. Also true if that is uncertain.
    pub fn may_overlap(&self, other: &Self) -> bool {
        let begins = |one: &str, other: &str| one.starts_with(other) || other.starts_with(one);
        let ends = |one: &str, other: &str| one.ends_with(other) || other.ends_with(one);
        begins(self.head(), other.head()) && ends(self.tail(), other.tail())
    }

    /// The text that every address begins with.
    fn head(&self) -> &str {
        literal(self.parts.first())
    }

    /// The text that every address ends with.
    fn tail(&self) -> &str {
        literal(self.parts.last())
    }
}

fn literal(part: Option<&TemplatePart>) -> &str {
    match part {
        Some(TemplatePart::Literal(text)) => text,
        Some(TemplatePart::Expression { .. }) | None => "",
    }
}

fn after_literal(reached: &[bool], bytes: &[u8], text: &[u8]) -> Vec<bool> {
    let ends = reached
        .iter()
        .enumerate()
        .map(|(at, here)| *here && bytes.get(at..).is_some_and(|rest| rest.starts_with(text)));
    let length = reached.len();
    std::iter::repeat_n(false, text.len()).chain(ends).take(length).collect()
}

/// An expression may also be empty: variables may be undefined.
fn after_expression(reached: &[bool], bytes: &[u8], operator: Operator, variables: &[Variable]) -> Vec<bool> {
    let is_single = matches!(variables, [Variable { modifier: Modifier::None | Modifier::Prefix(_), .. }]);
    let in_segment = |byte: u8| !b"/?#".contains(&byte);
    let in_path = |byte: u8| !b"?#".contains(&byte) && (byte != b'/' || !is_single);
    match operator {
        Operator::Simple => after_text(reached, bytes, None, in_segment),
        Operator::Reserved => after_text(reached, bytes, None, |_| true),
        Operator::Fragment => after_text(reached, bytes, Some(b'#'), |_| true),
        Operator::Label => after_text(reached, bytes, Some(b'.'), in_segment),
        Operator::Parameter => after_text(reached, bytes, Some(b';'), in_segment),
        Operator::Path => after_text(reached, bytes, Some(b'/'), in_path),
        Operator::Query => after_pairs(reached, bytes, b'?', variables),
        Operator::Continuation => after_pairs(reached, bytes, b'&', variables),
    }
}

/// Positions after nothing, or after `first` and the characters that may follow it.
fn after_text(
    reached: &[bool],
    bytes: &[u8],
    first: Option<u8>,
    is_inside: impl Fn(u8) -> bool,
) -> Vec<bool> {
    let mut inside = false;
    let followed = bytes.iter().copied().map(Some).chain([None]);
    let ends = reached.iter().zip(followed).map(|(here, byte)| {
        let is_end = *here || inside;
        inside = byte.is_some_and(|byte| match first {
            Some(first) => (*here && byte == first) || (inside && is_inside(byte)),
            None => is_end && is_inside(byte),
        });
        is_end
    });
    ends.collect()
}

/// Positions after nothing, or after `first` and pairs of these variables' names and texts.
fn after_pairs(reached: &[bool], bytes: &[u8], first: u8, variables: &[Variable]) -> Vec<bool> {
    let has_any_name = variables.iter().any(|variable| variable.modifier == Modifier::Explode);
    let mut begun: Vec<bool> = reached.iter().map(|_| false).collect();
    let mut ends = Vec::with_capacity(reached.len());
    let mut inside = false;
    for (at, here) in reached.iter().enumerate() {
        inside |= begun.get(at) == Some(&true);
        ends.push(*here || inside);
        let Some(byte) = bytes.get(at) else { break };
        if (*here && *byte == first) || (inside && *byte == b'&') {
            let rest = bytes.get(at + 1..).unwrap_or_default();
            let named = variables.iter().filter_map(|variable| {
                let text = rest.strip_prefix(variable.name.as_bytes())?;
                let begin = at + 1 + variable.name.len();
                match text.first() {
                    Some(b'=') => Some(begin + 1),
                    Some(b'&' | b'#') | None => Some(begin),
                    Some(_) => None,
                }
            });
            for begin in named.chain(has_any_name.then_some(at + 1)) {
                if let Some(begun) = begun.get_mut(begin) {
                    *begun = true;
                }
            }
        }
        inside &= !matches!(byte, b'&' | b'#');
    }
    ends
}
