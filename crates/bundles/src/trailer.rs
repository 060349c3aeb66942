//! The end of a bundle: the zip file's last record, and the signature behind it.
//!
//! The official tool appends `MCPB_SIG_V1`, the signature's length (4 bytes, little-endian), a detached PKCS#7
//! signature in DER and `MCPB_SIG_END` (CLI.md, “Signature Structure”; src/node/sign.ts). Its releases up to 2.1.2 leave
//! the zip file as it is, so that the block is behind the zip's end. Newer ones also add the block's length to the
//! comment length of the zip's last record, some before and some after they sign.

use mooring_words::say;
use rawzip::{FileReader, ReaderAt};

use crate::error::BundleError;

const HEADER: &[u8] = b"MCPB_SIG_V1";
const FOOTER: &[u8] = b"MCPB_SIG_END";
const END_RECORD: &[u8] = b"PK\x05\x06";
/// A record in front of the last one if the zip file has 64-bit sizes.
const ZIP64_LOCATOR: &[u8] = b"PK\x06\x07";
const END_RECORD_BYTES: usize = 22;
const ZIP64_LOCATOR_BYTES: usize = 20;
/// Where the last record has the length of its comment.
const COMMENT_LENGTH_AT: usize = 20;
/// Maximum size of a signature with its markers, in bytes.
const MAX_SIGNATURE_BYTES: usize = 1 << 20;

/// Where the parts of a bundle end.
#[derive(Debug)]
pub(crate) struct Trailer {
    /// Where the zip file's last record begins.
    pub(crate) end_record: u64,
    /// Where the zip file ends, with its comment. What is signed ends here.
    pub(crate) zip_end: u64,
    /// The signature.
    pub(crate) block: Option<SignatureBlock>,
}

/// The signature of a bundle.
#[derive(Debug)]
pub(crate) struct SignatureBlock {
    /// The PKCS#7 message in DER.
    pub(crate) message: Vec<u8>,
    /// Where the comment length is, and its bytes without the signature, if they include it.
    pub(crate) comment_length: Option<(u64, [u8; 2])>,
}

/// Finds the end of the zip file and the signature in a file of this size.
pub(crate) fn read_trailer(file: &FileReader, file_bytes: u64) -> Result<Trailer, BundleError> {
    let most = (END_RECORD_BYTES + usize::from(u16::MAX) + MAX_SIGNATURE_BYTES) as u64;
    let tail_at = file_bytes.saturating_sub(most);
    let tail = read_range(file, tail_at, file_bytes)?;
    let at = find_end_record(&tail, tail_at).ok_or_else(|| {
        BundleError::unreadable(say!("the file isn’t a bundle: it isn’t a complete zip file"))
    })?;
    let comment_length = usize::from(read_u16(&tail, at + COMMENT_LENGTH_AT));
    let end_record = tail_at + at as u64;
    let rest = tail.get(at + END_RECORD_BYTES..).unwrap_or_default();
    let rest_at = end_record + END_RECORD_BYTES as u64;
    let Some(block_at) = find_bytes(rest, HEADER) else {
        if find_bytes(rest, FOOTER).is_some() {
            return Err(BundleError::broken_signature(say!("its beginning is missing")));
        }
        if rest.len() != comment_length {
            return Err(BundleError::unreadable(say!(
                "the bundle is damaged: its end doesn’t match its content"
            )));
        }
        return Ok(Trailer { end_record, zip_end: file_bytes, block: None });
    };
    let block = rest.get(block_at..).unwrap_or_default();
    let message = read_message(block)?.to_vec();
    let is_counted = comment_length == rest.len();
    if comment_length != block_at && !is_counted {
        return Err(BundleError::broken_signature(say!("it doesn’t begin where the zip file ends")));
    }
    let without = u16::try_from(block_at).unwrap_or(u16::MAX).to_le_bytes();
    let comment_length = is_counted.then_some((end_record + COMMENT_LENGTH_AT as u64, without));
    let block = Some(SignatureBlock { message, comment_length });
    Ok(Trailer { end_record, zip_end: rest_at + block_at as u64, block })
}

/// The PKCS#7 message of a signature block. The block ends with its footer.
fn read_message(block: &[u8]) -> Result<&[u8], BundleError> {
    let behind = block.get(HEADER.len()..).unwrap_or_default();
    let Some((length, behind)) = behind.split_first_chunk::<4>() else {
        return Err(BundleError::broken_signature(say!("it is cut off")));
    };
    let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let Some((message, footer)) = behind.split_at_checked(length) else {
        return Err(BundleError::broken_signature(say!("it is cut off")));
    };
    if footer != FOOTER {
        return Err(BundleError::broken_signature(say!("its length is wrong, or something follows it")));
    }
    Ok(message)
}

/// The last record whose directory ends where the record begins. A comment or a signature can contain its first bytes
/// by chance.
fn find_end_record(tail: &[u8], tail_at: u64) -> Option<usize> {
    let last = tail.len().checked_sub(END_RECORD_BYTES)?;
    (0..=last).rev().find(|at| {
        if !tail.get(*at..).is_some_and(|rest| rest.starts_with(END_RECORD)) {
            return false;
        }
        let directory_bytes = u64::from(read_u32(tail, at + 12));
        let directory_at = u64::from(read_u32(tail, at + 16));
        let locator_at = at.checked_sub(ZIP64_LOCATOR_BYTES);
        let is_zip64 =
            locator_at.and_then(|at| tail.get(at..)).is_some_and(|rest| rest.starts_with(ZIP64_LOCATOR));
        is_zip64 || directory_at + directory_bytes == tail_at + *at as u64
    })
}

/// Reads the bytes from `start` to `end`.
fn read_range(file: &FileReader, start: u64, end: u64) -> Result<Vec<u8>, BundleError> {
    let mut bytes = vec![0; usize::try_from(end - start).unwrap_or_default()];
    let mut filled = 0;
    while let Some(left) = bytes.get_mut(filled..).filter(|left| !left.is_empty()) {
        let read = file.read_at(left, start + filled as u64);
        match read.map_err(|error| BundleError::unreadable_file(&error))? {
            0 => break,
            read => filled += read,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

fn find_bytes(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

fn read_u16(bytes: &[u8], at: usize) -> u16 {
    let bytes = bytes.get(at..).and_then(|rest| rest.first_chunk::<2>());
    bytes.map_or(0, |bytes| u16::from_le_bytes(*bytes))
}

fn read_u32(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}
