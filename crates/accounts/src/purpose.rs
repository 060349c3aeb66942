//! The purpose that each secret is encrypted for. The caller has to state the purpose to decrypt a secret. A
//! secret that was encrypted for another purpose can't be decrypted, whatever the database says about it.

use mooring_store::{SecretOwner, SecretPlace};
use serde_json::json;
use url::Url;

/// A variable or header of a server.
pub(crate) const SERVER: &str = "server";
/// The tokens of a login.
pub(crate) const LOGIN: &str = "login";
/// The secret of a client.
pub(crate) const CLIENT: &str = "client";
/// The key of a provider of models.
pub const PROVIDER: &str = "provider";

/// A variable of the person's own calls.
pub(crate) const VARIABLE: &str = "variable";

/// A variable or header of a server. For a header, the purpose includes the origin that it is sent to.
pub(crate) fn of_value(server: i64, place: SecretPlace, name: &str, url: Option<&str>) -> String {
    // Names that the store considers equal result in the same purpose.
    let name = match place {
        SecretPlace::Header => name.to_ascii_lowercase(),
        SecretPlace::Env if cfg!(windows) => name.to_ascii_lowercase(),
        SecretPlace::Env => name.to_owned(),
    };
    match place {
        SecretPlace::Env => json!([SERVER, server, place.as_str(), name]),
        SecretPlace::Header => json!([SERVER, server, place.as_str(), name, url.and_then(origin_of)]),
    }
    .to_string()
}

/// The tokens of a login at an issuer, for a resource.
pub(crate) fn of_login(issuer: &str, resource: &str) -> String {
    json!([LOGIN, issuer, resource]).to_string()
}

/// The secret of our client at an issuer.
pub(crate) fn of_client(issuer: &str, client_id: &str) -> String {
    json!([CLIENT, issuer, client_id]).to_string()
}

/// The key of a provider of models. The purpose includes its API and its origin.
pub fn of_provider(kind: &str, base_url: &str) -> String {
    json!([PROVIDER, kind, origin_of(base_url)]).to_string()
}

/// A variable of the person's own calls, by its name.
pub(crate) fn of_variable(name: &str) -> String {
    json!([VARIABLE, name]).to_string()
}

/// The purpose of a secret, by its owner.
pub(crate) fn of_owner(owner: &SecretOwner) -> String {
    match owner {
        SecretOwner::Server { id, place, name, url } => of_value(*id, *place, name, url.as_deref()),
        SecretOwner::Login { issuer, resource } => of_login(issuer, resource),
        SecretOwner::Client { issuer, client_id } => of_client(issuer, client_id),
        SecretOwner::Provider { kind, base_url } => of_provider(kind, base_url),
    }
}

fn origin_of(url: &str) -> Option<String> {
    Some(Url::parse(url).ok()?.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_is_told_from_every_other() {
        use SecretPlace::{Env, Header};
        let at = Some("https://a.example/mcp");
        let all = [
            of_value(1, Env, "TOKEN", None),
            of_value(2, Env, "TOKEN", None),
            of_value(1, Env, "OTHER", None),
            of_value(1, Header, "token", at),
            of_value(1, Header, "token", Some("https://b.example/mcp")),
            of_value(1, Header, "token", Some("http://a.example/mcp")),
            of_login("https://i", "https://r"),
            of_login("https://r", "https://i"),
            of_client("https://i", "https://r"),
            of_provider("openai", "https://a.example/v1"),
            of_provider("openai", "https://b.example/v1"),
            of_provider("gemini", "https://a.example/v1"),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(all.iter().skip(at + 1).all(|other| other != one), "{one}");
        }
        // The purpose does not include what an edit may change.
        assert_eq!(
            of_value(1, Header, "X-Key", at),
            of_value(1, Header, "x-key", Some("https://a.example/other"))
        );
        assert_eq!(of_value(1, Env, "TOKEN", None), of_value(1, Env, "TOKEN", at));
    }
}
