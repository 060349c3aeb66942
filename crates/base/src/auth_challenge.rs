//! Parses the challenges in `WWW-Authenticate` (RFC 9110 §11.6.1), with which a server refuses a request.
//!
//! The parser is lenient: it skips to the next comma, so that one bad parameter hides no other.

use std::fmt;

/// One authentication scheme that a server accepts, with its parameters. `Display` writes it in the normal
/// form `Bearer realm="x", error="y"`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthChallenge {
    /// The scheme as the server wrote it: `Bearer`, `Basic`, `DPoP`. Compare it without regard to case.
    pub scheme: String,
    /// The token68 that schemes such as `Negotiate` have instead of parameters.
    pub token68: Option<String>,
    /// Names in lower case with their values, in the server's order.
    pub parameters: Vec<(String, String)>,
}

impl AuthChallenge {
    /// Maximum number of challenges that are read from one header.
    pub const MOST: usize = 16;
    /// Maximum number of parameters that are read from one challenge.
    pub const MOST_PARAMETERS: usize = 32;

    /// Parses the value of a header. It may contain several challenges.
    pub fn read_all(header: &str) -> Vec<Self> {
        let mut challenges: Vec<Self> = Vec::new();
        let mut rest = HeaderParser(header);
        while rest.skip_to_item() {
            let Some(name) = rest.token() else {
                rest.skip_item();
                continue;
            };
            if let Some(value) = rest.value() {
                let Some(challenge) = challenges.last_mut() else {
                    continue;
                };
                let name = name.to_ascii_lowercase();
                if challenge.parameters.len() < Self::MOST_PARAMETERS {
                    challenge.parameters.push((name, value));
                }
            } else {
                if challenges.len() >= Self::MOST {
                    break;
                }
                let token68 = rest.token68();
                challenges.push(Self { scheme: name.to_owned(), token68, parameters: Vec::new() });
            }
        }
        challenges
    }

    /// The value of a parameter, by its name in lower case. If it occurs several times, the first one counts.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values of a parameter. The RFC allows only one, but proxies add their own.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.parameters.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl fmt::Display for AuthChallenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.scheme)?;
        if let Some(token) = &self.token68 {
            write!(f, " {token}")?;
        }
        for (index, (name, value)) in self.parameters.iter().enumerate() {
            let before = if index == 0 && self.token68.is_none() { " " } else { ", " };
            write!(f, "{before}{name}=\"")?;
            for character in value.chars() {
                if matches!(character, '"' | '\\') {
                    f.write_str("\\")?;
                }
                write!(f, "{character}")?;
            }
            f.write_str("\"")?;
        }
        Ok(())
    }
}

/// The unread rest of a header.
struct HeaderParser<'a>(&'a str);

impl<'a> HeaderParser<'a> {
    /// Moves to the next item. False at the end.
    fn skip_to_item(&mut self) -> bool {
        self.0 = self.0.trim_start_matches([' ', '\t', ',']);
        !self.0.is_empty()
    }

    /// Skips to the next comma.
    fn skip_item(&mut self) {
        self.0 = self.0.find(',').and_then(|comma| self.0.get(comma..)).unwrap_or_default();
    }

    /// Takes as many of the allowed characters as there are. `None` if there are none.
    fn take(&mut self, allowed: impl Fn(char) -> bool) -> Option<&'a str> {
        let (taken, rest) =
            self.0.split_at(self.0.find(|character| !allowed(character)).unwrap_or(self.0.len()));
        self.0 = rest;
        (!taken.is_empty()).then_some(taken)
    }

    fn token(&mut self) -> Option<&'a str> {
        self.take(|character| character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(character))
    }

    /// Reads the value after `=`. If there is no `=`, nothing is consumed.
    fn value(&mut self) -> Option<String> {
        let value = self.0.trim_start_matches([' ', '\t']).strip_prefix('=')?;
        let mut rest = HeaderParser(value.trim_start_matches([' ', '\t']));
        let value = if rest.0.starts_with('"') {
            rest.read_quoted()
        } else {
            // URLs are not tokens, but some servers write them without quotes.
            rest.take(|character| !matches!(character, ',' | ' ' | '\t' | '"')).unwrap_or_default().to_owned()
        };
        self.0 = rest.0;
        Some(value)
    }

    /// Reads a quoted string. Without a closing quote it extends to the end.
    fn read_quoted(&mut self) -> String {
        let mut text = String::new();
        let mut characters = self.0.chars();
        characters.next();
        while let Some(character) = characters.next() {
            match character {
                '"' => break,
                '\\' => text.extend(characters.next()),
                other => text.push(other),
            }
        }
        self.0 = characters.as_str();
        text
    }

    /// Reads the token68 after a scheme. If there is none, nothing is consumed.
    fn token68(&mut self) -> Option<String> {
        let mut rest = HeaderParser(self.0.trim_start_matches(' '));
        let begin = rest.0;
        rest.take(|character| character.is_ascii_alphanumeric() || "-._~+/".contains(character))?;
        rest.take(|character| character == '=');
        let token = begin.strip_suffix(rest.0)?;
        let after = rest.0.trim_start_matches([' ', '\t']);
        let ends = after.is_empty() || after.starts_with(',');
        ends.then(|| {
            self.0 = rest.0;
            token.to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(header: &str) -> Vec<String> {
        AuthChallenge::read_all(header).iter().map(AuthChallenge::to_string).collect()
    }

    // Requirements: AUTH-08.
    #[test]
    fn challenges_are_read_as_in_rfc_9110() {
        assert_eq!(
            shown("Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\""),
            ["Basic realm=\"simple\"", "Newauth realm=\"apps\", type=\"1\", title=\"Login to \\\"apps\\\"\""]
        );
        assert_eq!(shown("Negotiate YWJj+/=="), ["Negotiate YWJj+/=="]);
        assert_eq!(shown("Basic, Negotiate , Bearer"), ["Basic", "Negotiate", "Bearer"]);
        assert_eq!(shown("Digest abc=, Bearer REALM = \"x\""), ["Digest abc=", "Bearer realm=\"x\""]);
        let url = "Bearer error=\"invalid_token\",resource_metadata=\"https://a.example/.well-known/oauth-protected-resource/mcp\"";
        let challenge = AuthChallenge::read_all(url).remove(0);
        assert_eq!(challenge.scheme, "Bearer");
        assert_eq!(challenge.parameter("error"), Some("invalid_token"));
        assert_eq!(
            challenge.parameter("resource_metadata"),
            Some("https://a.example/.well-known/oauth-protected-resource/mcp")
        );
    }

    #[test]
    fn what_is_no_challenge_hides_nothing() {
        assert_eq!(shown(""), [""; 0]);
        assert_eq!(shown(", ,\t,"), [""; 0]);
        assert_eq!(shown("realm=\"lost\", Bearer"), ["Bearer"]);
        assert_eq!(shown("\"quoted\", é, Bearer scope=a b, x=\"y"), ["Bearer scope=\"a\"", "b x=\"y\""]);
        assert_eq!(
            shown("Bearer resource_metadata=https://a/b?c=d, error=x"),
            ["Bearer resource_metadata=\"https://a/b?c=d\", error=\"x\""]
        );
        assert_eq!(shown("Bearer a=1, a=2"), ["Bearer a=\"1\", a=\"2\""]);
        let twice = AuthChallenge::read_all("Bearer a=1, b=3, a=2").remove(0);
        assert_eq!((twice.parameter("a"), twice.all("a").collect::<Vec<_>>()), (Some("1"), vec!["1", "2"]));
    }

    #[test]
    fn as_many_are_read_as_may_be_and_no_more() {
        let many = |count: usize| vec!["Basic"; count].join(",");
        assert_eq!(shown(&many(AuthChallenge::MOST)).len(), AuthChallenge::MOST);
        assert_eq!(shown(&many(AuthChallenge::MOST + 1)).len(), AuthChallenge::MOST);
        let parameters = |count: usize| {
            let text: Vec<String> = (0..count).map(|number| format!("p{number}=v")).collect();
            AuthChallenge::read_all(&format!("Bearer {}", text.join(","))).remove(0).parameters.len()
        };
        assert_eq!(parameters(AuthChallenge::MOST_PARAMETERS), AuthChallenge::MOST_PARAMETERS);
        assert_eq!(parameters(AuthChallenge::MOST_PARAMETERS + 1), AuthChallenge::MOST_PARAMETERS);
    }
}
