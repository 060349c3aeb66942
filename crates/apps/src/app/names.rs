//! Limits on the length of tools' names. Apps add a prefix to the names, and apps and models limit the
//! result. Beyond the limit, an app drops the tool or cuts its name so that two names may become equal, or
//! the model refuses the whole request.

/// The limit for unknown apps, in characters. With the prefix `mcp__mooring__`, the result has 63 characters,
/// which is what the strictest known app accepts (Qwen Code: packages/core/src/tools/mcp-tool.ts of
/// <https://github.com/QwenLM/qwen-code>).
const USUAL: u8 = 49;

/// The length that remains for a tool's name if Mooring's entry is called `mooring`, with its source.
const TABLE: &[(&str, u8)] = &[
    // `mcp__mooring__` and 64: https://github.com/anthropics/claude-code/issues/2412
    ("claude-code", 50),
    // Less than 60 with the server's name: https://github.com/ComposioHQ/composio/issues/2788
    ("cursor", 52),
    // `mcp_mooring_`, cut at 64: src/vs/workbench/contrib/mcp/common/mcpServer.ts of https://github.com/microsoft/vscode
    ("vscode", 52),
    ("vscode-insiders", 52),
    ("vscodium", 52),
    // `mooring__`, cut at 64: sdk/packages/core/src/extensions/mcp/name-transform.ts of https://github.com/cline/cline
    ("cline", 55),
    // `mcp--mooring--`, cut at 64: src/utils/mcp-name.ts of https://github.com/RooCodeInc/Roo-Code
    ("roo-code", 50),
    // `mooring_` if two servers have tools with the same name, cut at 64: crates/agent/src/thread.rs of
    // https://github.com/zed-industries/zed
    ("zed", 56),
    // `mcp__mooring__`, cut at 64: codex-rs/codex-mcp/src/tools.rs of https://github.com/openai/codex. Later
    // versions accept 128, which not every model does: https://github.com/openai/codex/issues/46188
    ("codex", 50),
    // `mooring__`, and the model's 64: crates/goose/src/agents/extension_manager.rs of https://github.com/block/goose
    ("goose", 55),
    // `mooring_`, and the model's 64: core/tools/mcpToolName.ts of https://github.com/continuedev/continue
    ("continue", 56),
    // `mcp_mooring_`, cut in the middle at 63: packages/core/src/tools/mcp-tool.ts of
    // https://github.com/google-gemini/gemini-cli
    ("gemini-cli", 51),
    // `mooring-`, cut at 64 (tried): https://github.com/microsoft/mcp/issues/842
    ("copilot-cli", 56),
    // `mooring_`, and the model's 64: packages/opencode/src/mcp/catalog.ts of https://github.com/anomalyco/opencode
    ("opencode", 56),
    // As OpenCode, from which it comes
    ("kilo", 56),
    // `mcp__mooring__`, and the model's 64: https://moonshotai.github.io/kimi-code/en/customization/mcp
    ("kimi-code", 50),
    // `mcp_mooring_`, and the model's 64: internal/agent/tools/mcp-tools.go of https://github.com/charmbracelet/crush
    ("crush", 52),
    // `mcp_mooring_`, and 64: https://github.com/kirodotdev/Kiro/issues/7656
    ("kiro", 52),
];

/// The longest name of a tool for the app with this id, in characters.
pub fn longest_name(app: &str) -> u8 {
    TABLE.iter().find(|(id, _)| *id == app).map_or(USUAL, |(_, longest)| *longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_app_of_the_table_is_known_and_leaves_room() {
        for (id, longest) in TABLE {
            assert!(crate::app(id).is_some() && (32..64).contains(longest), "{id}");
        }
        assert_eq!((longest_name("claude-code"), longest_name("pier-bot")), (50, USUAL));
    }
}
