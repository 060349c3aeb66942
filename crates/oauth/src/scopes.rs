//! Chooses the scopes to request.

use crate::server::AuthorizationServer;

/// The scope for a refresh token at servers that require it (OpenID Connect Core §11).
pub(crate) const OFFLINE_ACCESS: &str = "offline_access";
/// The most scopes that are requested at once.
const MOST_SCOPES: usize = 256;

/// The scopes in a `scope` parameter, each once, in their order. Texts that are not scopes (RFC 6749 §3.3)
/// are left out.
pub fn split_scopes(scope: &str) -> Vec<String> {
    deduplicate(split_scope_text(scope))
}

/// Splits a list of scopes at spaces. If there are no spaces, splits at commas, which some servers use
/// instead.
pub(crate) fn split_scope_text(scope: &str) -> impl Iterator<Item = &str> {
    let spaces = scope.contains(|c: char| c.is_ascii_whitespace());
    scope.split(move |c: char| if spaces { c.is_ascii_whitespace() } else { c == ',' })
}

/// The scopes for a first sign-in, in the specification's order of preference: the scopes in the challenge,
/// or all scopes in the resource's metadata, or no scopes, which omits the parameter. `offline_access` is
/// added if and only if the authorization server lists it.
pub fn initial_scopes(
    challenged: Option<&str>,
    supported: Option<&[String]>,
    server: &AuthorizationServer,
) -> Vec<String> {
    let challenged = challenged.map(split_scopes).filter(|scopes| !scopes.is_empty());
    let scopes = match (challenged, supported) {
        (Some(scopes), _) => scopes,
        (None, Some(supported)) => deduplicate(supported.iter().map(String::as_str)),
        (None, None) => Vec::new(),
    };
    add_offline_access(scopes, server)
}

/// The scopes for a step-up: all earlier scopes, then the additional scopes of the challenge.
pub fn step_up_scopes(
    earlier: &[String],
    challenged: Option<&str>,
    server: &AuthorizationServer,
) -> Vec<String> {
    let earlier = earlier.iter().map(String::as_str);
    add_offline_access(deduplicate(earlier.chain(split_scope_text(challenged.unwrap_or_default()))), server)
}

fn add_offline_access(mut scopes: Vec<String>, server: &AuthorizationServer) -> Vec<String> {
    let listed = server.scopes_supported.iter().flatten().any(|scope| scope == OFFLINE_ACCESS);
    scopes.retain(|scope| listed || scope != OFFLINE_ACCESS);
    // Without other scopes, `offline_access` would replace the server's default scopes.
    if listed && !scopes.is_empty() && !scopes.iter().any(|scope| scope == OFFLINE_ACCESS) {
        scopes.push(OFFLINE_ACCESS.to_owned());
    }
    scopes
}

fn deduplicate<'a>(scopes: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut union: Vec<String> = Vec::new();
    for scope in scopes.filter(|scope| is_scope_token(scope)) {
        if union.len() < MOST_SCOPES && !union.iter().any(|known| known == scope) {
            union.push(scope.to_owned());
        }
    }
    union
}

/// Whether this is a `scope-token` of RFC 6749 §3.3.
fn is_scope_token(scope: &str) -> bool {
    let token = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    (1..=256).contains(&scope.len()) && scope.bytes().all(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(scopes: Option<&[&str]>) -> AuthorizationServer {
        let scopes_supported = scopes.map(|scopes| scopes.iter().map(|&scope| scope.to_owned()).collect());
        AuthorizationServer { scopes_supported, ..AuthorizationServer::default() }
    }

    fn to_vec(scopes: &str) -> Vec<String> {
        scopes.split_whitespace().map(str::to_owned).collect()
    }

    // Requirements: AUTH-33, AUTH-34, AUTH-40
    #[test]
    fn challenge_scopes_win_over_metadata_and_default_to_none() {
        for (challenged, supported, at_server, expected) in [
            (Some("a b"), Some("c"), None, "a b"),
            (Some("not-listed"), Some("a b"), Some("a b"), "not-listed"),
            (None, Some("c d"), None, "c d"),
            (Some(""), Some("c d"), None, "c d"),
            (Some("  "), Some("c d"), None, "c d"),
            (None, Some(""), None, ""),
            (None, None, Some("x y"), ""),
            (None, None, None, ""),
            (Some("b a b"), None, None, "b a"),
            (Some("a\u{7f} b\" c\\ d"), None, None, "d"),
            // Commas instead of spaces, and commas that belong to a scope.
            (Some("a,b,a"), None, None, "a b"),
            (Some("a:1,2 b"), None, None, "a:1,2 b"),
            // `offline_access`, where the server supports it.
            (Some("a"), None, Some("a offline_access"), "a offline_access"),
            (None, Some("a"), Some("a offline_access"), "a offline_access"),
            (None, None, Some("a offline_access"), ""),
            (None, Some("a offline_access"), Some("a"), "a"),
            (None, Some("a offline_access"), None, "a"),
            (Some("offline_access a"), None, Some("offline_access"), "offline_access a"),
            (Some("offline_access a"), None, Some("a"), "a"),
        ] {
            let supported = supported.map(to_vec);
            let at_server = at_server.map(|scopes| scopes.split(' ').collect::<Vec<_>>());
            let scopes = initial_scopes(challenged, supported.as_deref(), &server(at_server.as_deref()));
            assert_eq!(scopes, to_vec(expected), "{challenged:?} {supported:?} {at_server:?}");
        }
    }

    // Requirements: AUTH-36, AUTH-40
    #[test]
    fn a_step_up_keeps_what_was_asked_for_before_and_its_order() {
        for (earlier, challenged, at_server, expected) in [
            ("mcp:basic", Some("mcp:write"), None, "mcp:basic mcp:write"),
            ("b a", Some("c a"), None, "b a c"),
            ("a", None, None, "a"),
            ("", Some("b"), None, "b"),
            ("a offline_access", Some("b"), Some("offline_access"), "a offline_access b"),
            ("a", Some("b"), Some("offline_access"), "a b offline_access"),
        ] {
            let at_server = at_server.map(|scopes: &str| scopes.split(' ').collect::<Vec<_>>());
            let scopes = step_up_scopes(&to_vec(earlier), challenged, &server(at_server.as_deref()));
            assert_eq!(scopes, to_vec(expected), "{earlier} {challenged:?}");
        }
        let many: Vec<_> = (0..1000).map(|number| format!("scope{number}")).collect();
        assert_eq!(step_up_scopes(&many, None, &server(None)).len(), MOST_SCOPES);
    }
}
