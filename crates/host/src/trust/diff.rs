//! What changed between two canonical forms, member by member and word by word.

use std::collections::BTreeMap;

use similar::{ChangeTag, TextDiff};

use super::canonical::{Node, read};
use crate::untrusted::escaped;

/// How many members are told, and how much of a text is compared word by word.
const TOLD: usize = 200;
const COMPARED: usize = 32 << 10;

/// A member that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinChange {
    /// Which, as a JSON pointer.
    pub pointer: String,
    /// Its text as a run of pieces, in order.
    pub pieces: Vec<DiffPiece>,
}

/// A piece of a difference between two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffPiece {
    /// Whether it is in both.
    pub op: DiffOp,
    /// The piece.
    pub text: String,
}

/// Where a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffOp {
    /// In both.
    Same,
    /// In the known text only.
    Removed,
    /// In the present text only.
    Added,
}

/// The members that differ, in the order of their pointers.
pub(super) fn changes(known: &str, now: &str) -> Vec<PinChange> {
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    flatten(&read(known), String::new(), &mut before);
    flatten(&read(now), String::new(), &mut after);
    let mut pointers: Vec<&String> = before.keys().chain(after.keys()).collect();
    pointers.sort();
    pointers.dedup();
    let changed = pointers.into_iter().filter(|pointer| before.get(*pointer) != after.get(*pointer));
    changed
        .take(TOLD)
        .map(|pointer| PinChange {
            pointer: pointer.clone(),
            pieces: pieces(before.get(pointer).map(String::as_str), after.get(pointer).map(String::as_str)),
        })
        .collect()
}

/// Every leaf with its pointer; of a key that is there more than once, each with its number.
fn flatten(node: &Node, pointer: String, leaves: &mut BTreeMap<String, String>) {
    match node {
        Node::Text(text) => drop(leaves.insert(pointer, text.clone())),
        Node::Plain(text) => drop(leaves.insert(pointer, text.clone())),
        Node::Array(items) if items.is_empty() => drop(leaves.insert(pointer, "[]".to_owned())),
        Node::Object(members) if members.is_empty() => drop(leaves.insert(pointer, "{}".to_owned())),
        Node::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                flatten(item, format!("{pointer}/{index}"), leaves);
            }
        }
        Node::Object(members) => {
            let mut last: Option<(&str, usize)> = None;
            for (key, member) in members {
                let times = last.filter(|(before, _)| before == key).map_or(0, |(_, times)| times + 1);
                last = Some((key, times));
                let again = if times > 0 { format!(" ({})", times + 1) } else { String::new() };
                flatten(member, format!("{pointer}/{}{again}", escaped(key)), leaves);
            }
        }
    }
}

fn pieces(before: Option<&str>, after: Option<&str>) -> Vec<DiffPiece> {
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    let mut pieces: Vec<DiffPiece> = Vec::new();
    let mut add = |op, text: &str| match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.op == op => last.text.push_str(text),
        _ => pieces.push(DiffPiece { op, text: text.to_owned() }),
    };
    if old == new || old.len() + new.len() > COMPARED {
        // Equal as texts, they differ in kind: `"1"` and `1`.
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
        changes(known, now).into_iter().map(line).collect()
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
        assert_eq!(changes(&long, "\"x\"")[0].pieces.len(), 2);
    }
}
