//! Folders.

use mooring_host as host;

use super::shown;
use crate::dto::{RootView, ServerRoots};

impl From<host::RootView> for RootView {
    fn from(root: host::RootView) -> Self {
        let host::RootView { id, server, path, name, wide, problem } = root;
        Self {
            id,
            server: server.map(|server| server.0),
            path: shown(&path),
            name,
            wide,
            problem: problem.map(|problem| problem.sentence().into()),
        }
    }
}

impl From<host::ServerRoots> for ServerRoots {
    fn from(roots: host::ServerRoots) -> Self {
        let host::ServerRoots { roots, shared, asked_ms } = roots;
        Self { roots: roots.into_iter().map(Into::into).collect(), shared, asked_at: asked_ms }
    }
}
