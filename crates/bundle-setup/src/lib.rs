//! The server that a bundle becomes: the values that it asks for, what a person sees of it, and what is remembered
//! of its versions.

mod record;
mod values;
mod view;

pub use record::{
    BundleFacts, BundleIdentity, BundleRecord, BundleValues, ServerBundleRecord, to_internal, value_keys,
};
pub use values::{BundleSetup, KeptVariables};
pub use view::{
    BundleChoice, BundleOutcome, BundleProgram, BundleReview, BundleUpdate, EarlierBundle, InstalledServer,
    ServerBundleView, SignatureState, links, server_name,
};
