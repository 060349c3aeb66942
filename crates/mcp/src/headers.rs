//! Headers of the stateless era over HTTP: `Mcp-Method`, `Mcp-Name`, and the arguments that a tool's schema
//! mirrors into `Mcp-Param-*` with `x-mcp-header` (2026-07-28, Streamable HTTP).

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mooring_jsonrpc::{Members, elements, member, string};
use mooring_words::{Sentence, say};
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::value::RawValue;

pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The largest integer in a header (XMH-09).
const LARGEST: i64 = (1 << 53) - 1;
/// Depth limit for annotations. Deeper schemas exceed a message's depth limit anyway.
const DEEPEST: usize = 64;

/// An argument that is mirrored into a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamHeader {
    header: HeaderName,
    path: Vec<String>,
    kind: ParamType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParamType {
    String,
    Integer,
    Boolean,
}

/// The headers of a tool's schema (XMH-01). The error says why the tool isn't offered (XMH-02 to XMH-06).
pub fn param_headers(schema: &RawValue) -> Result<Vec<ParamHeader>, Sentence> {
    let mut found = Vec::new();
    let mut path = Vec::new();
    collect_headers(schema.get(), &mut path, true, &mut found)?;
    let mut names = HashSet::new();
    for mirrored in &found {
        if !names.insert(mirrored.header.clone()) {
            return Err(say!("two arguments use the header {header}", header = mirrored.header.as_str()));
        }
    }
    Ok(found)
}

/// Walks a schema. `reachable` is false once the path leaves `properties`.
fn collect_headers(
    schema: &str,
    path: &mut Vec<String>,
    reachable: bool,
    found: &mut Vec<ParamHeader>,
) -> Result<(), Sentence> {
    if path.len() > DEEPEST {
        return Err(say!("its schema is nested too deep"));
    }
    let members = Members::of(schema);
    if let Some(annotation) = members.get("x-mcp-header") {
        found.push(read_annotation(annotation, members.text("type").as_deref(), path, reachable)?);
    }
    for (key, value) in &members {
        match key {
            "properties" => {
                for (name, property) in &Members::of(value) {
                    path.push(name.to_owned());
                    collect_headers(property, path, reachable, found)?;
                    path.pop();
                }
            }
            // These keywords contain values, not schemas.
            "enum" | "const" | "default" | "examples" => {}
            // The members of these keywords are schemas with arbitrary names.
            "$defs" | "definitions" | "dependentSchemas" | "patternProperties" => {
                for (_, schema) in &Members::of(value) {
                    collect_elsewhere(schema, path, found)?;
                }
            }
            _ if value.starts_with('{') => collect_elsewhere(value, path, found)?,
            _ if value.starts_with('[') => {
                for element in elements(value).unwrap_or_default() {
                    collect_elsewhere(element.get(), path, found)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Walks a schema that is not reached through `properties`.
fn collect_elsewhere(
    value: &str,
    path: &mut Vec<String>,
    found: &mut Vec<ParamHeader>,
) -> Result<(), Sentence> {
    path.push(String::new());
    let outcome = if value.starts_with('{') { collect_headers(value, path, false, found) } else { Ok(()) };
    path.pop();
    outcome
}

fn read_annotation(
    annotation: &str,
    kind: Option<&str>,
    path: &[String],
    reachable: bool,
) -> Result<ParamHeader, Sentence> {
    let name = string(annotation).ok_or_else(|| say!("its x-mcp-header isn’t a string"))?;
    let shown = format!("{name:?}");
    let is_token = !name.is_empty() && name.bytes().all(is_token_byte);
    if !is_token {
        return Err(say!("its x-mcp-header isn’t a header name: {shown}", shown));
    }
    if !reachable || path.is_empty() {
        return Err(say!(
            "its x-mcp-header {shown} isn’t on an argument reached through properties only",
            shown
        ));
    }
    let kind = match kind {
        Some("string") => ParamType::String,
        Some("integer") => ParamType::Integer,
        Some("boolean") => ParamType::Boolean,
        _ => {
            return Err(say!(
                "its x-mcp-header {shown} is on an argument that isn’t a string, integer or boolean",
                shown
            ));
        }
    };
    let header = HeaderName::from_bytes(format!("mcp-param-{name}").as_bytes())
        .map_err(|_| say!("its x-mcp-header isn’t a header name: {shown}", shown))?;
    Ok(ParamHeader { header, path: path.to_vec(), kind })
}

/// Whether a byte is allowed in an RFC 9110 token.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

impl ParamHeader {
    /// The header's name.
    pub fn name(&self) -> &HeaderName {
        &self.header
    }

    /// Whether a call's header matches its arguments. Integers are compared as numbers. A value that can't be
    /// mirrored matches no header.
    pub fn matches(&self, header: Option<&HeaderValue>, arguments: &str) -> bool {
        let expected = self.to_header(arguments);
        match (header, expected) {
            (None, Ok(None)) => true,
            (Some(header), Ok(Some((_, expected)))) => {
                let (header, expected) = (decode_header(header), decode_header(&expected));
                let as_number = |text: &Option<String>| {
                    text.as_deref()
                        .filter(|_| self.kind == ParamType::Integer)
                        .and_then(|text| self.format_value(text))
                };
                header.is_some() && (header == expected || as_number(&header) == expected)
            }
            _ => false,
        }
    }

    /// The header for a call with these arguments. `None` if the argument is absent or null (XMH-08). Fails
    /// if the value can't be mirrored.
    pub(crate) fn to_header(&self, arguments: &str) -> Result<Option<(HeaderName, HeaderValue)>, Sentence> {
        let mut value = arguments;
        for name in &self.path {
            let Some(next) = member(value, name) else { return Ok(None) };
            value = next;
        }
        if value == "null" {
            return Ok(None);
        }
        let text = self.format_value(value).ok_or_else(|| {
            say!(
                "the argument {name} is sent in a header and has the wrong type: {value}",
                name = self.path.join("."),
                value
            )
        })?;
        Ok(Some((self.header.clone(), encode_header_value(&text)?)))
    }

    fn format_value(&self, value: &str) -> Option<String> {
        match self.kind {
            ParamType::String => string(value),
            ParamType::Boolean => matches!(value, "true" | "false").then(|| value.to_owned()),
            ParamType::Integer => {
                let whole = value.split_once('.').map_or(Some(value), |(whole, fraction)| {
                    fraction.bytes().all(|byte| byte == b'0').then_some(whole)
                })?;
                whole
                    .parse::<i64>()
                    .ok()
                    .filter(|number| number.abs() <= LARGEST)
                    .map(|number| number.to_string())
            }
        }
    }
}

/// Encodes a header's value: unchanged if safe, else in base64 between markers (XMH-10 to XMH-12).
pub(crate) fn encode_header_value(text: &str) -> Result<HeaderValue, Sentence> {
    // Inner spaces are safe, outer spaces are not. A value that looks encoded must be encoded (XMH-11).
    let visible = text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    let looks_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
    let plain = visible && text.trim_matches(' ') == text && !looks_encoded;
    let value = if plain { text.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(text)) };
    HeaderValue::from_str(&value).map_err(|_| say!("a value can’t be sent in a header"))
}

/// Decodes a header's value. `None` if it is not text.
pub fn decode_header(value: &HeaderValue) -> Option<String> {
    let text = value.to_str().ok()?;
    match text.strip_prefix("=?base64?").and_then(|encoded| encoded.strip_suffix("?=")) {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mooring_jsonrpc::raw;

    fn names(schema: &str) -> Result<Vec<String>, String> {
        Ok(param_headers(&raw(schema).unwrap())?
            .into_iter()
            .map(|mirrored| mirrored.header.to_string())
            .collect())
    }

    fn with(annotation: &str) -> String {
        format!(r#"{{"type":"object","properties":{{"a":{{"type":"string","x-mcp-header":{annotation}}}}}}}"#)
    }

    // Requirements: XMH-01, XMH-05.
    #[test]
    fn arguments_are_mirrored_from_properties_at_any_depth() {
        assert_eq!(names(&with("\"Region\"")).unwrap(), ["mcp-param-region"]);
        let nested = r#"{"properties":{"a":{"type":"object","properties":{"b":{"type":"integer","x-mcp-header":"B"}}}}}"#;
        assert_eq!(names(nested).unwrap(), ["mcp-param-b"]);
        assert_eq!(names(r#"{"type":"object"}"#).unwrap(), [""; 0]);
        // Values that look like annotations but are not.
        assert_eq!(
            names(r#"{"properties":{"a":{"enum":[{"x-mcp-header":"A"}],"default":{"x-mcp-header":""}}}}"#)
                .unwrap(),
            [""; 0]
        );
    }

    // Requirements: XMH-02, XMH-03, XMH-04, XMH-05.
    #[test]
    fn tool_with_a_bad_header_annotation_is_refused() {
        for bad in ["\"\"", "\"a b\"", "\"a:b\"", "\"é\"", "\"a\\u0000\"", "7", "null"] {
            assert!(names(&with(bad)).is_err(), "{bad}");
        }
        let twice = r#"{"properties":{"a":{"type":"string","x-mcp-header":"X"},"b":{"type":"string","x-mcp-header":"x"}}}"#;
        assert!(names(twice).is_err());
        for kind in ["\"number\"", "\"object\"", "\"array\"", "\"null\"", "[\"string\",\"null\"]"] {
            assert!(
                names(&format!(r#"{{"properties":{{"a":{{"type":{kind},"x-mcp-header":"A"}}}}}}"#)).is_err(),
                "{kind}"
            );
        }
        let inner = r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}"#;
        for keyword in ["items", "not", "if", "then", "else", "additionalProperties"] {
            assert!(names(&format!(r#"{{"{keyword}":{inner}}}"#)).is_err(), "{keyword}");
        }
        for keyword in ["oneOf", "anyOf", "allOf", "prefixItems"] {
            assert!(names(&format!(r#"{{"{keyword}":[{inner}]}}"#)).is_err(), "{keyword}");
        }
        for keyword in ["$defs", "definitions", "dependentSchemas", "patternProperties"] {
            // Their members may have names of keywords.
            for name in ["D", "default", "enum", "properties"] {
                assert!(
                    names(&format!(r#"{{"{keyword}":{{"{name}":{inner}}}}}"#)).is_err(),
                    "{keyword} {name}"
                );
            }
            let named = format!(r#"{{"{keyword}":{{"x-mcp-header":{{"type":"string"}}}}}}"#);
            assert_eq!(names(&named).unwrap(), [""; 0]);
        }
    }

    // Requirements: XMH-08, XMH-09, XMH-10, XMH-11, XMH-12.
    #[test]
    fn header_values_are_encoded_as_specified() {
        let value = |kind: &str, value: &str| {
            let schema = format!(r#"{{"properties":{{"a":{{"type":"{kind}","x-mcp-header":"A"}}}}}}"#);
            let mirrored = param_headers(&raw(&schema).unwrap()).unwrap().remove(0);
            mirrored
                .to_header(&format!(r#"{{"a":{value}}}"#))
                .map(|header| header.map(|(_, value)| value.to_str().unwrap().to_owned()))
        };
        let some = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(value("string", "\"us west 1\""), some("us west 1"));
        assert_eq!(value("string", "\"\""), some(""));
        assert_eq!(value("string", "\" us-west1\""), some("=?base64?IHVzLXdlc3Qx?="));
        assert_eq!(value("string", "\"日本語\""), some("=?base64?5pel5pys6Kqe?="));
        assert_eq!(value("string", "\"a\\r\\nb\""), some("=?base64?YQ0KYg==?="));
        assert_eq!(value("string", "\"=?base64?literal?=\""), some("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="));
        assert_eq!(value("integer", "42.0"), some("42"));
        assert_eq!(value("integer", "-9007199254740991"), some("-9007199254740991"));
        assert!(value("integer", "9007199254740992").is_err());
        assert!(value("integer", "1.5").is_err());
        assert_eq!(value("boolean", "true"), some("true"));
        assert_eq!(value("string", "null"), Ok(None));
        assert!(value("string", "7").is_err());
    }

    // Requirements: XMH-08.
    #[test]
    fn argument_absent_half_way_is_not_mirrored() {
        let schema = r#"{"properties":{"a":{"properties":{"b":{"type":"string","x-mcp-header":"B"}}}}}"#;
        let mirrored = param_headers(&raw(schema).unwrap()).unwrap().remove(0);
        assert_eq!(mirrored.to_header(r#"{"c":1}"#), Ok(None));
        assert_eq!(mirrored.to_header(r#"{"a":7}"#), Ok(None));
        assert!(mirrored.to_header(r#"{"a":{"b":"x"}}"#).unwrap().is_some());
    }

    #[test]
    fn a_header_says_what_the_arguments_say_or_is_refused() {
        let matches = |kind: &str, header: Option<&str>, value: &str| {
            let schema = format!(r#"{{"properties":{{"a":{{"type":"{kind}","x-mcp-header":"A"}}}}}}"#);
            let param = param_headers(&raw(&schema).unwrap()).unwrap().remove(0);
            let header = header.map(|text| HeaderValue::from_bytes(text.as_bytes()).unwrap());
            param.matches(header.as_ref(), &format!(r#"{{"a":{value}}}"#))
        };
        for (kind, header, value) in [
            ("string", Some("us-west1"), "\"us-west1\""),
            ("string", Some("=?base64?5pel5pys6Kqe?="), "\"日本語\""),
            ("string", Some("=?base64?YQ==?="), "\"a\""),
            ("string", None, "null"),
            ("integer", Some("42.0"), "42"),
            ("integer", Some("42"), "42.0"),
            ("boolean", Some("true"), "true"),
        ] {
            assert!(matches(kind, header, value), "{header:?} {value}");
        }
        for (kind, header, value) in [
            ("string", Some("us-west2"), "\"us-west1\""),
            ("string", Some("us-west1"), "null"),
            ("string", None, "\"us-west1\""),
            ("string", Some("=?base64?!?="), "\"a\""),
            ("string", Some("42.0"), "\"42\""),
            ("string", Some("日本語"), "\"日本語\""),
            ("integer", Some("43"), "42"),
            ("integer", Some("1.5"), "1.5"),
            ("boolean", Some("TRUE"), "true"),
        ] {
            assert!(!matches(kind, header, value), "{header:?} {value}");
        }
    }
}
