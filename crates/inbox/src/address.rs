//! Inspects a URL that a server wants to open, before anything fetches it.

use mooring_base::excerpt;
use mooring_base::url_error::url_error_sentence;
use mooring_words::{Sentence, say};
use unicode_security::MixedScript as _;
use unicode_security::confusable_detection::skeleton;
use url::{Host, Url, quirks};

use crate::question::AddressView;

/// Maximum number of bytes of a URL that is inspected.
const MAX_BYTES: usize = 64 << 10;
/// A URL with this many bytes is a long one.
const LONG_BYTES: usize = 2_000;

/// Inspects a URL: its parts, why it is blocked, and warnings. Only [`AddressView::url`] may be opened.
pub fn inspect_url(written: &str) -> AddressView {
    let unread = |why: Sentence| AddressView {
        url: excerpt::truncate(written.to_owned(), MAX_BYTES),
        before: excerpt::truncate(written.to_owned(), MAX_BYTES),
        domain: String::new(),
        after: String::new(),
        unicode_host: None,
        misleads: false,
        blocked: Some(why),
        warnings: Vec::new(),
        host: String::new(),
    };
    if written.len() > MAX_BYTES {
        return unread(say!("it is longer than {bytes} bytes", bytes = MAX_BYTES));
    }
    if let Some(odd) = written.chars().find(|character| is_odd(*character)) {
        let character = odd.escape_default().to_string();
        return unread(say!("it has a character that URLs can’t contain: {character}", character));
    }
    match Url::parse(written) {
        Ok(url) => inspect_parsed(&url),
        Err(error) => unread(url_error_sentence(error)),
    }
}

/// Characters that URL parsers drop or replace, or that are invisible.
fn is_odd(character: char) -> bool {
    character.is_control()
        || character.is_whitespace()
        || character == '\\'
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}')
}

fn inspect_parsed(url: &Url) -> AddressView {
    let text = url.as_str();
    let host = url.host_str().unwrap_or_default();
    let domain = match url.host() {
        Some(Host::Domain(name)) => psl::domain_str(name).unwrap_or(name),
        _ => host,
    };
    // The place of the host according to the WHATWG parser, which browsers follow too.
    let start = text.find(url.scheme()).unwrap_or_default() + url[..url::Position::BeforeHost].len();
    let end = start + host.len();
    let domain_at = end - domain.len().min(host.len());
    let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_owned();
    let unicode = quirks::domain_to_unicode(host);
    let unicode_host = (!unicode.is_empty() && unicode != host).then_some(unicode);
    AddressView {
        url: text.to_owned(),
        before: part(0..domain_at),
        domain: part(domain_at..end),
        after: part(end..text.len()),
        blocked: block_reason(url),
        warnings: warnings(url, unicode_host.as_deref()),
        misleads: has_user_info(url) || unicode_host.as_deref().is_some_and(imitates),
        unicode_host,
        host: host.to_owned(),
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn block_reason(url: &Url) -> Option<Sentence> {
    match url.scheme() {
        "https" | "http" if url.host_str().is_none_or(str::is_empty) => Some(say!("it names no host")),
        "https" => None,
        "http" if is_loopback(url) => None,
        "http" => Some(say!("it isn’t encrypted: only https:// is opened")),
        scheme => Some(say!("only https:// is opened, never {scheme}", scheme)),
    }
}

fn warnings(url: &Url, unicode_host: Option<&str>) -> Vec<Sentence> {
    let mut warnings = Vec::new();
    if has_user_info(url) {
        warnings.push(say!("The part before the @ isn’t where it leads; it may be there to mislead you."));
    }
    if matches!(url.host(), Some(Host::Ipv4(_) | Host::Ipv6(_))) && !is_loopback(url) {
        warnings.push(say!("It leads to an IP address instead of a name, which hides who runs it."));
    }
    if is_loopback(url) {
        warnings.push(say!("It leads to a program on this computer."));
    }
    if let Some(unicode) = unicode_host {
        warnings.push(say!(
            "Its host name contains letters that look like others: {host}",
            host = unicode.to_owned()
        ));
        if mixes_alphabets(unicode) {
            warnings.push(say!("Its host name mixes several alphabets."));
        }
        if let Some(looks) = looks_like(unicode) {
            warnings.push(say!("Its host name looks like {other}, but isn’t.", other = looks));
        }
    }
    if url.port().is_some() && !is_loopback(url) {
        warnings.push(say!("It uses an unusual port."));
    }
    if url.as_str().len() > LONG_BYTES {
        warnings.push(say!("It is very long: {bytes} bytes.", bytes = url.as_str().len()));
    }
    warnings
}

fn has_user_info(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// Whether a host imitates another one.
fn imitates(unicode_host: &str) -> bool {
    mixes_alphabets(unicode_host) || looks_like(unicode_host).is_some()
}

fn mixes_alphabets(unicode_host: &str) -> bool {
    unicode_host.split('.').any(|label| !label.is_single_script())
}

/// The host in ASCII letters that this one looks like.
fn looks_like(unicode_host: &str) -> Option<String> {
    let looks: String = unicode_host.chars().map(lookalike).collect();
    (looks.is_ascii() && looks != unicode_host).then_some(looks)
}

/// The ASCII letter that a letter looks like, or the letter itself.
fn lookalike(letter: char) -> char {
    let mut buffer = [0; 4];
    let mut looks = skeleton(letter.encode_utf8(&mut buffer));
    match (looks.next(), looks.next()) {
        (Some(usual), None) if !letter.is_ascii() => usual,
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(view: &AddressView) -> Vec<&str> {
        view.warnings.iter().map(Sentence::code).collect()
    }

    // Requirements: ELIC-23, ELIC-25, SEC-17.
    #[test]
    fn the_registrable_domain_is_told_apart_from_what_is_around_it() {
        for (written, before, domain, after) in [
            ("https://login.example.co.uk/a?b#c", "https://login.", "example.co.uk", "/a?b#c"),
            ("https://example.com", "https://", "example.com", "/"),
            ("https://EXAMPLE.com:8443/x", "https://", "example.com", ":8443/x"),
            ("https://bank.com@evil.example/", "https://bank.com@", "evil.example", "/"),
            (
                "https://u:p@a.b.evil.com/https://bank.com/",
                "https://u:p@a.b.",
                "evil.com",
                "/https://bank.com/",
            ),
            ("https://bank.com.evil.com/", "https://bank.com.", "evil.com", "/"),
            ("https://[2001:db8::1]:8/", "https://", "[2001:db8::1]", ":8/"),
            ("https://203.0.113.7/", "https://", "203.0.113.7", "/"),
            ("https://0x7f.1/", "https://", "127.0.0.1", "/"),
            ("http://localhost:8080/done", "http://", "localhost", ":8080/done"),
        ] {
            let view = inspect_url(written);
            assert_eq!(
                (view.before.as_str(), view.domain.as_str(), view.after.as_str()),
                (before, domain, after),
                "{written}"
            );
            assert_eq!(view.url, format!("{before}{domain}{after}"));
            assert_eq!(view.blocked, None, "{written}");
        }
    }

    // Requirements: ELIC-25.
    #[test]
    fn what_misleads_is_pointed_out() {
        let long = format!("https://example.com/{}", "a".repeat(4 << 10));
        for (written, count) in [
            ("https://example.com/", 0),
            ("https://例え.jp/", 1),
            ("https://bank.com@evil.example/", 1),
            ("https://203.0.113.7/", 1),
            ("https://[2001:db8::1]/", 1),
            ("http://127.0.0.1:99/", 1),
            ("https://example.com:8443/", 1),
            // Cyrillic letters only, then one among Latin letters.
            ("https://аррӏе.com/", 2),
            ("https://xn--80ak6aa92e.com/", 2),
            ("https://pаypal.com/", 3),
            (long.as_str(), 1),
        ] {
            let view = inspect_url(written);
            assert_eq!(view.warnings.len(), count, "{written} {:?}", codes(&view));
        }
        for (written, misleads) in [
            ("https://example.com/", false),
            ("https://例え.jp/", false),
            ("https://203.0.113.7/", false),
            ("https://bank.com@evil.example/", true),
            ("https://аррӏе.com/", true),
            ("https://pаypal.com/", true),
        ] {
            assert_eq!(inspect_url(written).misleads, misleads, "{written}");
        }
        let view = inspect_url("https://pаypal.com/");
        assert!(view.url.contains("xn--") && view.unicode_host.as_deref() == Some("pаypal.com"));
        assert!(view.warnings.iter().any(|said| said.to_string().contains("paypal.com")));
    }

    // Requirements: SEC-15, SEC-17, ELIC-22.
    #[test]
    fn nothing_but_https_and_this_computer_is_ever_opened() {
        for written in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "java\tscript:alert(1)",
            "java\0script:alert(1)",
            "\u{1}javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "vbscript:x",
            "smb://host/share",
            "ms-msdt:/id",
            "tel:112",
            "mailto:a@b.c",
            "intent://x#Intent;end",
            "ws://example.com/",
            "blob:https://example.com/1",
            "about:blank",
            "\\\\host\\share",
            "https:\\\\example.com\\",
            "ftp://example.com/",
            "view-source:https://example.com/",
            "http://example.com/",
            "http://localhost.example.com/",
            "//example.com/",
            "example.com",
            "",
            "https://",
            "https://exa mple.com/",
            " https://example.com/",
            "https://example.com/\u{202e}moc.knab",
            "https://exam\u{200b}ple.com/",
            "https://example.com/a\nb",
        ] {
            assert!(inspect_url(written).blocked.is_some(), "{written:?}");
        }
        assert!(inspect_url(&format!("https://example.com/{}", "a".repeat(MAX_BYTES))).blocked.is_some());
    }
}
