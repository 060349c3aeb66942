//! What a person sees of a bundle before and after its server is saved.

use mooring_base::codes;
use mooring_base::server_id::ServerId;
use mooring_bundles::{Bundle, BundleKind, BundleManifest, BundleSignature};
use mooring_definitions::NewServer;
use mooring_definitions::import::ImportInput;
use mooring_policy::PinChange;
use mooring_server_state::ServerView;
use mooring_words::Sentence;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Maximum number of characters of a server's name that is made of a bundle's title.
const MAX_NAME: usize = 100;

codes! {
    /// What kind of program a bundle's server is.
    pub enum BundleProgram {
        /// Runs with Node.js.
        Node = "node",
        /// Runs with Python.
        Python = "python",
        /// A program of its own.
        Binary = "binary",
        /// Runs with uv, which fetches Python and packages.
        Uv = "uv",
    }
}

codes! {
    /// Whether a bundle is signed. A broken signature is an error.
    pub enum SignatureState {
        /// There is no signature. This is normal.
        Unsigned = "unsigned",
        /// It matches the file. The signer made its own certificate.
        SelfSigned = "self_signed",
        /// It matches the file. Whether to trust the issuer of the certificate was not checked.
        Signed = "signed",
        /// It is of a kind that can't be verified.
        Unverified = "unverified",
    }
}

/// A bundle's file, read and not unpacked.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BundleReview {
    /// What its author calls it.
    pub title: String,
    /// Its version.
    pub version: String,
    /// The name of its author, which anyone can write.
    pub author: String,
    /// What it does, in a line.
    pub description: String,
    /// Addresses that it names: its website, its source, and the like.
    pub links: Vec<String>,
    /// What kind of program its server is.
    pub program: BundleProgram,
    /// Whether it is signed.
    pub signature: SignatureState,
    /// The signature's state, in words.
    pub signature_text: Sentence,
    /// The SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    /// The size of the file.
    #[serde(rename = "bytes")]
    pub file_bytes: u64,
    /// A name for the server, which another server may have.
    pub name: String,
    /// The server as far as it is known: with the defaults, and with placeholders for the rest.
    pub server: Option<NewServer>,
    /// Why it can't be used on this computer.
    pub problem: Option<Sentence>,
    /// What is worth to know before it is added.
    pub notes: Vec<Sentence>,
    /// The values that it asks for.
    pub inputs: Vec<ImportInput>,
    /// The servers that came from this file or from another version of the bundle.
    pub installed: Vec<InstalledServer>,
    /// What it changes, if it becomes a new version of one of them.
    pub update: Option<BundleUpdate>,
    /// Why secrets can't be encrypted, if it asks for any. It can't be added with them then.
    pub no_vault: Option<Sentence>,
}

/// A server that came from a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InstalledServer {
    /// The server.
    pub id: ServerId,
    /// The server's name.
    pub name: String,
    /// The version of its bundle.
    pub version: String,
    /// Whether it came from this very file.
    pub same: bool,
}

/// What a bundle changes about a server.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BundleUpdate {
    /// The server.
    pub id: ServerId,
    /// How its definition changes. The folder of the version is `.` in it.
    pub changes: Vec<PinChange>,
    /// How many more members change.
    pub unshown: usize,
    /// The keys of the secrets that the server has and that the new version would get.
    pub kept: Vec<String>,
    /// Why it only gets them if the person agrees to that. Otherwise they have to be entered again.
    pub consent: Option<Sentence>,
    /// The variables whose encrypted values are removed.
    pub removed: Vec<String>,
}

/// The bundle that a server came from.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerBundleView {
    /// What its author calls it.
    pub title: String,
    /// The version in use.
    pub version: String,
    /// The name of its author, which anyone can write.
    pub author: String,
    /// Whether it was signed.
    pub signature: SignatureState,
    /// The name in the signer's certificate.
    pub signer: Option<String>,
    /// The SHA-256 of its file.
    pub sha256: String,
    /// The version that the server can go back to.
    pub previous: Option<EarlierBundle>,
}

/// A version of a bundle that a server can go back to.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EarlierBundle {
    /// The version.
    pub version: String,
    /// The server as it would be, without secrets in its arguments.
    pub server: NewServer,
    /// Identifies that server. Going back needs it.
    pub hash: String,
    /// How the definition changes. The folder of the version is `.` in it.
    pub changes: Vec<PinChange>,
    /// How many more members change.
    pub unshown: usize,
    /// The variables whose values have to be entered again.
    pub missing: Vec<String>,
    /// The variables whose encrypted values are removed.
    pub removed: Vec<String>,
}

/// How a bundle is added.
#[derive(Debug, Clone, Default, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BundleChoice {
    /// The server that it becomes a new version of.
    pub update: Option<ServerId>,
    /// The name of a new server, in place of the title.
    pub name: Option<String>,
    /// Whether it gets the secrets of that server, although no signature shows that it is by the same author.
    pub gives_secrets: bool,
}

/// What came of adding a bundle.
#[derive(Debug, Clone)]
pub enum BundleOutcome {
    /// A server was added.
    Added(Box<ServerView>),
    /// A server has another version now, or other values.
    Updated(Box<ServerView>),
    /// This server came from the same file. Nothing was done.
    AlreadyInstalled(Box<ServerView>),
}

impl BundleOutcome {
    /// The server.
    pub fn server(&self) -> &ServerView {
        match self {
            Self::Added(view) | Self::Updated(view) | Self::AlreadyInstalled(view) => view,
        }
    }
}

impl From<BundleKind> for BundleProgram {
    fn from(kind: BundleKind) -> Self {
        match kind {
            BundleKind::Node => Self::Node,
            BundleKind::Python => Self::Python,
            BundleKind::Binary => Self::Binary,
            BundleKind::Uv => Self::Uv,
        }
    }
}

impl From<&BundleSignature> for SignatureState {
    fn from(signature: &BundleSignature) -> Self {
        match signature {
            BundleSignature::Unsigned => Self::Unsigned,
            BundleSignature::SelfSigned(_) => Self::SelfSigned,
            BundleSignature::Signed(_) => Self::Signed,
            BundleSignature::Unverified(_) => Self::Unverified,
        }
    }
}

/// A name for the server of a bundle.
pub fn server_name(manifest: &BundleManifest) -> String {
    let title = manifest.title();
    let name: String = title.chars().filter(|letter| !letter.is_control()).take(MAX_NAME).collect();
    name.trim().to_owned()
}

/// The addresses that a bundle names.
pub fn links(bundle: &Bundle) -> Vec<String> {
    let manifest = bundle.manifest();
    let named = [&manifest.homepage, &manifest.repository, &manifest.documentation, &manifest.support];
    let mut links: Vec<String> = named.into_iter().flatten().cloned().collect();
    links.extend(manifest.privacy_policies.iter().cloned());
    links.retain(|link| link.starts_with("https://"));
    links.dedup();
    links
}
