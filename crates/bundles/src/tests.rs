//! Tests of this crate.

mod damaged;
mod generated;
mod hostile;
mod launch;
mod manifests;
mod signatures;
mod unpack;
mod zips;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use self::zips::{Member, write_zip};
use crate::limits::Limits;
use crate::{Bundle, BundleError, UnpackProgress};

/// The manifest of most tests.
const MANIFEST: &str = r#"{
    "manifest_version": "0.3",
    "name": "harbour",
    "version": "1.2.0",
    "description": "Watches the tide.",
    "author": { "name": "Harbour Works" },
    "server": {
        "type": "node",
        "entry_point": "server/index.js",
        "mcp_config": { "command": "node", "args": ["${__dirname}/server/index.js"] }
    }
}"#;

/// A folder for a test: bundles are written to `files` and unpacked to `bundles`.
struct Sandbox {
    root: TempDir,
}

impl Sandbox {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("files")).unwrap();
        Self { root }
    }

    fn target(&self) -> PathBuf {
        self.root.path().join("bundles")
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.root.path().join("files").join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Opens a bundle with the usual manifest, its server and these members.
    fn open(&self, members: &[Member]) -> Result<Bundle, BundleError> {
        Bundle::open(&self.write("harbour.mcpb", &write_zip(&with_server(members))))
    }

    fn open_within(&self, members: &[Member], limits: Limits) -> Result<Bundle, BundleError> {
        Bundle::open_within(&self.write("harbour.mcpb", &write_zip(&with_server(members))), limits)
    }

    /// Every file and folder in the sandbox but the bundles' files, in order, with `/` between the parts.
    fn list(&self) -> Vec<String> {
        let mut found = Vec::new();
        list_below(self.root.path(), self.root.path(), &mut found);
        found.retain(|path| path.split('/').next() != Some("files"));
        found.sort();
        found
    }
}

/// Lets the unpacking go on.
fn go_on(_: UnpackProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn list_below(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        found.push(path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/"));
        if entry.file_type().unwrap().is_dir() {
            list_below(root, &path, found);
        }
    }
}

fn with_server(members: &[Member]) -> Vec<Member> {
    let mut all = vec![
        Member::file("manifest.json", MANIFEST),
        Member::file("server/index.js", "console.log('ebb');\n"),
    ];
    all.extend_from_slice(members);
    all
}
