//! The proxies that the gateway is compared with, pinned in `tests/servers/proxies`. No other task needs
//! them.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::setup::{python, servers};
use crate::workspace::Workspace;

/// Installs the proxies in the target directory, unless these versions are already there. Returns their
/// folder. Reports and skips a proxy that can't be installed: the benchmark lists it as missing.
pub(crate) fn install(workspace: &Workspace) -> Result<PathBuf> {
    let pins = workspace.root.join("tests/servers/proxies");
    let folder = workspace.target.join("proxies");
    for (what, installed) in [
        ("proxies of npm", servers::packages(&pins, &folder)),
        ("proxies of PyPI", python::environment(&folder.join("venv"), &pins.join("requirements.txt"))),
    ] {
        if let Err(error) = installed {
            eprintln!("{what} are left out: {error:#}");
        }
    }
    let script = "fastmcp_proxy.py";
    fs::copy(pins.join(script), folder.join(script)).with_context(|| format!("could not copy: {script}"))?;
    Ok(folder)
}
