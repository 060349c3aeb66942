//! Recognizes the manifests of bundles, which are no configuration, and says what to do with them.

use mooring_words::{Sentence, say};

use super::node::Node;

/// Describes a document that can't be imported yet, with the offset of its start.
pub(super) fn describe_foreign(roots: &[Node]) -> Option<(usize, Sentence)> {
    roots.iter().find_map(|root| Some((root.start, bundle_message(root)?)))
}

/// A bundle's `manifest.json`.
fn bundle_message(root: &Node) -> Option<Sentence> {
    root.member("manifest_version").or_else(|| root.member("dxt_version"))?;
    root.member("server")?.members()?;
    Some(say!(
        "this is the manifest of a bundle (.mcpb or .dxt), which can’t be read yet: unpack the bundle and add the command under server.mcp_config, with the bundle’s folder in place of {placeholder}",
        placeholder = "${__dirname}"
    ))
}
