//! The formats that a text of a form can have.

use serde::Serialize;
use url::Url;

/// What a text has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// An e-mail address.
    Email,
    /// An absolute URI.
    Uri,
    /// A date (RFC 3339 `full-date`).
    Date,
    /// A date and a time with its offset (RFC 3339 `date-time`).
    DateTime,
}

impl Format {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "email" => Self::Email,
            "uri" | "url" => Self::Uri,
            "date" => Self::Date,
            "date-time" => Self::DateTime,
            _ => return None,
        })
    }

    /// `email`, `uri`, `date` or `date-time`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
        }
    }

    /// Whether a text is one.
    pub(crate) fn matches(self, text: &str) -> bool {
        match self {
            Self::Email => is_email(text),
            Self::Uri => Url::parse(text).is_ok() && !text.contains(char::is_whitespace),
            Self::Date => is_date(text),
            Self::DateTime => {
                text.split_once(['T', 't']).is_some_and(|(date, time)| is_date(date) && is_time(time))
            }
        }
    }
}

/// Two parts around one `@`, as far as anybody can say without asking.
fn is_email(text: &str) -> bool {
    let odd = |char: char| char.is_whitespace() || char.is_control();
    text.len() <= 320
        && !text.contains(odd)
        && text.rsplit_once('@').is_some_and(|(local, domain)| {
            !local.is_empty() && !local.contains('@') && !domain.is_empty() && !domain.starts_with('.')
        })
}

/// So many digits.
fn parse_digits(text: &str, count: usize) -> Option<u32> {
    let all = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if all { text.parse().ok() } else { None }
}

fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let mut next = |count| parts.next().and_then(|part| parse_digits(part, count));
    let (Some(year), Some(month), Some(day)) = (next(4), next(2), next(2)) else { return false };
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let Some(at) = text.find(['Z', 'z', '+', '-']) else { return false };
    let (clock, offset) = text.split_at(at);
    let (clock, fraction) = clock.split_once('.').map_or((clock, None), |(clock, rest)| (clock, Some(rest)));
    let fraction =
        fraction.is_none_or(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    let mut parts = clock.splitn(3, ':');
    let mut next = || parts.next().and_then(|part| parse_digits(part, 2));
    let (Some(hour), Some(minute), Some(second)) = (next(), next(), next()) else { return false };
    // A leap second is the sixty-first.
    fraction && hour < 24 && minute < 60 && second <= 60 && is_offset(offset)
}

fn is_offset(text: &str) -> bool {
    if text.eq_ignore_ascii_case("z") {
        return true;
    }
    let Some((hours, minutes)) = text.get(1..).and_then(|rest| rest.split_once(':')) else { return false };
    parse_digits(hours, 2).is_some_and(|hours| hours < 24)
        && parse_digits(minutes, 2).is_some_and(|minutes| minutes < 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: ELIC-11.
    #[test]
    fn a_text_has_the_format_that_is_asked_for_or_not() {
        for (format, good, bad) in [
            (
                Format::Email,
                &["a@b", "first.last+tag@example.org", "ü@exämple.de"][..],
                &["", "a", "@b", "a@", "a b@c", "a@b@c", "a@.b", "a@b\n"][..],
            ),
            (
                Format::Uri,
                &["https://example.org/x?y#z", "mailto:a@b", "urn:isbn:1"],
                &["", "example.org", "/x", "https://", "http://a b", "//x"],
            ),
            (
                Format::Date,
                &["2026-07-28", "2024-02-29", "2000-02-29"],
                &[
                    "2026-7-28",
                    "2026-02-29",
                    "1900-02-29",
                    "2026-13-01",
                    "2026-00-10",
                    "2026-04-31",
                    "28.07.2026",
                    "",
                ],
            ),
            (
                Format::DateTime,
                &["2026-07-28T10:30:00Z", "2026-07-28t23:59:60.25+02:00", "2026-07-28T00:00:00.123456-23:59"],
                &[
                    "2026-07-28",
                    "2026-07-28 10:30:00Z",
                    "2026-07-28T10:30Z",
                    "2026-07-28T24:00:00Z",
                    "2026-07-28T10:30:00",
                    "2026-07-28T10:30:00+2",
                    "2026-07-28T10:30:00.Z",
                    "2026-07-28T10:30:61Z",
                    "2026-07-28T10:30:00+24:00",
                ],
            ),
        ] {
            for text in good {
                assert!(format.matches(text), "{format:?} {text:?}");
            }
            for text in bad {
                assert!(!format.matches(text), "{format:?} {text:?}");
            }
            assert_eq!(Format::from_name(format.as_str()), Some(format));
        }
        assert_eq!(Format::from_name("password"), None);
    }
}
