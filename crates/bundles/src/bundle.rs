//! A bundle's file, opened and checked.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use mooring_base::digest::hex;
use mooring_words::say;
use rawzip::{FileReader, RangeReader};
use sha2::{Digest as _, Sha256};

use crate::archive::Archive;
use crate::error::BundleError;
use crate::limits::Limits;
use crate::manifest::BundleManifest;
use crate::signature::{BundleSignature, verify_signature};
use crate::trailer::{SignatureBlock, Trailer, read_trailer};

const MANIFEST: &str = "manifest.json";
/// How many bytes are read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// A bundle whose zip directory, manifest and signature were checked. Nothing is unpacked yet. The file stays open.
#[derive(Debug)]
pub struct Bundle {
    pub(crate) archive: Archive,
    pub(crate) limits: Limits,
    pub(crate) file_bytes: u64,
    /// The file again, to see whether it has changed.
    file: FileReader,
    manifest: BundleManifest,
    signature: BundleSignature,
    sha256: String,
}

/// The hashes of a bundle's file.
struct Hashes {
    file: [u8; 32],
    /// What a signature may cover.
    signed: Vec<[u8; 32]>,
}

impl Bundle {
    /// Opens a file of at most 512 MiB. Reads all of it once.
    pub fn open(path: &Path) -> Result<Self, BundleError> {
        Self::open_within(path, Limits::DEFAULT)
    }

    pub(crate) fn open_within(path: &Path, limits: Limits) -> Result<Self, BundleError> {
        let unreadable = |error: io::Error| BundleError::unreadable_file(&error);
        let mut file = File::open(path).map_err(unreadable)?;
        if !file.metadata().map_err(unreadable)?.is_file() {
            return Err(BundleError::unreadable(say!("the bundle isn’t a file")));
        }
        let file_bytes = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
        if file_bytes > limits.file_bytes {
            let most = limits.file_bytes >> 20;
            return Err(BundleError::too_large(say!("the bundle is larger than {most} MiB", most)));
        }
        let copy = FileReader::from(file.try_clone().map_err(unreadable)?);
        let file = FileReader::from(file);
        let trailer = read_trailer(&file, file_bytes)?;
        let archive = Archive::read(copy, &trailer, &limits)?;
        let hashes = hash_file(&file, file_bytes, &trailer).map_err(unreadable)?;
        let signature = match &trailer.block {
            None => BundleSignature::Unsigned,
            Some(block) => verify_signature(&block.message, &hashes.signed)?,
        };
        let manifest = read_manifest(&archive, &limits)?;
        let sha256 = hex(&hashes.file);
        Ok(Self { archive, limits, file_bytes, file, manifest, signature, sha256 })
    }

    /// The manifest.
    pub fn manifest(&self) -> &BundleManifest {
        &self.manifest
    }

    /// Whether the bundle is signed.
    pub fn signature(&self) -> &BundleSignature {
        &self.signature
    }

    /// The SHA-256 of the whole file with its signature, in hexadecimal digits, as `fileSha256` of a registry has it.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The size of the file, in bytes.
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// A file in the bundle, such as its icon, if it has no more bytes than this. `None` if there is no such file.
    pub fn read_file(&self, path: &str, most_bytes: u64) -> Result<Option<Vec<u8>>, BundleError> {
        let entry = self.archive.find(path.strip_prefix("./").unwrap_or(path));
        entry.map(|entry| self.archive.read_small(entry, most_bytes)).transpose()
    }

    /// Whether the file still has the content that was checked.
    pub(crate) fn is_unchanged(&self) -> Result<bool, BundleError> {
        let mut hash = Sha256::new();
        let hashed = hash_range(&self.file, 0..u64::MAX, &mut hash);
        hashed.map_err(|error| BundleError::unreadable_file(&error))?;
        Ok(hex(&hash.finalize()) == self.sha256)
    }
}

fn read_manifest(archive: &Archive, limits: &Limits) -> Result<BundleManifest, BundleError> {
    if let Some(entry) = archive.find(MANIFEST) {
        return BundleManifest::read(&archive.read_small(entry, limits.manifest_bytes)?);
    }
    let nested = archive.entries().iter().find_map(|entry| entry.path.strip_suffix("/manifest.json"));
    Err(BundleError::unreadable(match nested.filter(|folder| !folder.contains('/')) {
        Some(folder) => say!(
            "the bundle’s manifest.json is in the folder “{folder}” and should be at the top; pack that folder’s content",
            folder
        ),
        None => say!("the file isn’t a bundle: it has no manifest.json"),
    }))
}

/// Hashes the file, and the zip file in it as the signer may have had it.
fn hash_file(file: &FileReader, file_bytes: u64, trailer: &Trailer) -> io::Result<Hashes> {
    let mut hash = Sha256::new();
    let mut signed = Vec::new();
    let mut done = 0;
    if let Some(block) = &trailer.block {
        if let SignatureBlock { comment_length: Some((at, without)), .. } = block {
            hash_range(file, 0..*at, &mut hash)?;
            let mut before = hash.clone();
            before.update(without);
            hash_range(file, at + 2..trailer.zip_end, &mut before)?;
            signed.push(before.finalize().into());
            done = *at;
        }
        hash_range(file, done..trailer.zip_end, &mut hash)?;
        signed.push(hash.clone().finalize().into());
        done = trailer.zip_end;
    }
    hash_range(file, done..file_bytes, &mut hash)?;
    Ok(Hashes { file: hash.finalize().into(), signed })
}

fn hash_range(file: &FileReader, range: std::ops::Range<u64>, hash: &mut Sha256) -> io::Result<()> {
    let mut reader = RangeReader::new(file, range);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match reader.read(&mut chunk)? {
            0 => return Ok(()),
            read => hash.update(chunk.get(..read).unwrap_or_default()),
        }
    }
}
