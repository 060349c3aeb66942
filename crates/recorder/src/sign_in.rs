//! Names the steps of a sign-in for the log.

use mooring_oauth::Purpose;

/// The name of a step's purpose.
pub(crate) fn purpose_word(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Challenge => "challenge",
        Purpose::ResourceMetadata => "resource_metadata",
        Purpose::ServerMetadata => "server_metadata",
        Purpose::ClientIdentity => "client_identity",
        Purpose::Registration => "registration",
        Purpose::Authorization => "authorization",
        Purpose::Token => "token",
        Purpose::Profile => "profile",
        Purpose::Revocation => "revocation",
        Purpose::Icon => "icon",
    }
}
