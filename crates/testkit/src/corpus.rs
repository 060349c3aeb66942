//! Thousands of imperfect server responses, generated from classes: one defect each, at a known place, with what a
//! client should make of it.
//!
//! A number is the same case on every machine. [`cases`] are for every transport; [`stdio_cases`] and
//! [`http_cases`] are specific to one transport.

mod bodies;
mod envelopes;
mod fields;
mod http;
mod odd_values;
mod stdio;

use serde_json::Value;

use crate::http::RawReply;

pub use bodies::{METHODS, result};
pub use http::cases as http_cases;
pub use stdio::cases as stdio_cases;

/// The protocol era of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerEra {
    /// 2025-11-25.
    Session,
    /// 2026-07-28.
    Modern,
}

/// One odd thing.
#[derive(Clone)]
pub struct Case {
    /// The kind of oddity. Cases of a class only differ in place and value.
    pub class: &'static str,
    /// A name for test output.
    pub name: String,
    /// The request whose answer is odd.
    pub method: &'static str,
    /// The output in place of the normal response.
    pub output: ServerOutput,
    /// The expected reaction of a client.
    pub expect: Expectation,
}

/// The output of a server.
#[derive(Clone)]
pub enum ServerOutput {
    /// These messages; `$ID` is replaced by the id of the request.
    Messages(Vec<String>),
    /// These bytes on stdout; `$ID` is replaced by the id of the request.
    Bytes(Vec<u8>),
    /// This response.
    Http(RawReply),
}

/// The expected outcome of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// The usable part is returned with a diagnostic whose path starts like this; an empty path accepts any
    /// diagnostic.
    Odd(String),
    /// The usable part comes; whether anything is worth a remark is left open.
    Usable,
    /// An error says why.
    Fails,
    /// The request gets no response, so that its deadline ends it.
    Unanswered,
    /// The request ends, with or without success.
    Ends,
}

/// The cases that every transport can carry.
pub fn cases(wire: ServerEra) -> Vec<Case> {
    let mut cases = fields::cases(wire);
    cases.extend(envelopes::cases(wire));
    cases
}

/// Selects about one in `every` of `cases`, but at least one of each class. The selection depends on the
/// class.
pub fn sample(cases: Vec<Case>, every: usize) -> Vec<Case> {
    let mut seen: Vec<(&str, usize)> = Vec::new();
    let chosen = cases.into_iter().filter(|case| {
        let place = seen.iter().position(|(class, _)| *class == case.class).unwrap_or_else(|| {
            seen.push((case.class, 0));
            seen.len() - 1
        });
        let Some((_, count)) = seen.get_mut(place) else { return false };
        *count += 1;
        *count == 1 || (*count + place) % every.max(1) == 0
    });
    chosen.collect()
}

/// The answer with this result.
fn answer(result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#)
}

/// `document` with the value at `pointer` replaced by the JSON text `odd`, or removed. `odd` need not be
/// valid.
fn replace_at(document: &Value, pointer: &str, odd: Option<&str>) -> String {
    const PLACE: &str = "here is the odd thing";
    let mut document = document.clone();
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer begins with a slash");
    let parent = document.pointer_mut(parent).expect("a field has a parent");
    match (parent, odd) {
        (Value::Object(members), None) => drop(members.shift_remove(name)),
        (Value::Object(members), Some(_)) => drop(members.insert(name.to_owned(), PLACE.into())),
        (Value::Array(items), odd) => {
            let index: usize = name.parse().expect("an index is a number");
            if odd.is_some() { items[index] = PLACE.into() } else { drop(items.remove(index)) }
        }
        _ => panic!("{pointer} leads nowhere"),
    }
    document.to_string().replace(&format!("\"{PLACE}\""), odd.unwrap_or_default())
}

/// `/tools/1/title` as `tools[1].title`.
fn diagnostic_path(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            path.extend(["[", part, "]"]);
        } else {
            path.push_str(if path.is_empty() { "" } else { "." });
            path.push_str(&part.replace("~1", "/"));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_transport_has_two_thousand_distinct_cases() {
        for wire in [ServerEra::Session, ServerEra::Modern] {
            let cases = cases(wire);
            assert!(cases.len() >= 2000, "only {}", cases.len());
            let names: HashSet<_> = cases.iter().map(|case| (case.class, &case.name)).collect();
            assert_eq!(names.len(), cases.len());
        }
    }

    #[test]
    fn a_sample_has_every_class_and_about_the_share_that_it_should() {
        let all = cases(ServerEra::Modern);
        let classes: HashSet<_> = all.iter().map(|case| case.class).collect();
        let count = all.len();
        let some = sample(all, 10);
        assert_eq!(some.iter().map(|case| case.class).collect::<HashSet<_>>(), classes);
        assert!((count / 12..count / 7).contains(&some.len()), "{} of {count}", some.len());
    }

    #[test]
    fn an_odd_thing_is_put_where_the_pointer_says() {
        let document = serde_json::json!({"a": [{"b": 1}, 2]});
        assert_eq!(replace_at(&document, "/a/0/b", Some("1e999")), r#"{"a":[{"b":1e999},2]}"#);
        assert_eq!(replace_at(&document, "/a/1", None), r#"{"a":[{"b":1}]}"#);
        assert_eq!(diagnostic_path("/a/0/b"), "a[0].b");
    }
}
