//! Appends long bodies to files beside the database.

use crate::table::log_body::{self, BodyLocation, EXTERNAL_BYTES, file_number, file_path};
use bytes::Bytes;
use mooring_log::LogRecord;
use mooring_log::preview_end;
use sqlx::sqlite::SqliteConnection;
use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// When a file has this size, the next one is begun. The oldest files are deleted as a whole.
const FILE_BYTES: i64 = 64 << 20;

/// The part of a long body that goes into a file. `None` for short bodies.
pub(super) fn take_external_part(record: &LogRecord) -> Option<Bytes> {
    (record.body.len() >= EXTERNAL_BYTES).then(|| record.body.slice(preview_end(&record.body)..))
}

/// The body files, and the one that is being filled.
#[derive(Debug)]
pub(super) struct BodyFiles {
    folder: PathBuf,
    open: Option<OpenBodyFile>,
}

#[derive(Debug)]
struct OpenBodyFile {
    id: i64,
    file: Arc<File>,
    /// Bytes that committed transactions and the current one have written.
    bytes: i64,
}

impl BodyFiles {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, open: None }
    }

    /// Makes the next body begin a new file.
    pub(super) fn start_new_file(&mut self) {
        self.open = None;
    }

    /// Appends the bodies of these rows, in order, within the transaction that writes the rows. Don't use
    /// this value again if that transaction fails: its offsets would be wrong.
    pub(super) async fn append_bodies(
        &mut self,
        db: &mut SqliteConnection,
        bodies: Vec<(i64, Bytes)>,
    ) -> Result<Vec<BodyLocation>, sqlx::Error> {
        let Some(newest) = bodies.last().map(|(row, _)| *row) else {
            return Ok(Vec::new());
        };
        let open = self.open_current_file(db).await?;
        let (id, at, file) = (open.id, open.bytes, Arc::clone(&open.file));
        let places = spawn_blocking(move || write_bodies(&file, id, at, &bodies)).await;
        let places = places.map_err(io::Error::other)??;
        open.bytes = places.last().map_or(at, |place| place.at + place.bytes);
        sqlx::query("UPDATE log_file SET bytes = ?, newest = ? WHERE id = ?")
            .bind(open.bytes)
            .bind(newest)
            .bind(open.id)
            .execute(db)
            .await?;
        Ok(places)
    }

    /// Moves the remaining bodies of the emptiest file to the end of the current file, within a transaction.
    /// Returns the number of the file that is now empty. A body that can't be read is lost.
    pub(super) async fn compact_emptiest_file(
        &mut self,
        db: &mut SqliteConnection,
    ) -> Result<Option<i64>, sqlx::Error> {
        let current = self.open.as_ref().map(|open| open.id);
        let Some((emptiest, places)) =
            log_body::find_emptiest_file(&mut *db, FILE_BYTES / 2, current).await?
        else {
            return Ok(None);
        };
        let folder = self.folder.clone();
        let read = move || {
            let read = |place: &BodyLocation| {
                let mut body = Vec::new();
                place.append_to(&folder, &mut body).ok().map(|()| (place.row, Bytes::from(body)))
            };
            places.iter().filter_map(read).collect::<Vec<_>>()
        };
        let bodies = spawn_blocking(read).await.map_err(io::Error::other)?;
        let places = self.append_bodies(&mut *db, bodies).await?;
        log_body::update_locations(db, &places, emptiest).await?;
        Ok(Some(emptiest))
    }

    /// The file to append to. Another process may have deleted it, if all of its rows were old.
    async fn open_current_file(
        &mut self,
        db: &mut SqliteConnection,
    ) -> Result<&mut OpenBodyFile, sqlx::Error> {
        let usable = match &self.open {
            Some(open) if open.bytes < FILE_BYTES => {
                let found: Option<i64> = sqlx::query_scalar("SELECT id FROM log_file WHERE id = ?")
                    .bind(open.id)
                    .fetch_optional(&mut *db)
                    .await?;
                found.is_some()
            }
            _ => false,
        };
        let open = match self.open.take() {
            Some(open) if usable => open,
            _ => self.create_file(db).await?,
        };
        Ok(self.open.insert(open))
    }

    async fn create_file(&self, db: &mut SqliteConnection) -> Result<OpenBodyFile, sqlx::Error> {
        let id: i64 = sqlx::query_scalar("INSERT INTO log_file (bytes, newest) VALUES (0, 0) RETURNING id")
            .fetch_one(&mut *db)
            .await?;
        let known: Vec<i64> = sqlx::query_scalar("SELECT id FROM log_file").fetch_all(db).await?;
        let folder = self.folder.clone();
        let made =
            spawn_blocking(move || create_file_and_remove_unknown(&folder, id, &known.into_iter().collect()))
                .await;
        let file = made.map_err(io::Error::other)??;
        Ok(OpenBodyFile { id, file: Arc::new(file), bytes: 0 })
    }
}

/// Creates the file `id`, and deletes the files without a row in `log_file`. Only one process at a time is in
/// a transaction that writes, so no other process is creating one of these.
fn create_file_and_remove_unknown(folder: &Path, id: i64, known: &HashSet<i64>) -> io::Result<File> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if file_number(&path).is_some_and(|number| !known.contains(&number)) {
            fs::remove_file(path)?;
        }
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file_path(folder, id))
}

fn write_bodies(
    mut file: &File,
    id: i64,
    mut at: i64,
    bodies: &[(i64, Bytes)],
) -> io::Result<Vec<BodyLocation>> {
    let mut places = Vec::with_capacity(bodies.len());
    for (row, body) in bodies {
        file.write_all(body)?;
        let bytes = i64::try_from(body.len()).map_err(io::Error::other)?;
        let crc32 = i64::from(crc32fast::hash(body));
        places.push(BodyLocation { row: *row, file: id, at, bytes, crc32 });
        at += bytes;
    }
    Ok(places)
}
