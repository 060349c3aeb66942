//! The steps of a sign-in, in the words of the log.

use mooring_oauth::Purpose;

/// The word for a step's purpose.
pub(crate) fn purpose(purpose: Purpose) -> &'static str {
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
