//! Parses the arguments that rules check. Text with a duplicate name is refused. Parsers differ in which of
//! the values they use, so the server might use another value than the rule checked.

use mooring_base::excerpt;
use mooring_jsonrpc::{ReadUniqueError, read_unique};
use mooring_words::{Sentence, say};
use serde_json::Value;

/// Maximum number of bytes of a name in an error.
const LONGEST_NAME: usize = 100;

/// Parses arguments for rules. The error says why rules can't check them.
pub fn parse_arguments(text: &str) -> Result<Value, Sentence> {
    read_unique(text).map_err(|error| match error {
        ReadUniqueError::Repeated(name) => say!(
            "the name {name} appears twice and a rule checks the arguments, so it is unclear which value the server would use: keep one",
            name = excerpt::truncate(name, LONGEST_NAME)
        ),
        ReadUniqueError::NotJson(error) => Sentence::quoted(error.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SEC-26.
    #[test]
    fn arguments_are_judged_only_where_every_name_stands_once() {
        for text in [
            "{}",
            r#"{"a":1,"b":[true,null,-2,1.5,"x",{"a":{"a":18446744073709551615}}]}"#,
            r#"{"a":{"c":1},"b":{"c":2}}"#,
        ] {
            assert_eq!(parse_arguments(text), Ok(serde_json::from_str(text).unwrap()), "{text}");
        }
        for text in [
            r#"{"mode":"safe","mode":"x"}"#,
            r#"{"mod\u0065":"safe","mode":"x"}"#,
            r#"{"a":[{"b":{"mode":1,"\u006dode":1}}]}"#,
            r#"{"mode":1,"mode":1}"#,
        ] {
            let why = parse_arguments(text).unwrap_err().to_string();
            assert!(why.starts_with("the name mode appears twice"), "{why}");
        }
        for text in ["{", "{} {}", r#"{"a":1e999}"#, r#"{"a":"\ud800"}"#] {
            assert!(parse_arguments(text).is_err(), "{text}");
        }
    }
}
