//! The era that a server speaks, as it was found out by an earlier connection. Only what a server has said in a
//! handshake is remembered: a login, an overload or a network's fault says nothing of an era (ERA-14, ERA-15).

use std::path::Path;
use std::time::Duration;

use mooring_base::digest::sha256;
use mooring_definitions::NewServer;
use mooring_mcp::{Era, EraChoice};
use mooring_store::{EraOverride, KnownEras};

/// After this time a server is asked anew: a newer version of it may speak a newer era as well.
const MAX_AGE: Duration = Duration::from_hours(7 * 24);

/// The cache of negotiated eras, kept in the database.
#[derive(Debug, Clone)]
pub(crate) struct EraCache(pub(crate) KnownEras);

impl EraCache {
    /// The era of the server with this identity. A database that cannot be read costs a question to the server.
    pub(crate) async fn get(&self, identity: &str) -> Option<Era> {
        match self.0.get(identity, MAX_AGE).await {
            Ok(era) => era.as_deref().and_then(Era::from_name),
            Err(error) => {
                tracing::warn!(%error, "the era of a server could not be recalled");
                None
            }
        }
    }

    /// Remembers what a handshake told.
    pub(crate) async fn insert(&self, identity: &str, era: Era) {
        if let Err(error) = self.0.set(identity, era.as_str()).await {
            tracing::warn!(%error, "the era of a server could not be remembered");
        }
    }
}

/// What makes a server the same one: the program that is started with its arguments, or the address. Hashed,
/// because both may hold secrets.
pub(crate) fn server_fingerprint(config: &NewServer, program: Option<&Path>) -> String {
    let program = program.map(|program| program.display().to_string());
    sha256(&serde_json::json!([program, config.args, config.url]).to_string())
}

/// What the person chose, for the engine.
pub(crate) fn choice(chosen: EraOverride) -> EraChoice {
    match chosen {
        EraOverride::Auto => EraChoice::Auto,
        EraOverride::Modern => EraChoice::Only(Era::Modern),
        EraOverride::Session => EraChoice::Only(Era::Session),
        EraOverride::Sse => EraChoice::Only(Era::LegacySse),
    }
}
