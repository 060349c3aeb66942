//! A server's definition in a form that can be compared and approved: the saved settings, and what Mooring
//! resolved them to on this computer.

use mooring_base::digest::sha256;
use serde_json::{Map, Value};

use crate::items::PinItem;
use crate::pin::{PinKind, PinState, PinView};
use crate::untrusted::find_hidden;
use mooring_jsonrpc::canonical::parse;

/// Members that Mooring adds when it starts or reaches the server, each with the setting that the member was
/// resolved from.
const RESOLVED_MEMBERS: [(&str, &str); 3] =
    [("program", "command"), ("programSha256", "command"), ("issuer", "url")];

/// The pin of a server that was never started here.
pub fn unstarted_pin(settings: Map<String, Value>) -> PinView {
    let form = parse(&Value::from(settings).to_string()).to_string();
    PinView {
        kind: PinKind::Server,
        name: String::new(),
        state: PinState::New,
        hash: sha256(&form),
        approved_ms: None,
        changes: Vec::new(),
        unshown: 0,
        hidden: find_hidden(&parse(&form)),
        for_apps: None,
        now: form,
        whole: None,
    }
}

/// The hash of a form's saved settings, without the members that Mooring resolved.
pub fn saved_hash(form: &str) -> Option<String> {
    let mut form: Map<String, Value> = serde_json::from_str(form).ok()?;
    form.retain(|name, _| RESOLVED_MEMBERS.iter().all(|(found, _)| found != name));
    Some(sha256(&parse(&Value::from(form).to_string()).to_string()))
}

/// The item of a server whose definition has these members.
pub fn server_item(form: &Map<String, Value>) -> PinItem {
    PinItem::from_form(PinKind::Server, "", parse(&Value::from(form.clone()).to_string()).to_string())
}

/// The definition that is expected after the person edited the settings. A member that Mooring resolved is
/// still compared, unless the person changed the command or URL that the member was resolved from.
pub fn apply_edit(before: &Map<String, Value>, now: &Map<String, Value>) -> Map<String, Value> {
    let mut expected = now.clone();
    for (found, by) in RESOLVED_MEMBERS {
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

/// Whether the issuer is the only difference from the expected definition.
pub fn is_same_but_issuer(expected: &Map<String, Value>, now: &Map<String, Value>) -> bool {
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
            assert_eq!(apply_edit(&form(before), &form(now.clone())), form(expected), "{now}");
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
