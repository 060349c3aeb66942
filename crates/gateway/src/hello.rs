//! The first line of a bridge, which says whose it is, and the gateway's answer. After them only MCP passes.

use serde::{Deserialize, Serialize};

/// The version of these two lines.
const VERSION: u32 = 1;
/// The longest name of an app, in characters.
const MAX_APP: usize = 64;

/// Who connects.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Hello {
    mooring: u32,
    /// The app's name.
    pub(crate) app: String,
    /// The name of the server that it wants to see, where it is one alone.
    pub(crate) server: Option<String>,
}

/// The gateway's answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Welcome {
    mooring: u32,
    /// Why the app is refused.
    pub(crate) refused: Option<String>,
}

impl Hello {
    pub(crate) fn new(app: &str, server: Option<&str>) -> Self {
        Self { mooring: VERSION, app: app.to_owned(), server: server.map(str::to_owned) }
    }

    /// Reads the line; the error is for whoever sent it.
    pub(crate) fn read(line: &str) -> Result<Self, String> {
        let hello: Self =
            serde_json::from_str(line).map_err(|_| "this is Mooring’s gateway, for `mooring bridge`".to_owned())?;
        if hello.mooring != VERSION {
            return Err("the bridge is of another version of Mooring".to_owned());
        }
        let is_name = !hello.app.trim().is_empty() && hello.app.chars().count() <= MAX_APP;
        if !is_name || hello.app.chars().any(char::is_control) {
            return Err(format!("an app’s name has 1 to {MAX_APP} characters"));
        }
        Ok(hello)
    }
}

impl Welcome {
    pub(crate) fn new(refused: Option<String>) -> Self {
        Self { mooring: VERSION, refused }
    }
}
