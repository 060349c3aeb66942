//! Finds the files in a project's folder that name servers for the apps that work in it.
//!
//! The files are those of [Claude Code](https://code.claude.com/docs/en/mcp),
//! [Cursor](https://cursor.com/docs/context/mcp), [VS Code](https://code.visualstudio.com/docs/copilot/customization/mcp-servers),
//! [Gemini CLI](https://geminicli.com/docs/tools/mcp-server/), [Codex](https://developers.openai.com/codex/config-basic)
//! and [`OpenCode`](https://opencode.ai/docs/config).

use std::path::Path;

use crate::app::app;
use crate::error::Error;
use crate::file::read_text;
use crate::found::State;

/// The files, and the apps that read them.
const FILES: [(&str, &str); 7] = [
    (".mcp.json", "claude-code"),
    (".cursor/mcp.json", "cursor"),
    (".vscode/mcp.json", "vscode"),
    (".gemini/settings.json", "gemini-cli"),
    (".codex/config.toml", "codex"),
    ("opencode.json", "opencode"),
    ("opencode.jsonc", "opencode"),
];

/// The names of the files that are read.
pub fn project_file_names() -> impl Iterator<Item = &'static str> {
    FILES.into_iter().map(|(name, _)| name)
}

/// A project's file with servers.
#[derive(Debug)]
pub struct ProjectFile {
    /// Its path in the project's folder.
    pub name: &'static str,
    /// Its text, which may contain secrets.
    pub text: Result<String, Error>,
    /// The names of the servers in it that start Mooring.
    pub ours: Vec<String>,
}

/// The files with servers in a project's folder, and those that can't be read.
pub fn read_project(folder: &Path) -> Vec<ProjectFile> {
    let read = |(name, id): (&'static str, &str)| {
        let text = match read_text(&folder.join(name)) {
            Ok(read) => Ok(read?.text),
            Err(error) => Err(error),
        };
        let servers = text.as_ref().ok().zip(app(id)).map(|(text, app)| app.read_servers(text));
        let ours = match servers {
            // Settings of an app need not have servers.
            Some(Ok(State::Readable { servers, .. })) if servers.is_empty() => return None,
            Some(Ok(State::Readable { ours, .. })) => ours,
            // A file that can't be parsed is reported when it is imported.
            _ => Vec::new(),
        };
        Some(ProjectFile { name, text, ours })
    };
    FILES.into_iter().filter_map(read).collect()
}
