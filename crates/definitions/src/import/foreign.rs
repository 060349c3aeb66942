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
        "this is the manifest of a bundle: add the bundle’s file (.mcpb or .dxt) with `mooring import FILE`"
    ))
}
