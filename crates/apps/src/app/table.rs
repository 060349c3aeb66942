//! The table of apps. Each entry has the source that it was checked with in November 2026. *Read* means a
//! document or source code of the app's maker. *Quoted* means that it could only be checked with quotations
//! by others, several of which agree. *Tried* means that the app itself listed the servers of such a file.
//!
//! For apps marked `mark_asks_person`, the maker says that the app asks before a tool of an MCP server runs, unless the
//! person turns that off. For the others, this is unknown, or they don't ask: `OpenCode` and Goose run tools
//! by default. Apps marked `mark_searches_tools` have their own search for tools, and do not give their model all of
//! them.
//!
//! Devin's own file is left out, because sources contradict each other (Devin Desktop also reads Windsurf's).
//! For Devin, and for apps that only have servers in their user interface, there are snippets.

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

/// An app with a JSON file. A new file is empty.
const fn json(
    id: &'static str,
    name: &'static str,
    files: &'static [Location],
    sections: &'static [Section],
) -> App {
    App {
        id,
        name,
        format: Format::Json,
        asks_person: false,
        searches_tools: false,
        files,
        reads_all: false,
        folders: &[],
        new_file: "",
        sections,
    }
}

/// Marks an app that asks the person before a tool runs.
const fn mark_asks_person(app: App) -> App {
    App { asks_person: true, ..app }
}

/// Marks an app that has its own search for tools.
const fn mark_searches_tools(app: App) -> App {
    App { searches_tools: true, ..app }
}

/// `mcpServers` with `command` and `args`, as most apps have it.
const PLAIN: &[Section] = &[section(&["mcpServers"], EntryForm::Plain)];
/// The section of VS Code.
const SERVERS: &[Section] = &[section(&["servers"], EntryForm::Stdio)];

pub(super) const APPS: &[App] = &[
    // Quoted: https://modelcontextprotocol.io/docs/develop/connect-local-servers (macOS, Windows). The maker
    // releases no version for Linux. Builds of others have the file at the same path in the config folder.
    // Asking (quoted): https://github.com/orgs/modelcontextprotocol/discussions/69
    mark_asks_person(json(
        "claude-desktop",
        "Claude Desktop",
        &[config("Claude/claude_desktop_config.json")],
        PLAIN,
    )),
    // Quoted: https://code.claude.com/docs/en/mcp (`mcpServers` at the top level of the file is the user's
    // scope). Read, for CLAUDE_CONFIG_DIR: the program itself. Asking (read):
    // https://code.claude.com/docs/en/permissions
    mark_searches_tools(mark_asks_person(App {
        folders: &[home(".claude")],
        ..json(
            "claude-code",
            "Claude Code",
            &[variable("CLAUDE_CONFIG_DIR", ".claude.json"), home(".claude.json")],
            &[section(&["mcpServers"], EntryForm::Stdio)],
        )
    })),
    // Quoted: https://cursor.com/docs/mcp
    // Asking (quoted): https://docs.infrahub.app/mcp/integrations/cursor
    mark_searches_tools(mark_asks_person(json("cursor", "Cursor", &[home(".cursor/mcp.json")], PLAIN))),
    // Read: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration. This is the default
    // profile's file.
    // Asking (read): https://code.visualstudio.com/docs/agents/agent-tools
    mark_asks_person(json("vscode", "VS Code", &[config("Code/User/mcp.json")], SERVERS)),
    mark_asks_person(json(
        "vscode-insiders",
        "VS Code Insiders",
        &[config("Code - Insiders/User/mcp.json")],
        SERVERS,
    )),
    // VS Code under another name, which is also the folder's name. It has no MCP documentation of its own.
    json("vscodium", "VSCodium", &[config("VSCodium/User/mcp.json")], SERVERS),
    // Quoted: https://docs.windsurf.com/windsurf/cascade/mcp
    json("windsurf", "Windsurf", &[home(".codeium/windsurf/mcp_config.json")], PLAIN),
    // Read: sdk/packages/shared/src/storage/paths.ts of https://github.com/cline/cline
    // (`resolveMcpSettingsPath`), and https://docs.cline.bot/mcp/adding-and-configuring-servers.md for the
    // form. Quoted: older versions of the extension have the file in a folder of VS Code.
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
    // Read: https://docs.roocode.com/features/mcp/using-mcp-in-roo, for the file's name and form. Quoted: the
    // file is in the extension's folder, which is in a folder of VS Code.
    json(
        "roo-code",
        "Roo Code",
        &[config("Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json")],
        PLAIN,
    ),
    // Read: docs/src/ai/mcp.md and crates/paths/src/paths.rs of https://github.com/zed-industries/zed. Older versions
    // need `source`; newer ones allow it. Asking (read): docs/src/ai/tool-permissions.md.
    mark_asks_person(json(
        "zed",
        "Zed",
        &[
            only(&[Macos], &home(".config/zed/settings.json")),
            only(&[Linux], &config("zed/settings.json")),
            only(WINDOWS, &config("Zed/settings.json")),
        ],
        &[section(&["context_servers"], EntryForm::Custom)],
    )),
    // Read: docs/config.md of https://github.com/openai/codex
    mark_searches_tools(App {
        format: Format::Toml,
        ..json(
            "codex",
            "Codex",
            &[variable("CODEX_HOME", "config.toml"), home(".codex/config.toml")],
            &[section(&["mcp_servers"], EntryForm::Plain)],
        )
    }),
    // Read: https://block.github.io/goose/docs/guides/config-files, and crates/goose/src/config/paths.rs of
    // https://github.com/block/goose for GOOSE_PATH_ROOT.
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
    // Read: docs/reference.mdx of https://github.com/continuedev/continue. `mcpServers` is a list; `name`, `version` and
    // `schema` are required. Asking (read): https://docs.continue.dev/agent/how-to-customize
    mark_asks_person(App {
        format: Format::Yaml,
        new_file: "name: Local Config\nversion: 1.0.0\nschema: v1\n",
        ..json(
            "continue",
            "Continue",
            &[home(".continue/config.yaml")],
            &[Section { keys: &["mcpServers"], list: true, form: EntryForm::Named }],
        )
    }),
    // Read: docs/tools/mcp-server.md of https://github.com/google-gemini/gemini-cli. Quoted: GEMINI_CLI_HOME, the home
    // folder in newer versions. Asking (read): the same document, for `trust`.
    mark_asks_person(json(
        "gemini-cli",
        "Gemini CLI",
        &[variable("GEMINI_CLI_HOME", ".gemini/settings.json"), home(".gemini/settings.json")],
        PLAIN,
    )),
    // Read: https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers, and
    // https://code.visualstudio.com/docs/agents/reference/mcp-configuration.md for COPILOT_HOME. Asking (read):
    // https://docs.github.com/en/copilot/how-tos/copilot-cli/set-up-copilot-cli/configure-copilot-cli
    mark_asks_person(json(
        "copilot-cli",
        "Copilot CLI",
        &[variable("COPILOT_HOME", "mcp-config.json"), home(".copilot/mcp-config.json")],
        &[section(&["mcpServers"], EntryForm::Tools)],
    )),
    // Read: https://opencode.ai/docs/mcp-servers, https://opencode.ai/v2/docs/mcp-servers and
    // https://opencode.ai/docs/migrate-v1.md. Version 2 has the servers in `mcp.servers`, and also reads the
    // older form. The later of both files takes precedence (tried with version 1).
    App {
        reads_all: true,
        ..json(
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
        )
    },
    // Read: README.md of https://github.com/charmbracelet/crush. Quoted: internal/config/load.go, for
    // CRUSH_GLOBAL_CONFIG (a folder); newer versions use the same folder on Windows. Asking (read):
    // README.md.
    mark_asks_person(json(
        "crush",
        "Crush",
        &[
            variable("CRUSH_GLOBAL_CONFIG", "crush.json"),
            xdg_config("crush/crush.json"),
            Location { platforms: WINDOWS, base: Base::LocalData, path: "crush/crush.json" },
        ],
        &[section(&["mcp"], EntryForm::Stdio)],
    )),
    // Read: 0_app/2_mcp/index.mdx of https://github.com/lmstudio-ai/docs, and
    // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1371 for both folders.
    json("lm-studio", "LM Studio", &[home(".lmstudio/mcp.json"), home(".cache/lm-studio/mcp.json")], PLAIN),
    // Read: src-tauri/src/core/app/commands.rs and src-tauri/src/core/mcp/constants.rs of
    // https://github.com/janhq/jan. A data folder that was moved in Jan's settings is not followed.
    json(
        "jan",
        "Jan",
        &[variable("JAN_DATA_FOLDER", "mcp_config.json"), data("Jan/data/mcp_config.json")],
        &[section(&["mcpServers"], EntryForm::Active)],
    ),
    // Read: https://kiro.dev/docs/mcp/configuration
    App { folders: &[home(".kiro")], ..json("kiro", "Kiro", &[home(".kiro/settings/mcp.json")], PLAIN) },
    // Quoted: https://ampcode.com/manual. `amp.mcpServers` is one key that contains a dot. The file is the
    // same on Windows.
    json(
        "amp",
        "Amp",
        &[
            variable("AMP_SETTINGS_FILE", ""),
            home(".config/amp/settings.json"),
            home(".config/amp/settings.jsonc"),
        ],
        &[section(&["amp.mcpServers"], EntryForm::Plain)],
    ),
    // Read: https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/mcp-ide.html. The IDE and the CLI read this file
    // unless `useLegacyMcpJson` is off.
    json("amazon-q", "Amazon Q", &[home(".aws/amazonq/mcp.json")], PLAIN),
    // Read: https://docs.warp.dev/agents/capabilities/mcp.md, and the skill agent-add-mcp of
    // https://github.com/warpdotdev/warp for the file.
    json("warp", "Warp", &[home(".warp/.mcp.json")], PLAIN),
    // Tried: Qwen Code 0.24, which has Gemini CLI's form. Read: docs/users/features/mcp.md of
    // https://github.com/QwenLM/qwen-code
    json("qwen-code", "Qwen Code", &[home(".qwen/settings.json")], PLAIN),
    // Tried: Kilo CLI 7.8, which has OpenCode's form. Read: https://kilo.ai/docs/automate/mcp/using-in-kilo-code, for
    // the file.
    json(
        "kilo",
        "Kilo CLI",
        &[xdg_config("kilo/kilo.jsonc"), xdg_config("kilo/kilo.json")],
        &[section(&["mcp"], EntryForm::CommandArray)],
    ),
    // Tried: Factory Droid 0.225. Read: https://docs.factory.ai/factory-cli/configuration/mcp
    json(
        "droid",
        "Factory Droid",
        &[home(".factory/mcp.json")],
        &[section(&["mcpServers"], EntryForm::Stdio)],
    ),
    // Tried: Auggie 0.36. It runs tools without asking (read): https://docs.augmentcode.com/cli/integrations
    json("auggie", "Auggie", &[home(".augment/settings.json")], PLAIN),
    // Read, for the file, its form and asking: https://moonshotai.github.io/kimi-code/en/customization/mcp
    mark_asks_person(json(
        "kimi-code",
        "Kimi Code",
        &[variable("KIMI_CODE_HOME", "mcp.json"), home(".kimi-code/mcp.json")],
        PLAIN,
    )),
    // Quoted: the first file is that of version 2, the second that of version 1.
    json(
        "antigravity",
        "Antigravity",
        &[home(".gemini/config/mcp_config.json"), home(".gemini/antigravity/mcp_config.json")],
        PLAIN,
    ),
    // Quoted: https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html. Asking (read):
    // https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html
    mark_asks_person(App {
        folders: &[home(".junie")],
        ..json("junie", "Junie", &[home(".junie/mcp/mcp.json")], PLAIN)
    }),
    // Quoted: https://docs.boltai.com/docs/plugins/mcp-servers. It only exists for macOS.
    json("boltai", "BoltAI", &[home(".boltai/mcp.json")], PLAIN),
    // Quoted: https://docs.anythingllm.com/mcp-compatibility/desktop
    json(
        "anythingllm",
        "AnythingLLM",
        &[config("anythingllm-desktop/storage/plugins/anythingllm_mcp_servers.json")],
        PLAIN,
    ),
];
