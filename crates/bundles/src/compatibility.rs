//! Whether a bundle can run here.

use mooring_words::{Sentence, say};

use crate::error::{BundleError, BundleErrorCode};
use crate::manifest::{BundleKind, BundleManifest};
use crate::range::is_in_range;
use crate::system::TargetSystem;

/// The name that a manifest's version range for Mooring has.
const CLIENT: &str = "mooring";

/// What a bundle may require of the computer. Versions that aren't known are not checked.
#[derive(Debug, Clone, Copy)]
pub struct HostFacts<'a> {
    /// The operating system.
    pub system: TargetSystem,
    /// Mooring's version.
    pub client_version: &'a str,
    /// The version of the Node.js that would run, such as `v22.4.0`.
    pub node_version: Option<&'a str>,
    /// The version of the Python that would run, such as `3.12.1`.
    pub python_version: Option<&'a str>,
}

impl BundleManifest {
    /// Checks `compatibility` (MANIFEST.md, “Compatibility”). Ranges for other clients, and ranges that can't be read,
    /// don't count. The error's code is [`BundleErrorCode::Incompatible`].
    pub fn check_host(&self, host: &HostFacts<'_>) -> Result<(), BundleError> {
        let required = &self.compatibility;
        let systems = &required.systems;
        if !systems.is_empty() && !systems.iter().any(|name| names_system(name, host.system)) {
            let names: Vec<&str> = systems
                .iter()
                .map(|name| match TargetSystem::from_manifest_name(name) {
                    Some(system) => system.display_name(),
                    None => name,
                })
                .collect();
            let (systems, here) = (names.join(", "), host.system.display_name());
            return Err(incompatible(say!(
                "this bundle isn’t for {here}, only for {systems}",
                systems,
                here
            )));
        }
        let node = host.node_version.filter(|_| self.server.kind == BundleKind::Node);
        // uv brings a Python of its own if it has to.
        let python = host.python_version.filter(|_| self.server.kind == BundleKind::Python);
        let client = required.clients.iter().find(|(name, _)| name == CLIENT).map(|(_, range)| range);
        for (program, version, range) in [
            ("Mooring", Some(host.client_version), client),
            ("Node.js", node, required.node.as_ref()),
            ("Python", python, required.python.as_ref()),
        ] {
            let (Some(version), Some(range)) = (version, range) else { continue };
            if is_in_range(version, range) == Some(false) {
                let range = &**range;
                return Err(incompatible(say!(
                    "this bundle needs {program} {range}, and {version} is here",
                    program,
                    range,
                    version
                )));
            }
        }
        Ok(())
    }
}

fn names_system(name: &str, system: TargetSystem) -> bool {
    TargetSystem::from_manifest_name(name) == Some(system)
}

fn incompatible(sentence: Sentence) -> BundleError {
    BundleError::new(BundleErrorCode::Incompatible, sentence)
}
