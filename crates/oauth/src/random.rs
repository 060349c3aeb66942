//! Random numbers of the system's.

use crate::error::Error;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mooring_words::say;

/// 128 random bits, for what must never come twice.
pub(crate) fn unique() -> Result<String, Error> {
    Ok(URL_SAFE_NO_PAD.encode(random::<16>()?))
}

/// Random bytes of the system's.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::Refused(say!("the system provides no random numbers: {reason}", reason = error.to_string()))
    })?;
    Ok(bytes)
}
