//! MCPB bundles (`.mcpb`, formerly `.dxt`): zip files that contain an MCP server and a description of it.
//!
//! [`Bundle::open`] reads a file and checks everything that can be checked without unpacking: the zip's directory,
//! the manifest and the signature. [`Bundle::unpack`] writes its files to a folder of its own, one for each version;
//! [`find_installed`] lists these folders. [`launch_command`] makes the command that starts the server.
//!
//! The format is described by `MANIFEST.md`, `CLI.md` and the schemas of
//! <https://github.com/modelcontextprotocol/mcpb>, versions 0.1 to 0.4. The file may come from anywhere: no name or
//! number in it is trusted. Limits: 512 MiB for the file, 20,000 entries, 1 GiB unpacked, 1 MiB for the manifest.
//!
//! This crate asks the person nothing, starts no process and stores nothing but the unpacked files.

mod archive;
mod bundle;
mod compatibility;
mod config;
mod error;
mod installed;
mod launch;
mod limits;
mod locks;
mod manifest;
mod names;
mod range;
mod signature;
mod system;
mod trailer;
mod unpack;

pub use bundle::Bundle;
pub use compatibility::HostFacts;
pub use config::{ConfigKind, ConfigOption, ConfigValue};
pub use error::{BundleError, BundleErrorCode};
pub use installed::{InstalledBundle, find_installed};
pub use launch::{LaunchCommand, LaunchVariable, SecretArgument, default_texts, launch_command};
pub use locks::{CleaningLock, InstallLock};
pub use manifest::{
    BundleAuthor, BundleCompatibility, BundleKind, BundleManifest, BundleServer, BundleTool, LaunchConfig,
};
pub use signature::{BundleSignature, BundleSigner};
pub use system::{TargetSystem, UserFolders};
pub use unpack::{OnUnpackProgress, UnpackProgress};

#[cfg(test)]
mod tests;
