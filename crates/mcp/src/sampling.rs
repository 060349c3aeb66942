//! Validates the messages of a sampling request with tools.

use mooring_jsonrpc::{Members, elements, member};

use std::collections::HashSet;

/// The relevant blocks of one message.
#[derive(Default)]
struct ToolBlocks {
    uses: HashSet<String>,
    results: HashSet<String>,
    others: usize,
}

/// Checks that tool results are alone in their message, that the next message answers each tool use, and that
/// each result belongs to an earlier use (SAMP-13). `messages` is valid JSON. A value that is not a list is
/// accepted here.
pub fn check(messages: &str) -> Result<(), &'static str> {
    let Some(messages) = elements(messages) else { return Ok(()) };
    let mut open: HashSet<String> = HashSet::new();
    for message in messages {
        let ToolBlocks { uses, results, others } = read_tool_blocks(message.get());
        if !results.is_empty() && (others > 0 || !uses.is_empty()) {
            return Err("a message with results of tools holds something else as well");
        }
        if open != results {
            return Err("uses and results of tools do not belong together");
        }
        open = uses;
    }
    if open.is_empty() { Ok(()) } else { Err("a use of a tool has no result") }
}

fn read_tool_blocks(message: &str) -> ToolBlocks {
    let mut blocks = ToolBlocks::default();
    let Some(content) = member(message, "content") else { return blocks };
    let several = elements(content).unwrap_or_default();
    let all =
        if content.starts_with('[') { several.iter().map(|one| one.get()).collect() } else { vec![content] };
    for block in all {
        let members = Members::of(block);
        let text = |name| members.text(name);
        match text("type").as_deref() {
            Some("tool_use") => {
                blocks.uses.insert(text("id").unwrap_or_default());
            }
            Some("tool_result") => {
                blocks.results.insert(text("toolUseId").unwrap_or_default());
            }
            _ => blocks.others += 1,
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: SAMP-13.
    #[test]
    fn tool_results_stand_alone_and_match_the_preceding_tool_uses() {
        let one = |id| format!(r#"{{"type":"tool_use","id":"{id}","name":"t","input":{{}}}}"#);
        let result = |id| format!(r#"{{"type":"tool_result","toolUseId":"{id}","content":[]}}"#);
        let text = r#"{"type":"text","text":"x"}"#.to_owned();
        let message = |blocks: &[String]| format!(r#"{{"role":"r","content":[{}]}}"#, blocks.join(","));
        let conversation = |messages: &[String]| check(&format!("[{}]", messages.join(",")));
        let uses = message(&[text.clone(), one("a"), one("b")]);
        assert!(conversation(&[format!(r#"{{"role":"user","content":{text}}}"#)]).is_ok());
        assert!(
            conversation(&[
                uses.clone(),
                message(&[result("b"), result("a")]),
                message(std::slice::from_ref(&text))
            ])
            .is_ok()
        );
        for bad in [
            vec![uses.clone(), message(&[result("a")])],
            vec![uses.clone(), message(&[result("a"), result("b"), text.clone()])],
            vec![uses.clone(), message(std::slice::from_ref(&text))],
            vec![uses],
            vec![message(&[result("a")])],
        ] {
            assert!(conversation(&bad).is_err(), "{bad:?}");
        }
        assert!(check("7").is_ok());
    }
}
