//! The table: one entry an app, each with the document by which it was checked.
//!
//! Left out, because no document of its makers could be read that says so: Devin Desktop's own file (it also reads
//! Windsurf's), and any app whose servers are only in its user interface. For those there are snippets.

use super::{App, Base, Location, Section};
use crate::entry::EntryForm;
use crate::format::Format;
use crate::places::Platform::{self, Linux, Macos, Windows};

const ALL: &[Platform] = &[Linux, Macos, Windows];
const UNIX: &[Platform] = &[Linux, Macos];
const WINDOWS: &[Platform] = &[Windows];

const fn home(path: &'static str) -> Location {
    Location { platforms: ALL, base: Base::Home, path }
}

const fn config(path: &'static str) -> Location {
    Location { platforms: ALL, base: Base::Config, path }
}

const fn data(path: &'static str) -> Location {
    Location { platforms: ALL, base: Base::Data, path }
}

const fn xdg_config(path: &'static str) -> Location {
    Location { platforms: ALL, base: Base::XdgConfig, path }
}

const fn variable(name: &'static str, path: &'static str) -> Location {
    Location { platforms: ALL, base: Base::Variable(name), path }
}

const fn only(platforms: &'static [Platform], location: &Location) -> Location {
    Location { platforms, base: location.base, path: location.path }
}

const fn section(keys: &'static [&'static str], form: EntryForm) -> Section {
    Section { keys, list: false, form }
}

/// An app with a JSON file, which can begin with nothing.
const fn json(
    id: &'static str,
    name: &'static str,
    files: &'static [Location],
    sections: &'static [Section],
) -> App {
    App { id, name, format: Format::Json, files, folders: &[], new_file: "", sections }
}

/// `mcpServers` with `command` and `args`: what most apps have.
const PLAIN: &[Section] = &[section(&["mcpServers"], EntryForm::Plain)];
/// VS Code's.
const SERVERS: &[Section] = &[section(&["servers"], EntryForm::Stdio)];

pub(super) const APPS: &[App] = &[
    // https://modelcontextprotocol.io/docs/develop/connect-local-servers (macOS, Windows). On Linux, where the app is
    // not released by its makers, the same below the config folder is what its builds use.
    json("claude-desktop", "Claude Desktop", &[config("Claude/claude_desktop_config.json")], PLAIN),
    // https://code.claude.com/docs/en/mcp (user scope: `mcpServers` at the top of ~/.claude.json) and
    // https://code.claude.com/docs/en/settings (CLAUDE_CONFIG_DIR).
    App {
        folders: &[home(".claude")],
        ..json(
            "claude-code",
            "Claude Code",
            &[variable("CLAUDE_CONFIG_DIR", ".claude.json"), home(".claude.json")],
            &[section(&["mcpServers"], EntryForm::Stdio)],
        )
    },
    // https://cursor.com/docs/mcp
    json("cursor", "Cursor", &[home(".cursor/mcp.json")], PLAIN),
    // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration (the file of the default profile).
    json("vscode", "VS Code", &[config("Code/User/mcp.json")], SERVERS),
    json("vscode-insiders", "VS Code Insiders", &[config("Code - Insiders/User/mcp.json")], SERVERS),
    // VS Code under another name, https://github.com/VSCodium/vscodium (`nameLong`); no document of its own on MCP.
    json("vscodium", "VSCodium", &[config("VSCodium/User/mcp.json")], SERVERS),
    // https://docs.windsurf.com/windsurf/cascade/mcp
    json("windsurf", "Windsurf", &[home(".codeium/windsurf/mcp_config.json")], PLAIN),
    // https://docs.cline.bot/mcp/mcp-overview: ~/.cline/data/settings for the CLI; github.com/cline/cline,
    // sdk/packages/shared/src/storage/paths.ts has the variables. The extension's older file is below VS Code's.
    App {
        folders: &[home(".cline")],
        ..json(
            "cline",
            "Cline",
            &[
                variable("CLINE_MCP_SETTINGS_PATH", ""),
                variable("CLINE_DATA_DIR", "settings/cline_mcp_settings.json"),
                home(".cline/data/settings/cline_mcp_settings.json"),
                config("Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
            ],
            PLAIN,
        )
    },
    // https://docs.roocode.com/features/mcp/using-mcp-in-roo names the file; that it is below VS Code's globalStorage
    // follows from the extension's id and is what https://gist.github.com/danielrosehill/ec279319741ed74143052ddce9132b1e
    // shows.
    json(
        "roo-code",
        "Roo Code",
        &[config("Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json")],
        PLAIN,
    ),
    // https://zed.dev/docs/ai/mcp, and crates/paths/src/paths.rs of github.com/zed-industries/zed for the folders.
    // Older versions need `source`, newer ones allow it.
    json(
        "zed",
        "Zed",
        &[
            only(&[Macos], &home(".config/zed/settings.json")),
            only(&[Linux], &config("zed/settings.json")),
            only(WINDOWS, &config("Zed/settings.json")),
        ],
        &[section(&["context_servers"], EntryForm::Custom)],
    ),
    // https://github.com/openai/codex/blob/main/docs/config.md (CODEX_HOME, mcp_servers).
    App {
        format: Format::Toml,
        ..json(
            "codex",
            "Codex",
            &[variable("CODEX_HOME", "config.toml"), home(".codex/config.toml")],
            &[section(&["mcp_servers"], EntryForm::Plain)],
        )
    },
    // https://block.github.io/goose/docs/guides/config-files, and crates/goose/src/config/paths.rs of
    // github.com/block/goose for GOOSE_PATH_ROOT.
    App {
        format: Format::Yaml,
        ..json(
            "goose",
            "Goose",
            &[
                variable("GOOSE_PATH_ROOT", "config/config.yaml"),
                only(UNIX, &xdg_config("goose/config.yaml")),
                only(WINDOWS, &config("Block/goose/config/config.yaml")),
            ],
            &[section(&["extensions"], EntryForm::Extension)],
        )
    },
    // https://docs.continue.dev/reference: `mcpServers` is a list; `name`, `version` and `schema` are required.
    App {
        format: Format::Yaml,
        new_file: "name: Local Config\nversion: 1.0.0\nschema: v1\n",
        ..json(
            "continue",
            "Continue",
            &[home(".continue/config.yaml")],
            &[Section { keys: &["mcpServers"], list: true, form: EntryForm::Named }],
        )
    },
    // https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md; the home folder can be another
    // by packages/core/src/utils/paths.ts.
    json(
        "gemini-cli",
        "Gemini CLI",
        &[variable("GEMINI_CLI_HOME", ".gemini/settings.json"), home(".gemini/settings.json")],
        PLAIN,
    ),
    // https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers, and
    // https://code.visualstudio.com/docs/agents/reference/mcp-configuration.md for COPILOT_HOME.
    json(
        "copilot-cli",
        "Copilot CLI",
        &[variable("COPILOT_HOME", "mcp-config.json"), home(".copilot/mcp-config.json")],
        &[section(&["mcpServers"], EntryForm::Tools)],
    ),
    // https://opencode.ai/docs/mcp-servers and https://opencode.ai/v2/docs/mcp-servers: version 2 has the servers
    // below `mcp.servers`, and reads the older form too (https://opencode.ai/docs/migrate-v1.md).
    json(
        "opencode",
        "OpenCode",
        &[
            variable("OPENCODE_CONFIG", ""),
            xdg_config("opencode/opencode.json"),
            xdg_config("opencode/opencode.jsonc"),
        ],
        &[
            section(&["mcp"], EntryForm::CommandArray),
            section(&["mcp", "servers"], EntryForm::CommandArrayAlone),
        ],
    ),
    // https://github.com/charmbracelet/crush/blob/main/README.md; CRUSH_GLOBAL_CONFIG is the folder
    // (internal/config/load.go).
    json(
        "crush",
        "Crush",
        &[
            variable("CRUSH_GLOBAL_CONFIG", "crush.json"),
            only(UNIX, &xdg_config("crush/crush.json")),
            only(WINDOWS, &variable("LOCALAPPDATA", "crush/crush.json")),
        ],
        &[section(&["mcp"], EntryForm::Stdio)],
    ),
    // https://lmstudio.ai/docs/app/mcp; that some systems have the older folder is
    // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1371.
    json("lm-studio", "LM Studio", &[home(".lmstudio/mcp.json"), home(".cache/lm-studio/mcp.json")], PLAIN),
    // src-tauri/src/core/app/commands.rs and src-tauri/src/core/mcp of github.com/janhq/jan. A data folder that was
    // moved in Jan's settings is not followed.
    json(
        "jan",
        "Jan",
        &[variable("JAN_DATA_FOLDER", "mcp_config.json"), data("Jan/data/mcp_config.json")],
        &[section(&["mcpServers"], EntryForm::Active)],
    ),
    // https://kiro.dev/docs/mcp/configuration
    App { folders: &[home(".kiro")], ..json("kiro", "Kiro", &[home(".kiro/settings/mcp.json")], PLAIN) },
    // https://ampcode.com/manual: `amp.mcpServers` is one name with a dot. The file is the same on Windows.
    json(
        "amp",
        "Amp",
        &[variable("AMP_SETTINGS_FILE", ""), home(".config/amp/settings.json")],
        &[section(&["amp.mcpServers"], EntryForm::Plain)],
    ),
    // https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/mcp-ide.html: read by the IDE and the CLI unless
    // `useLegacyMcpJson` is off.
    json("amazon-q", "Amazon Q", &[home(".aws/amazonq/mcp.json")], PLAIN),
    // https://docs.warp.dev/agents/capabilities/mcp.md, and the skill agent-add-mcp of github.com/warpdotdev/warp.
    json("warp", "Warp", &[home(".warp/.mcp.json")], PLAIN),
];
