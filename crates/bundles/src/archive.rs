//! The zip file of a bundle. Its directory is checked as a whole before any entry is read.

use std::io::{self, Read};

use flate2::read::DeflateDecoder;
use mooring_words::{Sentence, say};
use rawzip::{
    CompressionMethod, FileReader, MAX_CENTRAL_DIRECTORY_RECORD_SIZE, ZipArchive, ZipArchiveEntryWayfinder,
    ZipFileHeaderRecord, ZipLocator,
};

use crate::error::BundleError;
use crate::limits::Limits;
use crate::names::{NameSet, check_path};
use crate::trailer::Trailer;

const TYPE_BITS: u32 = 0o170_000;
const FILE_TYPE: u32 = 0o100_000;
const FOLDER_TYPE: u32 = 0o040_000;
const LINK_TYPE: u32 = 0o120_000;

/// A zip file whose directory was checked.
#[derive(Debug)]
pub(crate) struct Archive {
    zip: ZipArchive<FileReader>,
    entries: Vec<ArchiveEntry>,
}

/// A file or a folder of the zip file.
#[derive(Debug)]
pub(crate) struct ArchiveEntry {
    /// The path in the bundle, with `/` between its parts and none at its end.
    pub(crate) path: String,
    pub(crate) is_folder: bool,
    /// Whether the zip file says that the file is a program.
    pub(crate) is_executable: bool,
    is_deflated: bool,
    /// Where its header in front of the content begins.
    header_at: u64,
    place: ZipArchiveEntryWayfinder,
}

impl Archive {
    /// Reads and checks the directory of the zip file.
    pub(crate) fn read(file: FileReader, trailer: &Trailer, limits: &Limits) -> Result<Self, BundleError> {
        let mut buffer = vec![0; MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
        let zip = ZipLocator::new()
            .locate_in_reader(file, &mut buffer, trailer.zip_end)
            .map_err(|(_, error)| damaged(&error))?;
        if zip.eocd_offset() != trailer.end_record {
            return Err(BundleError::unreadable(say!(
                "the bundle is damaged: its end doesn’t match its content"
            )));
        }
        let count = zip.entries_hint();
        if count > limits.entries {
            return Err(too_many_entries(limits));
        }
        let mut entries = Vec::new();
        let mut names = NameSet::default();
        let mut records = zip.entries(&mut buffer);
        while let Some(record) = records.next_entry().map_err(|error| damaged(&error))? {
            if entries.len() as u64 >= limits.entries {
                return Err(too_many_entries(limits));
            }
            let raw = record.file_path();
            let unsafe_entry =
                |reason| BundleError::unsafe_entry(&String::from_utf8_lossy(raw.as_ref()), reason);
            let entry = check_record(&record).map_err(unsafe_entry)?;
            names.add(&entry.path, entry.is_folder).map_err(unsafe_entry)?;
            entries.push(entry);
        }
        if entries.len() as u64 != count {
            return Err(BundleError::damaged(format!("{count} entries, {} found", entries.len())));
        }
        let archive = Self { zip, entries };
        archive.check_places(&mut buffer)?;
        Ok(archive)
    }

    pub(crate) fn entries(&self) -> &[ArchiveEntry] {
        &self.entries
    }

    /// The file with this path.
    pub(crate) fn find(&self, path: &str) -> Option<&ArchiveEntry> {
        self.entries.iter().find(|entry| entry.path == path && !entry.is_folder)
    }

    /// The content of a file. The reader fails at the end if its length or checksum is not the one in the directory.
    pub(crate) fn open(&self, entry: &ArchiveEntry) -> Result<Box<dyn Read + '_>, BundleError> {
        let found = self.zip.get_entry(entry.place).map_err(|error| damaged(&error))?;
        let content = found.reader();
        Ok(if entry.is_deflated {
            Box::new(found.verifying_reader(DeflateDecoder::new(content)))
        } else {
            Box::new(found.verifying_reader(content))
        })
    }

    /// The whole content of a file, if it has no more bytes than this.
    pub(crate) fn read_small(&self, entry: &ArchiveEntry, most: u64) -> Result<Vec<u8>, BundleError> {
        let mut content = Vec::new();
        let read = self.open(entry)?.take(most.saturating_add(1)).read_to_end(&mut content);
        read.map_err(|error| unreadable_entry(&error))?;
        if content.len() as u64 > most {
            let name = &*entry.path;
            return Err(BundleError::too_large(say!("“{name}” in the bundle is too large", name)));
        }
        Ok(content)
    }

    /// Entries that share bytes would unpack to far more than the file's size. A second name in front of the content
    /// would be read by other programs only.
    fn check_places(&self, buffer: &mut [u8]) -> Result<(), BundleError> {
        let mut places = Vec::with_capacity(self.entries.len());
        for (index, entry) in self.entries.iter().enumerate() {
            let found = self.zip.get_entry(entry.place).map_err(|error| damaged(&error))?;
            let (_, end) = found.compressed_data_range();
            let header = found.local_header(buffer).map_err(|error| damaged(&error))?;
            let name = header.file_path();
            let name: &[u8] = name.as_ref();
            let is_equal = name.strip_suffix(b"/").unwrap_or(name) == entry.path.as_bytes();
            let is_deflated = header.compression_method() == CompressionMethod::DEFLATE;
            if !is_equal || is_deflated != entry.is_deflated {
                let reason = say!("the zip file describes it in two different ways");
                return Err(BundleError::unsafe_entry(&entry.path, reason));
            }
            places.push((entry.header_at, end, index));
        }
        places.sort_unstable();
        let ends = places.iter().skip(1).map(|place| place.0).chain([self.zip.directory_offset()]);
        for ((_, end, index), next) in places.iter().zip(ends) {
            if *end > next {
                let name = self.entries.get(*index).map_or("", |entry| &entry.path);
                return Err(BundleError::unsafe_entry(
                    name,
                    say!("it shares bytes with another part of the file"),
                ));
            }
        }
        Ok(())
    }
}

/// Checks what the directory says about an entry by itself.
fn check_record(record: &ZipFileHeaderRecord<'_>) -> Result<ArchiveEntry, Sentence> {
    let name = record.file_path();
    let name: &[u8] = name.as_ref();
    let (name, is_folder) = name.strip_suffix(b"/").map_or((name, false), |name| (name, true));
    let path = check_path(name)?.to_owned();
    // The upper half is the Unix mode, which systems without it leave at 0.
    let mode = record.external_attributes() >> 16;
    match mode & TYPE_BITS {
        0 => {}
        FILE_TYPE if !is_folder => {}
        FOLDER_TYPE if is_folder => {}
        FILE_TYPE | FOLDER_TYPE => return Err(say!("it is a file and a folder at once")),
        LINK_TYPE => return Err(say!("it is a link")),
        _ => return Err(say!("it isn’t a file or a folder")),
    }
    let flags = record.flags();
    if flags.is_encrypted() || flags.has_strong_encryption() {
        return Err(say!("it is encrypted"));
    }
    let is_deflated = match record.compression_method() {
        CompressionMethod::DEFLATE => true,
        CompressionMethod::STORE => false,
        _ => return Err(say!("it is compressed by a method that bundles don’t use")),
    };
    if is_folder && record.uncompressed_size_hint() > 0 {
        return Err(say!("it is a file and a folder at once"));
    }
    let is_executable = !is_folder && mode & 0o111 != 0;
    let (header_at, place) = (record.local_header_offset(), record.wayfinder());
    Ok(ArchiveEntry { path, is_folder, is_executable, is_deflated, header_at, place })
}

fn damaged(error: &rawzip::Error) -> BundleError {
    BundleError::damaged(error.to_string())
}

/// An entry whose content can't be read, or isn't the one that the directory describes.
pub(crate) fn unreadable_entry(error: &io::Error) -> BundleError {
    BundleError::damaged(error.to_string())
}

fn too_many_entries(limits: &Limits) -> BundleError {
    BundleError::too_large(say!("the bundle has more than {most} files", most = limits.entries))
}
