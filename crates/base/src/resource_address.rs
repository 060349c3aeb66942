//! Resource URIs with a prefix for the server, for apps that see several servers with the same URI.
//!
//! `acct://me` of server 7 is `mooring+7:acct://me`, and `ui://acct/page` is `ui://mooring+7/acct/page`:
//! hosts of MCP Apps only accept pages with that scheme. If the original is not a URI (RFC 3986), or URL
//! parsers may normalize it, it is percent-encoded after `mooring+7.e:` or `ui://mooring+7.e/`. So a prefixed
//! address is always a URI, and the original can be restored exactly.

use std::fmt::Write as _;

use url::Url;

use crate::server_id::ServerId;

/// Start of every prefix. The server's number follows.
const PREFIX: &str = "mooring+";
/// The scheme of the pages of MCP Apps.
const PAGE: &str = "ui://";
/// Follows the server's number if the rest is percent-encoded.
const ENCODED: &str = ".e";
/// The longest address that is normalized for comparison, in bytes.
const MAX_COMPARED: usize = 8 << 10;

/// Adds the server's prefix to an address.
pub fn with_prefix(server: ServerId, own: &str) -> String {
    let ServerId(number) = server;
    match (own.strip_prefix(PAGE), is_plain(own)) {
        (Some(rest), true) => format!("{PAGE}{PREFIX}{number}/{rest}"),
        (Some(_), false) => format!("{PAGE}{PREFIX}{number}{ENCODED}/{}", percent_encode(own)),
        (None, true) => format!("{PREFIX}{number}:{own}"),
        (None, false) => format!("{PREFIX}{number}{ENCODED}:{}", percent_encode(own)),
    }
}

/// Adds the server's prefix to a URI template. It expands to the address with the prefix.
pub fn template_with_prefix(server: ServerId, own: &str) -> String {
    let ServerId(number) = server;
    match own.strip_prefix(PAGE) {
        Some(rest) => format!("{PAGE}{PREFIX}{number}/{rest}"),
        None => format!("{PREFIX}{number}:{own}"),
    }
}

/// Splits an address with a prefix into the server and the server's own address.
pub fn without_prefix(address: &str) -> Option<(ServerId, String)> {
    let page = strip_start(address, PAGE).and_then(|rest| strip_start(rest, PREFIX));
    let (rest, end, scheme) = match page {
        Some(rest) => (rest, '/', PAGE),
        None => (strip_start(address, PREFIX)?, ':', ""),
    };
    let (number, own) = rest.split_once(end)?;
    let encoded = number.strip_suffix(ENCODED);
    let digits = encoded.unwrap_or(number);
    if digits.starts_with('0') || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let server = ServerId(digits.parse().ok()?);
    let own = if encoded.is_some() { percent_decode(own)? } else { format!("{scheme}{own}") };
    Some((server, own))
}

/// Whether a server's own address already looks like one with a prefix, also to a lenient parser.
pub fn looks_prefixed(own: &str) -> bool {
    let kept = own.trim_start_matches(|character: char| character <= ' ');
    let kept: String = kept.chars().filter(|character| !matches!(character, '\t' | '\n' | '\r')).collect();
    let kept = decode_lossy(&kept);
    let rest = strip_start(&kept, PAGE).unwrap_or(&kept);
    strip_start(rest, PREFIX).is_some()
}

/// The address as URL parsers such as the one of the Python SDK 1.x write it. `None` if it is not a URL.
pub fn normalize(address: &str) -> Option<String> {
    (address.len() <= MAX_COMPARED).then(|| Url::parse(address).ok().map(String::from))?
}

/// Strips a prefix without regard to case.
fn strip_start<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    let (begin, rest) = text.split_at_checked(start.len())?;
    begin.eq_ignore_ascii_case(start).then_some(rest)
}

/// Whether an address is a URI that can follow a prefix as it is, and that no parser changes there.
fn is_plain(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=%".contains(&byte);
    let mut escapes = rest.split('%').skip(1);
    let is_escaped = escapes.all(|after| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    // URL parsers remove segments that consist of dots.
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    let has_dots = path.split('/').any(|segment| {
        let segment = segment.to_ascii_lowercase().replace("%2e", ".");
        segment == "." || segment == ".."
    });
    is_scheme && rest.bytes().all(is_kept) && is_escaped && !has_dots && rest.matches('#').count() <= 1
}

/// Escapes every character that has a meaning in a URI.
fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing into a string never fails.
            let _written = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

fn percent_decode(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    decoded.extend(parts.next()?.bytes());
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        decoded.push(u8::from_str_radix(digits, 16).ok()?);
        decoded.extend(rest.bytes());
    }
    String::from_utf8(decoded).ok()
}

/// Decodes the valid escapes of a text.
fn decode_lossy(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut parts = text.split('%');
    decoded.extend(parts.next());
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(u8::is_ascii);
        if let Some(byte) = byte {
            decoded.push(char::from(byte));
            decoded.extend(part.get(2..));
        } else {
            decoded.push('%');
            decoded.push_str(part);
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a text has the characters and the scheme of a URI of RFC 3986.
    fn is_uri(text: &str) -> bool {
        let (scheme, rest) = text.split_once(':').unwrap();
        let mut bytes = rest.bytes();
        let mut legal = scheme.bytes().next().unwrap().is_ascii_alphabetic()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        while let Some(byte) = bytes.next() {
            legal &= match byte {
                b'%' => {
                    [bytes.next(), bytes.next()].iter().flatten().filter(|b| b.is_ascii_hexdigit()).count()
                        == 2
                }
                byte => byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=".contains(&byte),
            };
        }
        legal && rest.matches('#').count() <= 1
    }

    #[test]
    fn a_prefixed_address_is_a_uri_and_comes_back_as_it_was() {
        let schemes =
            ["acct:", "ui:", "file:", "HTTP:", "a+b-c.d:", "urn:", "", "1x:", "mooring+3:", "ui", "x_y:"];
        let rests = [
            "//me",
            "///x",
            "//h:8/a?b=c#d",
            "//[::1]/x",
            "a b",
            "日本",
            "//a/../b",
            "//a/%2E%2e/b",
            "%zz",
            "//a#b#c",
            "",
            "//mooring+3/acct/page",
            "\\x\t\n",
            "//u@h/%41?",
            "//./",
            "\u{2028}",
            "//a/b{c}|^`\"<>",
            "a:b:c",
            "//h//x//",
        ];
        let mut count = 0;
        for own in schemes.iter().flat_map(|scheme| rests.iter().map(move |rest| format!("{scheme}{rest}"))) {
            for server in [ServerId(7), ServerId(i64::MAX)] {
                let address = with_prefix(server, &own);
                assert!(is_uri(&address), "{own:?}: {address}");
                assert_eq!(without_prefix(&address), Some((server, own.clone())), "{address}");
                // A URL parser does not change it.
                assert_eq!(
                    without_prefix(&normalize(&address).unwrap()),
                    Some((server, own.clone())),
                    "{address}"
                );
                assert!(looks_prefixed(&address), "{address}");
                assert_eq!(own.starts_with("ui://"), address.starts_with("ui://"), "{address}");
            }
            count += 1;
        }
        assert!(count > 200, "{count}");
    }

    #[test]
    fn what_could_be_read_as_a_prefix_is_known() {
        for own in [
            "mooring+2:acct://me",
            "MOORING+2:x",
            " mooring+2:x",
            "moo\tring+2:x",
            "ui://mooring+2/x",
            "UI://Mooring+2/x",
            "ui://%6Dooring+2/x",
            "ui://mooring%2B2/x",
            "mooring+",
            "\u{0}mooring+2:x",
        ] {
            assert!(looks_prefixed(own), "{own:?}");
        }
        for own in ["acct://mooring+2/x", "mooring:x", "ui://page", "xmooring+2:x", "", "ui://moor/mooring+2"]
        {
            assert!(!looks_prefixed(own), "{own:?}");
        }
    }

    #[test]
    fn what_is_no_prefix_leads_nowhere() {
        for address in [
            "mooring+:x",
            "mooring+07:x",
            "mooring+-1:x",
            "mooring+x:y",
            "mooring+7",
            "ui://mooring+7",
            "acct://me",
            "mooring+7.e:%F",
            "mooring+7.e:%FF",
            "mooring+99999999999999999999:x",
            "mooring++7:x",
        ] {
            assert_eq!(without_prefix(address), None, "{address}");
        }
        let filled = template_with_prefix(ServerId(7), "ui://{name}/page");
        assert_eq!(filled, "ui://mooring+7/{name}/page");
        assert_eq!(template_with_prefix(ServerId(7), "{+uri}"), "mooring+7:{+uri}");
    }
}
