//! Whose certificate it is that is not trusted: asked of the server once more, without sending it anything.

use std::time::Duration;

use reqwest::Method;
use reqwest::tls::TlsInfo;
use url::Url;

use crate::text::cut;

/// How long asking may take.
const LONGEST: Duration = Duration::from_secs(5);
/// Longest name that is told, in bytes.
const NAME: usize = 120;
/// The attributes that name somebody (RFC 5280 §4.1.2.4): common name and organization.
const NAMED_BY: [&[u8]; 2] = [&[0x55, 0x04, 0x03], &[0x55, 0x04, 0x0a]];

/// Who issued the certificate of the server at `url`, as the certificate says. Nothing of the person's is sent, neither
/// path nor headers, because nobody knows who answers.
pub(crate) async fn issuer(url: &Url) -> Option<String> {
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(LONGEST)
        .tls_danger_accept_invalid_certs(true)
        .tls_info(true)
        .build()
        .ok()?;
    let origin = url.join("/").ok().filter(|origin| origin.scheme() == "https")?;
    let answer = client.request(Method::HEAD, bare(origin)).send().await.ok()?;
    let certificate = answer.extensions().get::<TlsInfo>()?.peer_certificate()?.to_vec();
    issuer_of(&certificate)
}

fn bare(mut url: Url) -> Url {
    let _always = (url.set_username(""), url.set_password(None));
    url
}

/// The issuer's name in a certificate (DER).
fn issuer_of(certificate: &[u8]) -> Option<String> {
    let (outer, _) = element(certificate, 0x30)?;
    let (body, _) = element(outer, 0x30)?;
    // The version may be left out; serial number and algorithm stand before the issuer.
    let rest = element(body, 0xa0).map_or(body, |(_, rest)| rest);
    let (_, rest) = element(rest, 0x02)?;
    let (_, rest) = element(rest, 0x30)?;
    let (mut sets, _) = element(rest, 0x30)?;
    let mut names = [None, None];
    while let Some((mut set, more)) = element(sets, 0x31) {
        sets = more;
        while let Some((attribute, more)) = element(set, 0x30) {
            set = more;
            let Some((kind, value)) = element(attribute, 0x06) else { continue };
            let at = NAMED_BY.iter().position(|by| *by == kind);
            if let (Some(name), Some(text)) = (at.and_then(|at| names.get_mut(at)), text(value)) {
                *name = Some(text);
            }
        }
    }
    names.into_iter().flatten().next()
}

/// The content of the element with this tag at the beginning, and what follows it (X.690 §8.1).
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&found, rest) = der.split_first()?;
    if found != tag {
        return None;
    }
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let count = usize::from(first & 0x7f);
        if !(1..=4).contains(&count) {
            return None;
        }
        let (digits, rest) = rest.split_at_checked(count)?;
        (digits.iter().fold(0_usize, |length, digit| (length << 8) | usize::from(*digit)), rest)
    };
    rest.split_at_checked(length)
}

/// A name in one of the usual string types, on one line.
fn text(value: &[u8]) -> Option<String> {
    let content = [0x0c, 0x13, 0x14, 0x16].into_iter().find_map(|tag| element(value, tag))?.0;
    let text: String =
        String::from_utf8_lossy(content).chars().filter(|letter| !letter.is_control()).collect();
    let text = cut(text.trim(), NAME);
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let content = parts.concat();
        let mut der = vec![tag];
        match u8::try_from(content.len()) {
            Ok(short) if short < 0x80 => der.push(short),
            _ => {
                der.extend([0x82, u8::try_from(content.len() >> 8).unwrap(), content.len().to_le_bytes()[0]]);
            }
        }
        der.extend(content);
        der
    }

    fn certificate(name: &[u8]) -> Vec<u8> {
        let before = [der(0xa0, &[&[2, 1, 2]]), der(0x02, &[&[7; 20]]), der(0x30, &[&[6, 1, 1]])].concat();
        let after = vec![0x30, 0x03, 1, 2, 3];
        der(0x30, &[&der(0x30, &[&before, name, &after]), &der(0x03, &[&[0; 300]])])
    }

    #[test]
    fn a_certificate_tells_who_issued_it() {
        let attribute = |kind: &[u8], tag, text: &str| {
            der(0x31, &[&der(0x30, &[&der(0x06, &[kind]), &der(tag, &[text.as_bytes()])])])
        };
        let organization = attribute(&[0x55, 0x04, 0x0a], 0x13, "Harbour Ltd");
        let name = attribute(&[0x55, 0x04, 0x03], 0x0c, "Harbour\n Root 漢");
        let issuer = |parts: &[&[u8]]| issuer_of(&certificate(&der(0x30, parts)));
        assert_eq!(issuer(&[&organization, &name]).as_deref(), Some("Harbour Root 漢"));
        assert_eq!(issuer(&[&organization]).as_deref(), Some("Harbour Ltd"));
        assert_eq!(issuer(&[]), None);
        let whole = certificate(&der(0x30, &[&name]));
        for end in 0..whole.len() {
            let _no_panic = issuer_of(&whole[..end]);
        }
    }
}
