//! The canonical form of a JSON text (based on RFC 8785): no white space, keys ordered by their UTF-16 units,
//! and one way to escape strings. Numbers keep their spelling, so a number that is spelled differently is a
//! change.

use std::fmt;

use crate::text::quoted;

/// Deeper than any message that is accepted.
const DEPTH: usize = 512;

/// A JSON value without any loss of information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CanonicalNode {
    /// A number, `true`, `false`, `null`, or a string with a lone surrogate, in its original spelling.
    Verbatim(String),
    /// A string.
    Text(String),
    /// An array's items in order.
    Array(Vec<Self>),
    /// An object's members, sorted by key. Members with the same key keep their order.
    Object(Vec<(String, Self)>),
}

/// Parses a valid JSON text. Anything that can't be parsed is kept verbatim.
pub fn parse(text: &str) -> CanonicalNode {
    let mut reader = CanonicalParser { text, at: 0 };
    let node = reader.value(0);
    reader.space();
    match node {
        Some(node) if reader.at == text.len() => node,
        _ => CanonicalNode::Verbatim(text.to_owned()),
    }
}

/// Decodes a string with a lone surrogate, which is replaced by U+FFFD.
pub fn decode_lossy(written: &str) -> Option<String> {
    let mut characters = written.strip_prefix('"')?.strip_suffix('"')?.chars();
    let mut units = Vec::with_capacity(written.len());
    let mut room = [0; 2];
    while let Some(character) = characters.next() {
        if character != '\\' {
            units.extend_from_slice(character.encode_utf16(&mut room));
            continue;
        }
        let unit = match characters.next()? {
            'b' => 8,
            't' => 9,
            'n' => 10,
            'f' => 12,
            'r' => 13,
            'u' => {
                let digits: String = characters.by_ref().take(4).collect();
                u16::from_str_radix(&digits, 16).ok()?
            }
            other => u16::try_from(u32::from(other)).ok()?,
        };
        units.push(unit);
    }
    Some(String::from_utf16_lossy(&units))
}

struct CanonicalParser<'a> {
    text: &'a str,
    at: usize,
}

impl CanonicalParser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.space();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn value(&mut self, depth: usize) -> Option<CanonicalNode> {
        self.space();
        if depth > DEPTH {
            return None;
        }
        match self.peek()? {
            b'{' => {
                self.at += 1;
                let mut members = Vec::new();
                if self.take(b'}').is_some() {
                    return Some(CanonicalNode::Object(members));
                }
                loop {
                    self.space();
                    let (CanonicalNode::Text(key) | CanonicalNode::Verbatim(key)) = self.string()? else {
                        return None;
                    };
                    self.take(b':')?;
                    members.push((key, self.value(depth + 1)?));
                    if self.take(b',').is_none() {
                        self.take(b'}')?;
                        members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
                        return Some(CanonicalNode::Object(members));
                    }
                }
            }
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                if self.take(b']').is_some() {
                    return Some(CanonicalNode::Array(items));
                }
                loop {
                    items.push(self.value(depth + 1)?);
                    if self.take(b',').is_none() {
                        self.take(b']')?;
                        return Some(CanonicalNode::Array(items));
                    }
                }
            }
            b'"' => self.string(),
            _ => {
                let start = self.at;
                while self
                    .peek()
                    .is_some_and(|byte| !matches!(byte, b',' | b']' | b'}') && !byte.is_ascii_whitespace())
                {
                    self.at += 1;
                }
                let text = self.text.get(start..self.at)?;
                (!text.is_empty()).then(|| CanonicalNode::Verbatim(text.to_owned()))
            }
        }
    }

    fn string(&mut self) -> Option<CanonicalNode> {
        let start = self.at;
        if self.peek()? != b'"' {
            return None;
        }
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        let text = self.text.get(start..self.at)?;
        Some(
            serde_json::from_str(text)
                .map_or_else(|_| CanonicalNode::Verbatim(text.to_owned()), CanonicalNode::Text),
        )
    }
}

impl fmt::Display for CanonicalNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verbatim(text) => f.write_str(text),
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Array(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_str(",")?;
                    }
                    item.fmt(f)?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (index, (key, member)) in members.iter().enumerate() {
                    if index > 0 {
                        f.write_str(",")?;
                    }
                    f.write_str(&quoted(key))?;
                    f.write_str(":")?;
                    member.fmt(f)?;
                }
                f.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> String {
        parse(text).to_string()
    }

    #[test]
    fn only_order_and_white_space_make_no_difference() {
        let one = form(
            r#" { "b" : [1, 2.50, true, null], "a" : {"é":"x\u0041/\/", "e": {} } , "€":1, "😀":2, "ﬀ":3} "#,
        );
        assert_eq!(one, r#"{"a":{"e":{},"é":"xA//"},"b":[1,2.50,true,null],"€":1,"😀":2,"ﬀ":3}"#);
        let other = r#"{"😀":2,"ﬀ":3,"€":1,"a":{"e":{},"é":"xA\/\u002f"},"b":[1,2.50,true,null]}"#;
        assert_eq!(form(other), one);
        assert_eq!(form(&one), one);
        for (left, right) in [
            ("1", "1.0"),
            ("10", "1e1"),
            (r#"{"a":1,"a":2}"#, r#"{"a":2,"a":1}"#),
            (r#"{"a":1,"a":1}"#, r#"{"a":1}"#),
            ("[1,2]", "[2,1]"),
            (r#""\ud800""#, r#""\ud801""#),
            ("123456789012345678901", "123456789012345678902"),
            (r#"{"a":null}"#, "{}"),
        ] {
            assert_ne!(form(left), form(right), "{left}");
        }
        assert_eq!(form("{\"a\":\"\\\"\\\\\\n\\u001f\"}"), r#"{"a":"\"\\\n\u001f"}"#);
        // Text that is not JSON is kept.
        for odd in ["", "{", r#"{"a"}"#, "[1,", "\"a", "1 2"] {
            assert_eq!(form(odd), odd);
        }
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        assert_eq!(form(&deep), deep);
    }
}
