//! Staging files: `log/<number>.staged` next to the database. Each file has one owner, which appends whole
//! batches. Any process may read the file. A second file, `<number>.owner`, is locked while the owner exists.
//! All functions block.

use crate::codec;
use crate::record::LogRecord;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const STAGED: &str = "staged";
const OWNER: &str = "owner";
/// Bytes that are read or erased at most. Owners never write that much to a file.
const MAX_BYTES: u64 = 64 << 20;

/// A staging file as its owner has it: it can only be appended to.
#[derive(Debug)]
pub struct StagingFile {
    number: i64,
    file: File,
    bytes: u64,
    /// The lock is released when this file is closed or its process ends.
    _owner: File,
}

impl StagingFile {
    /// Creates the file. `number` must not have been used before.
    pub fn create(folder: &Path, number: i64) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        // The owner's file is locked first, so that the staging file never looks abandoned.
        let owner = create_file(&file_path(folder, number, OWNER))?;
        owner.try_lock()?;
        Ok(Self { number, file: create_file(&file_path(folder, number, STAGED))?, bytes: 0, _owner: owner })
    }

    /// The file's number.
    pub fn number(&self) -> i64 {
        self.number
    }

    /// The file's size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends a batch. Don't use the file again after an error: an incomplete batch and everything after it
    /// is never read.
    pub fn append(&mut self, records: &[LogRecord]) -> io::Result<()> {
        // If the file was deleted, no process would read the batch.
        #[cfg(unix)]
        if std::os::unix::fs::MetadataExt::nlink(&self.file.metadata()?) == 0 {
            return Err(io::ErrorKind::NotFound.into());
        }
        let frame = codec::encode_batch(records).ok_or(io::ErrorKind::FileTooLarge)?;
        self.file.write_all(&frame)?;
        self.bytes += u64::try_from(frame.len()).map_err(io::Error::other)?;
        Ok(())
    }
}

/// Numbers and sizes of all staging files in the folder. Empty if there is no folder.
pub fn list(folder: &Path) -> io::Result<Vec<(i64, u64)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != STAGED) {
            continue;
        }
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
        // If the file is missing, another process has read and removed it.
        if let (Some(number), Ok(metadata)) = (number, entry.metadata()) {
            found.push((number, metadata.len()));
        }
    }
    Ok(found)
}

/// The batches of a file from an offset on.
#[derive(Debug, PartialEq, Eq)]
pub struct StagedBatches {
    /// The records of whole batches, in order.
    pub records: Vec<LogRecord>,
    /// The offset at which the records end.
    pub end: u64,
}

/// Reads the batches from the offset `from` on.
pub fn read(folder: &Path, number: i64, from: u64) -> io::Result<StagedBatches> {
    let mut file = File::open(file_path(folder, number, STAGED))?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    let (records, length) = codec::decode_batches(&bytes);
    Ok(StagedBatches { records, end: from + u64::try_from(length).map_err(io::Error::other)? })
}

/// Whether the owner of a file has ended. False if that is unknown.
pub fn is_abandoned(folder: &Path, number: i64) -> bool {
    match File::open(file_path(folder, number, OWNER)) {
        Ok(owner) => owner.try_lock().is_ok(),
        // The owner file is removed last.
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Removes a file whose batches are all in the database. If that fails, the file remains, but its batches are
/// not read again.
pub fn remove(folder: &Path, number: i64) {
    for extension in [STAGED, OWNER] {
        let _stays = fs::remove_file(file_path(folder, number, extension));
    }
}

/// Overwrites the part of a file that was already read, so that its content can't be recovered.
pub fn erase(folder: &Path, number: i64, end: u64) -> io::Result<()> {
    let mut file = match OpenOptions::new().write(true).open(file_path(folder, number, STAGED)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    io::copy(
        &mut io::repeat(0).take(end.min(MAX_BYTES)),
        &mut io::BufWriter::with_capacity(1 << 16, &mut file),
    )?;
    file.sync_data()
}

/// Merges the records of several files by time. Records of one file keep their order.
pub fn merge_by_time(files: Vec<Vec<LogRecord>>) -> Vec<LogRecord> {
    let mut rests: Vec<_> = files.into_iter().map(|file| file.into_iter().peekable()).collect();
    let mut heads: BinaryHeap<_> = rests
        .iter_mut()
        .enumerate()
        .filter_map(|(index, rest)| Some(Reverse((rest.peek()?.at_us, index))))
        .collect();
    let mut merged = Vec::new();
    while let Some(Reverse((_, index))) = heads.pop() {
        let Some(rest) = rests.get_mut(index) else { continue };
        merged.extend(rest.next());
        if let Some(next) = rest.peek() {
            heads.push(Reverse((next.at_us, index)));
        }
    }
    merged
}

fn create_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn file_path(folder: &Path, number: i64, extension: &str) -> PathBuf {
    folder.join(format!("{number:08}.{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(at_us: i64, body: &'static str) -> LogRecord {
        LogRecord { at_us, ..LogRecord::sample_frame(body) }
    }

    #[test]
    fn a_file_is_read_from_where_it_was_read_before() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("log");
        assert_eq!(list(&folder).unwrap(), []);
        let mut file = StagingFile::create(&folder, 7).unwrap();
        file.append(&[at(1, "a"), at(2, "b")]).unwrap();
        let first = read(&folder, 7, 0).unwrap();
        assert_eq!(first, StagedBatches { records: vec![at(1, "a"), at(2, "b")], end: file.bytes() });
        file.append(&[at(3, "c")]).unwrap();
        assert_eq!(read(&folder, 7, first.end).unwrap().records, [at(3, "c")]);
        assert_eq!(list(&folder).unwrap(), [(file.number(), file.bytes())]);

        assert!(!is_abandoned(&folder, 7));
        drop(file);
        assert!(is_abandoned(&folder, 7));
        erase(&folder, 7, first.end).unwrap();
        assert_eq!(read(&folder, 7, 0).unwrap().records, []);
        assert_eq!(read(&folder, 7, first.end).unwrap().records, [at(3, "c")]);
        remove(&folder, 7);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        erase(&folder, 7, 1).unwrap();
    }

    #[test]
    fn records_of_several_files_are_in_the_order_of_their_times() {
        let files =
            vec![vec![at(1, "a"), at(5, "b"), at(4, "c")], vec![], vec![at(2, "d"), at(4, "e"), at(9, "f")]];
        let merged: Vec<_> = merge_by_time(files).into_iter().map(|record| record.body).collect();
        assert_eq!(merged, ["a", "d", "e", "b", "c", "f"]);
    }
}
