//! The document that describes this client to authorization servers that accept a URL as `client_id` (OAuth
//! Client ID Metadata Document). The task that generates the published document includes this file, so this
//! file must not use other code of the crate.

use serde_json::{Value, json};

/// The paths of redirect URLs. Each issuer has one of them, so that responses of other issuers usually don't
/// arrive there.
pub const REDIRECT_PATHS: [&str; 4] = ["/callback/1", "/callback/2", "/callback/3", "/callback/4"];

/// Ports for authorization servers that compare ports, although they should not for loopback addresses (RFC
/// 8252 §7.3). These ports are outside the ranges that systems assign automatically.
pub const REDIRECT_PORTS: [u16; 3] = [23_817, 25_943, 31_627];

/// The information about this client in its metadata document, besides its name.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClientInfo<'a> {
    /// URL of the home page.
    pub home: Option<&'a str>,
    /// URL of the logo.
    pub logo: Option<&'a str>,
    /// URL of the terms of service.
    pub terms: Option<&'a str>,
    /// URL of the privacy policy.
    pub privacy: Option<&'a str>,
}

/// The document for a URL, which must be exactly the URL where it is published. Fails if the URL can't be a
/// client's id.
pub fn client_document(url: &str, about: ClientInfo<'_>) -> Result<Value, &'static str> {
    check_document_url(url)?;
    let mut document = json!({
        "client_id": url,
        "client_name": "Mooring",
        "redirect_uris": redirect_uris(),
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
    });
    let extra = [
        ("client_uri", about.home),
        ("logo_uri", about.logo),
        ("tos_uri", about.terms),
        ("policy_uri", about.privacy),
    ];
    for (field, value) in extra {
        if let Some(value) = value {
            if !value.starts_with("https://") {
                return Err("addresses in the document must be https");
            }
            document[field] = value.into();
        }
    }
    Ok(document)
}

/// All redirect URIs of the document. Each path occurs without a port, which allows any port, and with each
/// of the fixed ports.
pub fn redirect_uris() -> Vec<String> {
    let mut uris = Vec::new();
    for path in REDIRECT_PATHS {
        uris.extend(["127.0.0.1", "[::1]", "localhost"].map(|host| format!("http://{host}{path}")));
        uris.extend(REDIRECT_PORTS.map(|port| format!("http://127.0.0.1:{port}{path}")));
    }
    uris
}

/// Checks that a URL can be a client's id. It must be https with a host and a path, and have no dot segments,
/// no user information and no fragment. A query is refused too, because servers don't have to accept it.
pub fn check_document_url(url: &str) -> Result<(), &'static str> {
    let Some(rest) = url.strip_prefix("https://") else { return Err("it must begin with https://") };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/@!&'()*+,;=%[]".contains(&byte);
    if !rest.bytes().all(plain) {
        return Err("it must have neither query nor fragment, and only characters of an address");
    }
    let Some((authority, path)) = rest.split_once('/') else { return Err("it must have a path") };
    if authority.is_empty() || authority.starts_with(':') {
        return Err("it must name a host");
    }
    if authority.contains('@') {
        return Err("it must not hold a user name");
    }
    if authority.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err("its host must be written in small letters");
    }
    if path.is_empty() {
        return Err("it must have a path");
    }
    let dots =
        |segment: &str| matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..");
    if path.split('/').any(dots) {
        return Err("its path must not have dots for a segment");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: AUTH-17, AUTH-30, AUTH-40
    #[test]
    fn client_metadata_names_its_url_and_only_loopback_redirects() {
        let url = "https://mooring.example/oauth/client.json";
        let about = ClientInfo { home: Some("https://mooring.example/"), ..ClientInfo::default() };
        let document = client_document(url, about).unwrap();
        assert_eq!(document["client_id"], url);
        assert_eq!(document["client_name"], "Mooring");
        assert_eq!(document["client_uri"], "https://mooring.example/");
        assert_eq!(document["token_endpoint_auth_method"], "none");
        assert_eq!(document["application_type"], "native");
        assert_eq!(document["grant_types"], json!(["authorization_code", "refresh_token"]));
        assert!(document.get("logo_uri").is_none());
        assert!(document.get("client_secret").is_none());
        let uris = document["redirect_uris"].as_array().unwrap();
        assert_eq!(uris.len(), 24);
        for uri in uris {
            let uri = uri.as_str().unwrap();
            let rest = uri.strip_prefix("http://").unwrap();
            assert!(["127.0.0.1", "[::1]", "localhost"].iter().any(|host| rest.starts_with(host)), "{uri}");
        }
        // Servers may read only the first 5 KB.
        assert!(document.to_string().len() < 5_000);
        assert!(client_document(url, ClientInfo { logo: Some("http://mooring.example/"), ..about }).is_err());
    }

    // Requirements: AUTH-17
    #[test]
    fn only_an_https_url_with_a_path_can_be_an_id() {
        for url in ["https://a.example/client.json", "https://a.example:8443/x/y", "https://a.example/x/"] {
            assert_eq!(check_document_url(url), Ok(()), "{url}");
        }
        for url in [
            "",
            "http://a.example/client.json",
            "https://a.example",
            "https://a.example/",
            "https:///client.json",
            "https://:443/client.json",
            "https://u@a.example/client.json",
            "https://A.example/client.json",
            "https://a.example/client.json#x",
            "https://a.example/client.json?x=1",
            "https://a.example/../client.json",
            "https://a.example/./client.json",
            "https://a.example/%2E%2e/client.json",
            "https://a.example/a b",
            "https://a.example/\u{e9}",
            "https://a.example/a\nb",
        ] {
            assert!(check_document_url(url).is_err(), "{url}");
        }
    }
}
