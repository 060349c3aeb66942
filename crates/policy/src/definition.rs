//! How a server is started or reached, as a form that can be compared and approved: what the person saved of it, and what
//! that turned out to be on this computer.

use mooring_base::digest::sha256;
use serde_json::{Map, Value};

use crate::canonical::read;
use crate::items::Item;
use crate::pin::{PinKind, PinState, PinView};
use crate::untrusted::hidden_in;

/// The members that are not what the person saved, but what it turned out to be; each with the one that it was found by.
const FOUND: [(&str, &str); 3] = [("program", "command"), ("programSha256", "command"), ("issuer", "url")];

/// The definition of a server that was never started here.
pub fn unseen(settings: Map<String, Value>) -> PinView {
    let form = read(&Value::from(settings).to_string()).to_string();
    PinView {
        kind: PinKind::Server,
        name: String::new(),
        state: PinState::New,
        hash: sha256(&form),
        approved_ms: None,
        changes: Vec::new(),
        unshown: 0,
        hidden: hidden_in(&read(&form)),
        now: form,
        whole: None,
    }
}

/// The part of a form that the person saved.
pub fn saved_part(form: &str) -> Option<String> {
    let mut form: Map<String, Value> = serde_json::from_str(form).ok()?;
    form.retain(|name, _| FOUND.iter().all(|(found, _)| found != name));
    Some(sha256(&read(&Value::from(form).to_string()).to_string()))
}

/// A server with these members.
pub fn of_server(form: &Map<String, Value>) -> Item {
    Item::of(PinKind::Server, "", read(&Value::from(form.clone()).to_string()).to_string())
}

/// What was known, with what the person saved since. What that turned out to be is still compared, unless they named
/// another program or address: then it is what that one turned out to be.
pub fn with_edit(before: &Map<String, Value>, now: &Map<String, Value>) -> Map<String, Value> {
    let mut expected = now.clone();
    for (found, by) in FOUND {
        if before.get(by) != now.get(by) {
            continue;
        }
        match before.get(found) {
            Some(value) => drop(expected.insert(found.to_owned(), value.clone())),
            None => drop(expected.remove(found)),
        }
    }
    expected
}

/// Whether nothing but the issuer came to what was expected.
pub fn same_but_issuer(expected: &Map<String, Value>, now: &Map<String, Value>) -> bool {
    let mut now = now.clone();
    now.remove("issuer");
    now == *expected
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // Requirements: SEC-07.
    #[test]
    fn an_edit_changes_what_was_found_only_by_what_it_was_found_by() {
        let form = |form: Value| form.as_object().unwrap().clone();
        let check = |before: Value, now: Value, expected: Value| {
            assert_eq!(with_edit(&form(before), &form(now.clone())), form(expected), "{now}");
        };
        let local = |command: &str, argument: &str, hash: &str| {
            json!({
                "command": command,
                "args": [argument],
                "program": format!("/bin/{hash}"),
                "programSha256": hash,
            })
        };
        check(local("a", "x", "1"), local("a", "y", "2"), local("a", "y", "1"));
        check(local("a", "x", "1"), local("b", "y", "2"), local("b", "y", "2"));
        let remote = |url: &str, tone: &str, issuer: &str| {
            json!({
                "url": url,
                "headers": {"t": tone},
                "issuer": issuer,
            })
        };
        check(remote("u", "x", "i"), remote("u", "y", "j"), remote("u", "y", "i"));
        check(remote("u", "x", "i"), remote("v", "y", "j"), remote("v", "y", "j"));
        check(json!({"url": "u"}), remote("u", "y", "j"), json!({"url": "u", "headers": {"t": "y"}}));
        check(local("a", "x", "1"), remote("u", "y", "j"), remote("u", "y", "j"));
    }
}
