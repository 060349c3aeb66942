//! Remembers the era of a server. Only the result of a handshake is stored: a required sign-in, an overload
//! or a network error says nothing about the era (ERA-14, ERA-15).

use std::path::Path;
use std::time::Duration;

use mooring_base::digest::sha256;
use mooring_definitions::{EraOverride, NewServer};
use mooring_mcp::{Era, EraChoice};
use mooring_store::KnownEras;

/// After this time, the era is detected again, because the server may have been updated to a newer one.
const MAX_AGE: Duration = Duration::from_hours(7 * 24);

/// The cache of negotiated eras, kept in the database.
#[derive(Debug, Clone)]
pub struct EraCache(pub KnownEras);

impl EraCache {
    /// The era of the server with this fingerprint. If the database can't be read, the era is detected again.
    pub(crate) async fn get(&self, identity: &str) -> Option<Era> {
        match self.0.get(identity, MAX_AGE).await {
            Ok(era) => era.as_deref().and_then(Era::from_name),
            Err(error) => {
                tracing::warn!(%error, "the era of a server could not be recalled");
                None
            }
        }
    }

    /// Saves the era from a handshake.
    pub(crate) async fn insert(&self, identity: &str, era: Era) {
        if let Err(error) = self.0.set(identity, era.as_str()).await {
            tracing::warn!(%error, "the era of a server could not be remembered");
        }
    }
}

/// Identifies a server by its program and arguments, or by its URL. The text is hashed, because these may
/// contain secrets.
pub(crate) fn server_fingerprint(config: &NewServer, program: Option<&Path>) -> String {
    let program = program.map(|program| program.display().to_string());
    sha256(&serde_json::json!([program, config.args, config.url]).to_string())
}

/// Converts the person's choice to that of the engine.
pub fn era_choice(chosen: EraOverride) -> EraChoice {
    match chosen {
        EraOverride::Auto => EraChoice::Auto,
        EraOverride::Modern => EraChoice::Only(Era::Modern),
        EraOverride::Session => EraChoice::Only(Era::Session),
        EraOverride::Sse => EraChoice::Only(Era::LegacySse),
    }
}
