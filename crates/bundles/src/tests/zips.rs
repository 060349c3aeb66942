//! A writer of zip files that can lie.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// An entry of a zip file, as it claims to be.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) name: Vec<u8>,
    /// The name in front of the content, if it is another one.
    pub(super) local_name: Option<Vec<u8>>,
    /// The bytes in the file.
    pub(super) stored: Vec<u8>,
    pub(super) method: u16,
    pub(super) flags: u16,
    /// The Unix mode.
    pub(super) mode: u32,
    pub(super) size: u32,
    pub(super) checksum: u32,
    /// Where its header is, if it isn't written by itself.
    pub(super) header_at: Option<u32>,
}

impl Member {
    /// A deflated file.
    pub(super) fn file(name: &str, content: impl AsRef<[u8]>) -> Self {
        let content = content.as_ref();
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        Self { stored: encoder.finish().unwrap(), method: 8, ..Self::stored(name, content) }
    }

    /// A file that isn't compressed.
    pub(super) fn stored(name: &str, content: impl AsRef<[u8]>) -> Self {
        let content = content.as_ref();
        Self {
            name: name.as_bytes().to_vec(),
            local_name: None,
            stored: content.to_vec(),
            method: 0,
            flags: 0x800,
            mode: 0o100_644,
            size: u32::try_from(content.len()).unwrap(),
            checksum: crc32fast::hash(content),
            header_at: None,
        }
    }

    pub(super) fn folder(name: &str) -> Self {
        Self { mode: 0o040_755, ..Self::stored(name, "") }
    }

    pub(super) fn with_mode(self, mode: u32) -> Self {
        Self { mode, ..self }
    }

    /// What is in front of the content.
    pub(super) fn header(&self) -> Vec<u8> {
        let name = self.local_name.as_ref().unwrap_or(&self.name);
        let mut header = b"PK\x03\x04\x14\0".to_vec();
        header.extend(self.description());
        header.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        header.extend([0, 0]);
        header.extend(name);
        header
    }

    fn description(&self) -> Vec<u8> {
        let mut description = Vec::new();
        description.extend(self.flags.to_le_bytes());
        description.extend(self.method.to_le_bytes());
        // A time, the same for all.
        description.extend([0, 0, 0x21, 0x5b]);
        description.extend(self.checksum.to_le_bytes());
        description.extend(u32::try_from(self.stored.len()).unwrap().to_le_bytes());
        description.extend(self.size.to_le_bytes());
        description
    }
}

/// Writes a zip file with these members.
pub(super) fn write_zip(members: &[Member]) -> Vec<u8> {
    write_zip_with_count(members, u16::try_from(members.len() & 0xffff).unwrap())
}

/// Writes a zip file whose last record names another number of entries.
pub(super) fn write_zip_with_count(members: &[Member], count: u16) -> Vec<u8> {
    let (mut zip, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let header_at = member.header_at.unwrap_or(u32::try_from(zip.len()).unwrap());
        if member.header_at.is_none() {
            zip.extend(member.header());
            zip.extend(&member.stored);
        }
        // Made on Unix.
        directory.extend(b"PK\x01\x02\x1e\x03\x14\0");
        directory.extend(member.description());
        directory.extend(u16::try_from(member.name.len()).unwrap().to_le_bytes());
        directory.extend([0; 8]);
        directory.extend((member.mode << 16).to_le_bytes());
        directory.extend(header_at.to_le_bytes());
        directory.extend(&member.name);
    }
    let directory_at = u32::try_from(zip.len()).unwrap();
    zip.extend(&directory);
    zip.extend(b"PK\x05\x06\0\0\0\0");
    zip.extend(count.to_le_bytes());
    zip.extend(count.to_le_bytes());
    zip.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
    zip.extend(directory_at.to_le_bytes());
    zip.extend([0, 0]);
    zip
}
