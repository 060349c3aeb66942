//! Random numbers from the system.

use crate::error::Error;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mooring_words::say;

/// A text with 128 random bits, for values that must be unique.
pub(crate) fn unique_text() -> Result<String, Error> {
    Ok(URL_SAFE_NO_PAD.encode(random_bytes::<16>()?))
}

/// Random bytes from the system.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::Refused(say!("the system provides no random numbers: {reason}", reason = error.to_string()))
    })?;
    Ok(bytes)
}
