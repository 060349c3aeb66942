//! Checks URLs that other parties name, before they are requested or opened in the person's browser.

use crate::reach::{NetworkReach, is_loopback};
use mooring_words::{Sentence, say};
use url::Url;

/// The longest accepted URL, in bytes.
const LONGEST: usize = 8 * 1024;

/// Checks a URL from another party. The URL must be absolute, and https, or http to this machine. It must
/// only use the characters of RFC 3986, and have no user information and no fragment. The error says what is
/// wrong with the URL.
///
/// On some systems, shell scripts open URLs. Therefore `$` is refused too. No endpoint contains it.
pub fn check_address(written: &str) -> Result<Url, Sentence> {
    if written.len() > LONGEST {
        return Err(say!("it is longer than {most} bytes", most = LONGEST.to_string()));
    }
    let uri = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!&'()*+,;=%".contains(&byte);
    if let Some(other) = written.chars().find(|&character| !u8::try_from(character).is_ok_and(uri)) {
        return Err(say!(
            "it has a character that URLs can’t contain: {character}",
            character = other.escape_default().to_string()
        ));
    }
    let mut after_percents = written.split('%').skip(1).map(str::as_bytes);
    if !after_percents.all(|rest| rest.len() >= 2 && rest[..2].iter().all(u8::is_ascii_hexdigit)) {
        return Err(say!("it has an invalid % escape"));
    }
    let Some((scheme, rest)) = written.split_once("://") else {
        return Err(say!("it isn’t an absolute https URL"));
    };
    let secure = match scheme.to_ascii_lowercase().as_str() {
        "https" => true,
        "http" => false,
        _ => return Err(say!("it isn’t an absolute https URL")),
    };
    if rest.is_empty() || rest.starts_with(['/', '?', '#', ':']) {
        return Err(say!("it names no host"));
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(say!("it contains a user name"));
    }
    let url =
        Url::parse(written).map_err(|error| say!("it can’t be read: {error}", error = error.to_string()))?;
    if url.fragment().is_some() {
        return Err(say!("it has a fragment"));
    }
    if url.port() == Some(0) {
        return Err(say!("it names no port"));
    }
    if !secure && !is_loopback(&url) {
        return Err(say!("it is http, and only https is safe"));
    }
    Ok(url)
}

/// Like [`check_address`], but the URL must also be within `reach`, because a server must not direct requests
/// to other networks.
pub(crate) fn check_address_in_reach(written: &str, reach: NetworkReach) -> Result<Url, Sentence> {
    let url = check_address(written)?;
    if reach.allows_host(&url) { Ok(url) } else { Err(say!("it leads to a private or special IP address")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: AUTH-31, SEC-11
    #[test]
    fn addresses_of_real_servers_are_taken_as_they_stand() {
        for address in [
            "https://login.example.com/authorize",
            "https://login.example.com:8443/realms/a%20b/protocol/openid-connect/auth?tenant=1&x=(y)",
            "HTTPS://Login.Example.Com/authorize",
            "https://xn--bcher-kva.example/",
            "https://example.com/a;b=c/@user/!$".strip_suffix('$').unwrap(),
            "http://localhost:3000/authorize",
            "http://localhost./authorize",
            "http://127.0.0.1:3000/authorize",
            "http://[::1]:3000/authorize",
        ] {
            let url = check_address(address).unwrap_or_else(|why| panic!("{address}: {why}"));
            assert_eq!(url.as_str().to_lowercase(), address.to_lowercase());
        }
    }

    // Requirements: AUTH-31, SEC-11
    #[test]
    fn addresses_that_carry_commands_or_credentials_are_refused() {
        for address in [
            "",
            " ",
            "/",
            "//example.com/",
            "example.com",
            "--flag",
            "-h",
            "--help=https://example.com/",
            "http://x/$(calc)",
            "https://example.com/$(calc)",
            "https://example.com/${IFS}calc",
            "https://example.com/`calc`",
            "https://example.com/a\"&calc&\"",
            "https://example.com/a' \"b",
            "https://example.com/|calc",
            "https://example.com/a b",
            "https://example.com/a\nb",
            "https://example.com/a\rb",
            "https://example.com/a\tb",
            "https://example.com/a\0b",
            "https://example.com/\u{7f}",
            "https://example.com/\u{85}",
            "https://example.com/\u{202e}gpj.exe",
            "https://example.com/\u{e0041}",
            "https://ex\u{ad}ample.com/",
            "https://b\u{fc}cher.example/",
            "https://\u{440}aypal.com/",
            "https://\u{ff11}27.0.0.1/",
            "\u{feff}https://example.com/",
            " https://example.com/",
            "https://example.com/ ",
            "https://example.com/%USERPROFILE%",
            "https://example.com/%",
            "https://example.com/%2",
            "https://example.com/<script>",
            "https://example.com/{a}",
            "https://example.com/^calc",
            "https://example.com\\@evil.example/",
            "https:\\\\example.com\\share",
            "https:example.com",
            "https:/example.com",
            "https:///example.com",
            "https://",
            "https://:443/",
            "https://?x",
            "https://#x",
            "https://user@example.com/",
            "https://user:password@example.com/",
            "https://@example.com/",
            "https://:@example.com/",
            "https://bank.example@evil.example/",
            "https://example.com:0/",
            "https://example.com:65536/",
            "https://example.com:port/",
            "https://example.com/#fragment",
            "https://example.com/#",
            "https://[::1",
            "https://[fe80::1%25eth0]/",
            "https://1.2.3.4.5/",
            "https://exa%00mple.com/",
            "https://exa%2fmple.com/",
            "http://example.com/authorize",
            "http://192.168.1.1/authorize",
            "http://localhost.example.com/",
            "http://127.0.0.1.example.com/",
            "http://0.0.0.0/",
            "http://[::]/",
            "http://[::ffff:8.8.8.8]/",
            &format!("https://example.com/{}", "a".repeat(LONGEST)),
        ] {
            assert!(check_address(address).is_err(), "{address:?}");
        }
    }

    // Requirements: AUTH-31, SEC-11, SEC-15
    #[test]
    fn twenty_dangerous_schemes_are_rejected_in_any_spelling() {
        for scheme in [
            "javascript",
            "data",
            "file",
            "vbscript",
            "smb",
            "ms-msdt",
            "tel",
            "mailto",
            "intent",
            "ws",
            "wss",
            "blob",
            "about",
            "ftp",
            "ssh",
            "view-source",
            "jar",
            "search-ms",
            "x-apple-systempreferences",
            "vscode",
        ] {
            let mixed: String = scheme
                .chars()
                .enumerate()
                .map(|(at, letter)| if at % 2 == 0 { letter.to_ascii_uppercase() } else { letter })
                .collect();
            let split = |by: char| format!("{}{by}{}://example.com/", &scheme[..1], &scheme[1..]);
            for address in [
                format!("{scheme}:alert(1)"),
                format!("{scheme}://example.com/"),
                format!("{mixed}:alert(1)"),
                format!("{mixed}://example.com/"),
                format!(" {scheme}:alert(1)"),
                format!("\u{1}{scheme}://example.com/"),
                split('\t'),
                split('\n'),
                split('\0'),
                format!("{scheme}:https://example.com/"),
            ] {
                assert!(check_address(&address).is_err(), "{address:?}");
            }
        }
        for address in
            ["\\\\evil.example\\share", "//evil.example/share", "C:\\Windows\\calc.exe", "/usr/bin/calc"]
        {
            assert!(check_address(address).is_err(), "{address:?}");
        }
    }

    // Requirements: SEC-12
    #[test]
    fn a_public_server_cannot_name_addresses_inside() {
        for address in
            ["https://10.0.0.1/", "http://localhost:1/", "http://127.1/", "https://169.254.169.254/"]
        {
            assert!(check_address_in_reach(address, NetworkReach::Public).is_err(), "{address}");
        }
        assert!(check_address_in_reach("https://10.0.0.1/", NetworkReach::Private).is_ok());
        assert!(check_address_in_reach("http://127.1/", NetworkReach::Private).is_err());
        assert!(check_address_in_reach("http://127.1/", NetworkReach::Loopback).is_ok());
        assert!(check_address_in_reach("https://169.254.169.254/", NetworkReach::Loopback).is_err());
    }
}
