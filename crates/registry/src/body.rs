//! What a registry sent of an entry, compressed for the database.

use std::io::{self, Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use mooring_words::{io_error_sentence, say};

use crate::error::{RegistryError, RegistryErrorCode};

pub(crate) fn deflate(text: &[u8]) -> Result<Vec<u8>, RegistryError> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(text).and_then(|()| encoder.finish());
    written.map_err(|error| unreadable(&error))
}

pub(crate) fn inflate(bytes: &[u8], limit: usize) -> Result<String, RegistryError> {
    let mut text = String::new();
    let limit = u64::try_from(limit).unwrap_or(u64::MAX);
    DeflateDecoder::new(bytes).take(limit).read_to_string(&mut text).map_err(|error| unreadable(&error))?;
    Ok(text)
}

fn unreadable(error: &io::Error) -> RegistryError {
    let error = io_error_sentence(error);
    RegistryError::new(RegistryErrorCode::NotFound, say!("the entry can’t be read: {error}", error))
}
