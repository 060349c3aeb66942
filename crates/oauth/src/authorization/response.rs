//! Checks the authorization response against the values that were recorded before the browser was opened.

use crate::error::{Error, ServerMessage};
use crate::json_fields::sanitize;
use crate::token::error_code;
use mooring_words::say;
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq as _;

/// Parameters that decide about the response. None of them may occur twice (RFC 6749 §3.1).
const ONCE: [&str; 6] = ["state", "iss", "code", "error", "error_description", "error_uri"];

/// The longest authorization code, in bytes.
const LONGEST_CODE: usize = 8 * 1024;

/// The values that a response is checked against.
#[derive(Debug)]
pub(crate) struct ExpectedResponse {
    /// 256 random bits, which are used only for this sign-in.
    pub(crate) state: SecretString,
    /// The issuer whose sign-in page was opened.
    pub(crate) issuer: String,
    /// Whether the issuer announces that its responses have `iss`.
    pub(crate) iss: bool,
}

impl ExpectedResponse {
    /// Returns the code in a response, or why there is none. `None` if the response does not belong to this
    /// sign-in, which then continues. Checks the state first, then the issuer (RFC 9207 §2.4), and then the
    /// other parameters.
    pub(crate) fn check_response(
        &self,
        parameters: &[(String, String)],
    ) -> Option<Result<SecretString, Error>> {
        let twice = ONCE.iter().any(|name| parameters.iter().filter(|(known, _)| known == name).count() > 1);
        let find =
            |name: &str| parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let state = find("state").unwrap_or_default();
        if twice || !bool::from(state.as_bytes().ct_eq(self.state.expose_secret().as_bytes())) {
            return None;
        }
        Some(
            self.check_issuer(find("iss"))
                .and_then(|()| read_code(find("code"), find("error"), find("error_description"))),
        )
    }

    fn check_issuer(&self, iss: Option<&str>) -> Result<(), Error> {
        match iss {
            Some(iss) if iss == self.issuer => Ok(()),
            Some(_) => Err(Error::Refused(say!(
                "the answer came from another issuer than {issuer} and was discarded",
                issuer = &self.issuer
            ))),
            None if self.iss => Err(Error::Refused(say!(
                "the answer has no iss, though {issuer} announces it",
                issuer = &self.issuer
            ))),
            None => Ok(()),
        }
    }
}

fn read_code(
    code: Option<&str>,
    error: Option<&str>,
    description: Option<&str>,
) -> Result<SecretString, Error> {
    if let Some(error) = error {
        let code = error_code(error);
        let description = description.map(|text| sanitize(text, 300)).filter(|text| !text.is_empty());
        let ours = say!("the sign-in ended with the error {code}", code = &code);
        let sentence = match &description {
            Some(description) => {
                say!("the sign-in ended with the error {code}: “{description}”", code = &code, description)
            }
            None => ours.clone(),
        };
        let server_message = description.map(|theirs| ServerMessage { ours, theirs });
        return Err(Error::ErrorResponse { code, sentence, server_message });
    }
    match code {
        Some(code) if !code.is_empty() && code.len() <= LONGEST_CODE => Ok(SecretString::from(code)),
        _ => Err(Error::Refused(say!("the answer contains neither a code nor an error"))),
    }
}
