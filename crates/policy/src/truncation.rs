//! Truncates forms that are too long to be saved. Members that people and models read are kept first. If one
//! text is too long, its start and its end are kept. A marker with the length and the hash replaces each
//! omitted part, so that a change in the part is detected. Misleading characters are searched before anything
//! is cut.

use std::collections::HashSet;

use mooring_base::digest::sha256;
use serde::{Deserialize, Serialize};

use mooring_jsonrpc::canonical::{CanonicalNode, decode_lossy, parse};

use crate::importance;
use crate::untrusted::{HiddenCharacter, find_hidden};

/// The longest form that is saved whole, and the approximate length of a truncated one.
pub(crate) const MAX_FORM_BYTES: usize = 64 << 10;
/// A part is omitted if it would get less room than this.
const LEAST: usize = 256;
/// The room that is reserved for the marker of an omitted part.
const MARKS: usize = 128;
/// Maximum number of characters of a finding's JSON pointer that are saved.
const PLACE: usize = 256;

/// What the database saves in place of a form that is too long. A whole form that only looks like this text
/// is recognized by its hash, because the hash of this text differs from the hash of the form.
#[derive(Serialize, Deserialize)]
struct TruncatedForm {
    bytes: u32,
    /// JSON pointer, code point, count.
    hidden: Vec<(String, String, u32)>,
    form: String,
}

/// A form for display.
#[derive(Debug)]
pub struct DisplayForm {
    /// The form, possibly truncated.
    pub form: String,
    /// Size of the whole form in bytes, if it is truncated.
    pub whole: Option<u32>,
    /// Misleading characters in the whole form.
    pub hidden: Vec<HiddenCharacter>,
}

/// Truncates a form if it is too long.
pub(crate) fn truncate_form(form: String) -> String {
    if form.len() <= MAX_FORM_BYTES {
        return form;
    }
    let node = parse(&form);
    let start = |text: String| text.chars().take(PLACE).collect();
    let hidden = find_hidden(&node).into_iter();
    let truncated = TruncatedForm {
        bytes: u32::try_from(form.len()).unwrap_or(u32::MAX),
        hidden: hidden.map(|found| (start(found.pointer), found.code_point, found.count)).collect(),
        form: truncate_definition(&node, MAX_FORM_BYTES).to_string(),
    };
    serde_json::to_string(&truncated).unwrap_or_default()
}

/// Reads a saved form for display. `hash` is the hash of the whole form.
pub fn display_form(stored: &str, hash: &str) -> DisplayForm {
    if sha256(stored) == hash {
        return DisplayForm { form: stored.to_owned(), whole: None, hidden: find_hidden(&parse(stored)) };
    }
    if let Ok(TruncatedForm { bytes, hidden, form }) = serde_json::from_str(stored) {
        let hidden = hidden.into_iter();
        let hidden =
            hidden.filter_map(|(pointer, code, count)| HiddenCharacter::from_stored(pointer, code, count));
        return DisplayForm { form, whole: Some(bytes), hidden: hidden.collect() };
    }
    // Earlier versions only saved the length and the hash of a form that was too long.
    let stub: serde_json::Value = serde_json::from_str(stored).unwrap_or_default();
    let bytes = stub.get("bytes").and_then(serde_json::Value::as_u64).unwrap_or_default();
    let whole = Some(u32::try_from(bytes).unwrap_or(u32::MAX));
    DisplayForm { form: stored.to_owned(), whole, hidden: Vec::new() }
}

/// Truncates a definition, or several with the same name. Important members get their room first.
fn truncate_definition(node: &CanonicalNode, room: usize) -> CanonicalNode {
    match node {
        CanonicalNode::Object(members) => {
            let mut seen = HashSet::new();
            let (mut first, mut others) = (Vec::new(), Vec::new());
            for member in members {
                // Repeated keys could otherwise use up the room.
                let matters = importance::is_known_member(&member.0) && seen.insert(&member.0);
                if matters { first.push(member) } else { others.push(member) }
            }
            let mut fitting = keep_fitting_members(&first, room.saturating_sub(4 * LEAST));
            let used: usize = fitting.iter().map(|(name, member)| member_size(name, member)).sum();
            fitting.extend(keep_fitting_members(&others, room.saturating_sub(used)));
            CanonicalNode::Object(fitting)
        }
        CanonicalNode::Array(items) => keep_fitting_items(items, room, truncate_definition),
        other => truncate_node(other, room),
    }
}

/// Truncates a node to the given room.
fn truncate_node(node: &CanonicalNode, room: usize) -> CanonicalNode {
    let written = node.to_string();
    if written.len() <= room {
        return node.clone();
    }
    match node {
        CanonicalNode::Object(members) => {
            CanonicalNode::Object(keep_fitting_members(&members.iter().collect::<Vec<_>>(), room))
        }
        CanonicalNode::Array(items) => keep_fitting_items(items, room, truncate_node),
        CanonicalNode::Text(text) => truncate_text(text, &written, room),
        CanonicalNode::Verbatim(plain) => {
            truncate_text(&decode_lossy(plain).unwrap_or_else(|| plain.clone()), &written, room)
        }
    }
}

/// The members that fit, and one marker for all others.
fn keep_fitting_members(members: &[&(String, CanonicalNode)], room: usize) -> Vec<(String, CanonicalNode)> {
    let sizes: Vec<usize> = members.iter().map(|(name, member)| member_size(name, member)).collect();
    let (mut fitting, mut rest) = (Vec::new(), Vec::new());
    for ((name, member), share) in members.iter().zip(allot_room(&sizes, room)) {
        if share > 2 * name.len() {
            fitting.push((name.clone(), truncate_node(member, share - name.len())));
        } else {
            rest.push((name.clone(), member.clone()));
        }
    }
    if !rest.is_empty() {
        let members = rest.len();
        let written = CanonicalNode::Object(rest).to_string();
        fitting.push((
            "…".to_owned(),
            omission_marker(&written, vec![("members", CanonicalNode::Verbatim(members.to_string()))]),
        ));
    }
    fitting
}

/// The items that fit, and one marker for all others.
fn keep_fitting_items(
    items: &[CanonicalNode],
    room: usize,
    part: fn(&CanonicalNode, usize) -> CanonicalNode,
) -> CanonicalNode {
    let sizes: Vec<usize> = items.iter().map(|item| member_size("", item)).collect();
    let (mut fitting, mut rest) = (Vec::new(), Vec::new());
    for (item, share) in items.iter().zip(allot_room(&sizes, room)) {
        if share > 0 { fitting.push(part(item, share)) } else { rest.push(item.clone()) }
    }
    if !rest.is_empty() {
        let items = rest.len();
        let written = CanonicalNode::Array(rest).to_string();
        fitting.push(omission_marker(&written, vec![("items", CanonicalNode::Verbatim(items.to_string()))]));
    }
    CanonicalNode::Array(fitting)
}

/// Distributes the room. Small parts get what they need, and large parts get equal shares. Shares are
/// rounded, so that a part isn't cut at another place whenever a neighbour changes. A part that would get too
/// little gets nothing.
fn allot_room(sizes: &[usize], room: usize) -> Vec<usize> {
    let mut room = room.saturating_sub(MARKS);
    let mut order: Vec<(usize, usize)> = sizes.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let mut shares: Vec<(usize, usize)> = Vec::with_capacity(order.len());
    for ((size, at), left) in order.into_iter().zip((1..=sizes.len()).rev()) {
        let share = size.min(room / left);
        let share = if share == size {
            size
        } else if share >= LEAST {
            1 << share.ilog2()
        } else {
            0
        };
        room -= share;
        shares.push((at, share));
    }
    shares.sort_unstable();
    shares.into_iter().map(|(_, share)| share).collect()
}

/// The approximate length of a member.
fn member_size(name: &str, member: &CanonicalNode) -> usize {
    name.len() + 4 + member.to_string().len()
}

/// Keeps the start and the end of a text.
fn truncate_text(text: &str, written: &str, room: usize) -> CanonicalNode {
    let room = room.saturating_sub(MARKS);
    let (start, end) = (room / 4 * 3, room / 4);
    let fits = |room: usize| {
        let mut left = room;
        move |character: &char| {
            let size = match character {
                '"' | '\\' => 2,
                '\0'..='\u{1f}' => 6,
                other => other.len_utf8(),
            };
            let fits = size <= left;
            left = left.saturating_sub(size);
            fits
        }
    };
    let beginning: String = text.chars().take_while(fits(start)).collect();
    let mut ending: Vec<char> = text.chars().rev().take_while(fits(end)).collect();
    ending.reverse();
    let ending = CanonicalNode::Text(ending.into_iter().collect());
    omission_marker(written, vec![("end", ending), ("start", CanonicalNode::Text(beginning))])
}

/// The marker that replaces an omitted part.
fn omission_marker(written: &str, more: Vec<(&str, CanonicalNode)>) -> CanonicalNode {
    let own = [
        ("bytes", CanonicalNode::Verbatim(written.len().to_string())),
        ("sha256", CanonicalNode::Text(sha256(written))),
    ];
    let mut members: Vec<(String, CanonicalNode)> =
        own.into_iter().chain(more).map(|(name, node)| (name.to_owned(), node)).collect();
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    CanonicalNode::Object(members)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn whole(value: &Value) -> (String, String) {
        let form = parse(&value.to_string()).to_string();
        let hash = sha256(&form);
        (form, hash)
    }

    fn truncate_for_test(value: &Value) -> (Value, DisplayForm) {
        let (form, hash) = whole(value);
        let kept = truncate_form(form.clone());
        assert!(kept.len() < 2 * MAX_FORM_BYTES, "{}", kept.len());
        let shown = display_form(&kept, &hash);
        assert_eq!(shown.whole, Some(u32::try_from(form.len()).unwrap()));
        (serde_json::from_str(&shown.form).unwrap(), shown)
    }

    fn tool() -> Value {
        json!({
            "name": "echo",
            "title": "Echo",
            "description": "Says what it is told.",
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
            "annotations": {"readOnlyHint": true},
        })
    }

    // Requirements: SEC-22.
    #[test]
    fn abridged_definition_keeps_decisive_and_misleading_parts() {
        let many: serde_json::Map<String, Value> =
            (0..20_000).map(|at| (format!("m{at}"), json!("xxxx"))).collect();
        for padding in [
            json!("x".repeat(1 << 20)),
            json!(["x".repeat(1 << 17), "y".repeat(1 << 17)]),
            json!(vec!["x"; 50_000]),
            json!(many),
            json!({"a": {"b": {"c": "\u{1}".repeat(1 << 17)}}}),
            json!({("x".repeat(1 << 17)): 1}),
        ] {
            let mut padded = tool();
            padded["_meta"] = padding;
            padded["description"] = json!("Says what it is told.\u{e0041}");
            let (form, shown) = truncate_for_test(&padded);
            for (name, value) in tool().as_object().unwrap() {
                let expected = if name == "description" { &padded["description"] } else { value };
                assert_eq!(&form[name], expected, "{name}");
            }
            let found: Vec<(&str, &str)> =
                shown.hidden.iter().map(|found| (&*found.pointer, &*found.code_point)).collect();
            assert_eq!(found.first(), Some(&("/description", "U+E0041")));
            assert_eq!(shown.hidden[0].reason.as_str(), "is a tag: invisible to people, readable by models");
        }
    }

    #[test]
    fn overlong_text_keeps_both_ends_and_shows_any_change() {
        let mut long = tool();
        let text = |middle: &str| format!("Says{}{middle}{}told.", "\"".repeat(90_000), "漢".repeat(90_000));
        long["description"] = json!(text("a"));
        let (form, _) = truncate_for_test(&long);
        assert_eq!(form["inputSchema"], long["inputSchema"]);
        let description = &form["description"];
        assert!(description["start"].as_str().unwrap().starts_with("Says\""), "{description}");
        assert!(description["end"].as_str().unwrap().ends_with("漢told."), "{description}");
        long["description"] = json!(text("b"));
        assert_ne!(truncate_for_test(&long).0["description"]["sha256"], description["sha256"]);
        // This is also true for parts that are omitted entirely.
        let others = |last: &str| {
            let mut tool = tool();
            tool["inputSchema"]["properties"] =
                (0..10_000).map(|at| (format!("p{at}"), json!({"description": last}))).collect();
            truncate_for_test(&tool).0["inputSchema"]["properties"]["…"].clone()
        };
        assert_ne!(others("a"), others("b"));
        assert_eq!(others("a"), others("a"));
    }

    #[test]
    fn nothing_that_a_server_says_passes_for_what_was_left_out() {
        let (form, hash) = whole(&json!({"bytes": 7, "hidden": [], "form": "{}"}));
        let seen = display_form(&truncate_form(form.clone()), &hash);
        assert_eq!((seen.form, seen.whole), (form, None));
        // A form as earlier versions saved it.
        let stub = display_form(r#"{"bytes":70000,"sha256":"00"}"#, "00");
        assert_eq!(stub.whole, Some(70_000));
    }
}
