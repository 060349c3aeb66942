//! Finds what changed between two canonical forms, member by member and word by word.

use std::collections::BTreeMap;

use serde::Serialize;
use similar::{ChangeTag, TextDiff};
use ts_rs::TS;

use mooring_jsonrpc::canonical::{CanonicalNode, parse};

use crate::importance;
use crate::untrusted::escape_key;

/// Maximum changed members that are listed, and maximum bytes of a text that are compared word by word.
const MAX_CHANGES: usize = 200;
const COMPARED: usize = 32 << 10;

/// A member that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct PinChange {
    /// The member's JSON pointer.
    pub pointer: String,
    /// The member's text as pieces, in order.
    pub pieces: Vec<DiffPiece>,
    /// The words are the same in another order. Some programs list things in varying order.
    #[serde(rename = "orderOnly")]
    pub order_only: bool,
}

/// A piece of a difference between two texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct DiffPiece {
    /// Whether the piece is in both texts.
    pub op: DiffOp,
    /// Text of the piece.
    pub text: String,
}

/// Which of the texts contain a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DiffOp {
    /// In both.
    Same,
    /// Only in the known text.
    Removed,
    /// Only in the current text.
    Added,
}

/// The members that differ, the most important first, and how many more there are. If one side has several
/// definitions with the same name and the other side has one, each definition that differs is compared with
/// that one.
pub fn diff_forms(known: &str, now: &str) -> (Vec<PinChange>, usize) {
    let (known, now) = (parse(known), parse(now));
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    let pairs: Vec<(&CanonicalNode, &CanonicalNode)> = match (&known, &now) {
        (CanonicalNode::Array(_), CanonicalNode::Array(_)) => Vec::new(),
        (known, CanonicalNode::Array(several)) => several.iter().map(|now| (known, now)).collect(),
        (CanonicalNode::Array(several), now) => several.iter().map(|known| (known, now)).collect(),
        _ => Vec::new(),
    };
    let differing: Vec<_> = pairs.into_iter().enumerate().filter(|(_, (known, now))| known != now).collect();
    if differing.is_empty() {
        collect_leaves(&known, String::new(), &mut before);
        collect_leaves(&now, String::new(), &mut after);
    }
    for (index, (known, now)) in &differing {
        let pointer = if differing.len() == 1 { String::new() } else { format!("/{index}") };
        collect_leaves(known, pointer.clone(), &mut before);
        collect_leaves(now, pointer, &mut after);
    }
    let mut pointers: Vec<&String> = before.keys().chain(after.keys()).collect();
    pointers.sort();
    pointers.dedup();
    pointers.retain(|pointer| before.get(*pointer) != after.get(*pointer));
    pointers.sort_by_cached_key(|pointer| importance::pointer_rank(pointer));
    let unshown = pointers.len().saturating_sub(MAX_CHANGES);
    let changes = pointers.into_iter().take(MAX_CHANGES).map(|pointer| {
        let (before, after) = (before.get(pointer).map(Leaf::text), after.get(pointer).map(Leaf::text));
        PinChange {
            pointer: pointer.clone(),
            pieces: diff_words(before, after),
            order_only: before.zip(after).is_some_and(|(before, after)| has_same_words(before, after)),
        }
    });
    (changes.collect(), unshown)
}

/// A leaf of the JSON value: a string, or anything else.
#[derive(Debug, PartialEq, Eq)]
enum Leaf {
    Text(String),
    Other(String),
}

impl Leaf {
    fn text(&self) -> &str {
        let (Self::Text(words) | Self::Other(words)) = self;
        words
    }
}

/// Collects every leaf by its pointer. A repeated key gets a number.
fn collect_leaves(node: &CanonicalNode, pointer: String, leaves: &mut BTreeMap<String, Leaf>) {
    let other = |text: &str| Leaf::Other(text.to_owned());
    match node {
        CanonicalNode::Text(text) => drop(leaves.insert(pointer, Leaf::Text(text.clone()))),
        CanonicalNode::Verbatim(text) => drop(leaves.insert(pointer, other(text))),
        CanonicalNode::Array(items) if items.is_empty() => drop(leaves.insert(pointer, other("[]"))),
        CanonicalNode::Object(members) if members.is_empty() => drop(leaves.insert(pointer, other("{}"))),
        CanonicalNode::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect_leaves(item, format!("{pointer}/{index}"), leaves);
            }
        }
        CanonicalNode::Object(members) => {
            let mut last: Option<(&str, usize)> = None;
            for (key, member) in members {
                let times = last.filter(|(before, _)| before == key).map_or(0, |(_, times)| times + 1);
                last = Some((key, times));
                let again = if times > 0 { format!(" ({})", times + 1) } else { String::new() };
                collect_leaves(member, format!("{pointer}/{}{again}", escape_key(key)), leaves);
            }
        }
    }
}

/// Whether two texts have the same words, each as often, in another order.
fn has_same_words(before: &str, after: &str) -> bool {
    fn words(text: &str) -> Vec<&str> {
        let is_part = |character: char| character.is_whitespace() || ",;".contains(character);
        text.split(is_part).filter(|word| !word.is_empty()).collect()
    }
    fn sorted(mut words: Vec<&str>) -> Vec<&str> {
        words.sort_unstable();
        words
    }
    let (before, after) = (words(before), words(after));
    before != after && sorted(before) == sorted(after)
}

fn diff_words(before: Option<&str>, after: Option<&str>) -> Vec<DiffPiece> {
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    let mut pieces: Vec<DiffPiece> = Vec::new();
    let mut add = |op, text: &str| match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.op == op => last.text.push_str(text),
        _ => pieces.push(DiffPiece { op, text: text.to_owned() }),
    };
    if old == new || old.len() + new.len() > COMPARED {
        // The texts are equal, but the values have different types, such as `"1"` and `1`.
        add(DiffOp::Removed, old);
        add(DiffOp::Added, new);
        return pieces;
    }
    for change in TextDiff::from_words(old, new).iter_all_changes() {
        let op = match change.tag() {
            ChangeTag::Equal => DiffOp::Same,
            ChangeTag::Delete => DiffOp::Removed,
            ChangeTag::Insert => DiffOp::Added,
        };
        add(op, change.value());
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(known: &str, now: &str) -> Vec<String> {
        let word = |piece: &DiffPiece| match piece.op {
            DiffOp::Same => piece.text.clone(),
            DiffOp::Removed => format!("[-{}-]", piece.text),
            DiffOp::Added => format!("[+{}+]", piece.text),
        };
        let line = |change: PinChange| {
            format!("{}: {}", change.pointer, change.pieces.iter().map(word).collect::<String>())
        };
        diff_forms(known, now).0.into_iter().map(line).collect()
    }

    #[test]
    fn what_changed_is_told_by_member_and_word() {
        let known = r#"{"description":"Adds two numbers.","inputSchema":{"required":["a"]},"x":1}"#;
        let now = r#"{"description":"Adds two secret numbers.","inputSchema":{"required":["a","b"]},"y":{}}"#;
        assert_eq!(
            shown(known, now),
            [
                "/description: Adds two [+secret +]numbers.",
                "/inputSchema/required/1: [+b+]",
                "/x: [-1-]",
                "/y: [+{}+]",
            ]
        );
        assert_eq!(shown(known, known), Vec::<String>::new());
        assert_eq!(shown(r#"{"a":1,"a":2}"#, r#"{"a":2,"a":1}"#), ["/a: [-1-][+2+]", "/a (2): [-2-][+1+]"]);
        let long = format!("\"{}\"", "word ".repeat(COMPARED));
        assert_eq!(diff_forms(&long, "\"x\"").0[0].pieces.len(), 2);
        assert_eq!(shown(r#"{"a":1}"#, r#"{"a":"1"}"#), ["/a: [-1-][+1+]"]);
    }

    #[test]
    fn another_order_of_the_same_words_is_told() {
        let order_only = |known: &str, now: &str| diff_forms(known, now).0[0].order_only;
        assert!(order_only(r#"{"d":"UTC, CET\nJST"}"#, r#"{"d":"JST, UTC\nCET"}"#));
        for (known, now) in [("a b", "a c"), ("a b", "a b b"), ("a", ""), ("not a", "nota"), ("a, b", "a b")]
        {
            let form = |text: &str| format!(r#"{{"d":"{text}"}}"#);
            assert!(!order_only(&form(known), &form(now)), "{known} {now}");
        }
        assert!(!order_only("{}", r#"{"d":""}"#));
        assert!(!order_only(r#"{"d":"1"}"#, r#"{"d":1}"#));
    }

    // Requirements: TOOL-24.
    #[test]
    fn of_several_definitions_each_is_compared_with_the_one() {
        let one = r#"{"a":"red buoy","b":1}"#;
        let other = r#"{"a":"green buoy","b":1}"#;
        let both = format!("[{other},{one}]");
        assert_eq!(shown(one, &both), ["/a: [-red-][+green+] buoy"]);
        assert_eq!(shown(&both, one), ["/a: [-green-][+red+] buoy"]);
        assert_eq!(
            shown(one, &format!("[{other},{other}]")),
            ["/0/a: [-red-][+green+] buoy", "/1/a: [-red-][+green+] buoy"]
        );
        assert_eq!(shown(&both, &format!("[{one},{one}]")), ["/0/a: [-green-][+red+] buoy"]);
        // The same definition twice.
        assert_eq!(shown(one, &format!("[{one},{one}]")).len(), 6);
    }

    // Requirements: TOOL-24.
    #[test]
    fn diff_lists_the_most_important_first_and_counts_the_rest() {
        let dummies: serde_json::Map<String, serde_json::Value> = (0..MAX_CHANGES)
            .map(|at| (format!("a{at}"), serde_json::json!({"b": at, "description": "x"})))
            .collect();
        let form = |description: &str, about: &str| {
            serde_json::json!({
                "_meta": if about.is_empty() { serde_json::Map::new() } else { dummies.clone() },
                "description": description,
                "inputSchema": {"properties": {"a": {"maxLength": about}, "z": {"description": about}}},
                "name": "echo",
            })
            .to_string()
        };
        for (known, now) in [
            (form("a", ""), form("b", "x")),
            // A change in one of two definitions with the same name.
            (format!("[{},1]", form("a", "")), format!("[{},1]", form("b", "x"))),
        ] {
            let (told, unshown) = diff_forms(&known, &now);
            let pointers: Vec<&str> =
                told.iter().take(3).map(|change| change.pointer.trim_start_matches("/0")).collect();
            assert_eq!(
                pointers,
                [
                    "/description",
                    "/inputSchema/properties/z/description",
                    "/inputSchema/properties/a/maxLength"
                ]
            );
            // The change in `_meta` itself, and two in each dummy.
            assert_eq!((told.len(), unshown), (MAX_CHANGES, 3 + 1 + 2 * MAX_CHANGES - MAX_CHANGES));
        }
    }
}
