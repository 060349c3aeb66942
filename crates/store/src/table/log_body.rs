//! The files next to the database with the rest of long bodies, and their locations.

use sqlx::sqlite::{SqliteConnection, SqliteExecutor};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bodies from this size on have their rest in a file. According to SQLite, larger blobs are faster beside
/// the database (<https://www.sqlite.org/intern-v-extern-blob.html>).
pub(crate) const EXTERNAL_BYTES: usize = 64 << 10;
const BODY_FOLDER: &str = "log";

/// The folder with the body files of the database in the file `database`.
pub(crate) fn folder(database: &Path) -> PathBuf {
    database.with_file_name(BODY_FOLDER)
}

/// The file with the number `id` in the folder.
pub(crate) fn file_path(folder: &Path, id: i64) -> PathBuf {
    folder.join(format!("{id:08}.bodies"))
}

/// The number of a file in the folder. `None` if the file's name is not that of a body file.
pub(crate) fn file_number(path: &Path) -> Option<i64> {
    if path.extension()? != "bodies" {
        return None;
    }
    path.file_stem()?.to_str()?.parse().ok()
}

/// The location of the part of a body that is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub(crate) struct BodyLocation {
    /// The row that the body belongs to.
    pub(crate) row: i64,
    /// The file's number.
    pub(crate) file: i64,
    /// The offset in the file.
    pub(crate) at: i64,
    pub(crate) bytes: i64,
    pub(crate) crc32: i64,
}

impl BodyLocation {
    /// Appends the bytes to `body`, after checking their number and their CRC-32. Blocks.
    pub(crate) fn append_to(&self, folder: &Path, body: &mut Vec<u8>) -> io::Result<()> {
        let mut file = File::open(file_path(folder, self.file))?;
        file.seek(SeekFrom::Start(to_u64(self.at)?))?;
        let bytes = to_u64(self.bytes)?;
        let start = body.len();
        // No memory is reserved in advance, because the size in the database may be wrong.
        file.take(bytes).read_to_end(body)?;
        let rest = body.get(start..).unwrap_or_default();
        if u64::try_from(rest.len()).is_ok_and(|read| read == bytes)
            && i64::from(crc32fast::hash(rest)) == self.crc32
        {
            return Ok(());
        }
        body.truncate(start);
        Err(io::Error::new(io::ErrorKind::InvalidData, "the body is not what was written"))
    }
}

fn to_u64(number: i64) -> io::Result<u64> {
    u64::try_from(number).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// The locations of the bodies of all rows from `oldest` to `newest`.
pub(crate) async fn read_locations<'c>(
    db: impl SqliteExecutor<'c>,
    oldest: i64,
    newest: i64,
) -> Result<Vec<BodyLocation>, sqlx::Error> {
    sqlx::query_as("SELECT row, file, at, bytes, crc32 FROM log_body WHERE row BETWEEN ? AND ?")
        .bind(oldest)
        .bind(newest)
        .fetch_all(db)
        .await
}

/// Inserts the locations of bodies, within the transaction that writes their rows.
pub(crate) async fn insert_locations(
    db: &mut SqliteConnection,
    places: &[BodyLocation],
) -> Result<(), sqlx::Error> {
    for place in places {
        sqlx::query("INSERT INTO log_body (row, file, at, bytes, crc32) VALUES (?, ?, ?, ?, ?)")
            .bind(place.row)
            .bind(place.file)
            .bind(place.at)
            .bind(place.bytes)
            .bind(place.crc32)
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}

/// Deletes the locations of the bodies of these rows (a JSON array of ids) and the rows of files that hold no
/// other bodies. Returns the numbers of these files.
pub(crate) async fn delete_locations(db: &mut SqliteConnection, rows: &str) -> Result<Vec<i64>, sqlx::Error> {
    let forgotten = sqlx::query("DELETE FROM log_body WHERE row IN (SELECT value FROM json_each(?))")
        .bind(rows)
        .execute(&mut *db)
        .await?
        .rows_affected();
    if forgotten == 0 {
        return Ok(Vec::new());
    }
    sqlx::query_scalar("DELETE FROM log_file WHERE id NOT IN (SELECT file FROM log_body) RETURNING id")
        .fetch_all(db)
        .await
}

/// The file with the most unused bytes, and the locations of the bodies in it that are still used. `None`
/// unless at least half of the file and `least` bytes are unused.
pub(crate) async fn find_emptiest_file(
    db: &mut SqliteConnection,
    least: i64,
    except: Option<i64>,
) -> Result<Option<(i64, Vec<BodyLocation>)>, sqlx::Error> {
    let found: Option<i64> = sqlx::query_scalar(
        "SELECT id FROM (SELECT id, bytes, (SELECT coalesce(sum(bytes), 0) FROM log_body WHERE file = log_file.id) \
         AS live FROM log_file) WHERE bytes - live >= max(?, live) AND id IS NOT ? ORDER BY bytes - live DESC LIMIT 1",
    )
    .bind(least)
    .bind(except)
    .fetch_optional(&mut *db)
    .await?;
    let Some(id) = found else { return Ok(None) };
    let places =
        sqlx::query_as("SELECT row, file, at, bytes, crc32 FROM log_body WHERE file = ? ORDER BY row")
            .bind(id)
            .fetch_all(db)
            .await?;
    Ok(Some((id, places)))
}

/// Updates the locations of moved bodies, and deletes the row of their previous file.
pub(crate) async fn update_locations(
    db: &mut SqliteConnection,
    places: &[BodyLocation],
    from: i64,
) -> Result<(), sqlx::Error> {
    for place in places {
        sqlx::query("UPDATE log_body SET file = ?, at = ? WHERE row = ?")
            .bind(place.file)
            .bind(place.at)
            .bind(place.row)
            .execute(&mut *db)
            .await?;
    }
    sqlx::query("DELETE FROM log_file WHERE id = ?").bind(from).execute(db).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_file_is_named_by_number_and_no_other_file_matches() {
        let path = file_path(Path::new("folder"), 42);
        assert_eq!(path, Path::new("folder/00000042.bodies"));
        assert_eq!(file_number(&path), Some(42));
        for other in ["00000042.txt", "x.bodies", "00000042", ".bodies"] {
            assert_eq!(file_number(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn what_is_not_there_or_not_what_was_written_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let place =
            BodyLocation { row: 1, file: 1, at: 2, bytes: 3, crc32: i64::from(crc32fast::hash(b"cde")) };
        let mut body = b"head".to_vec();
        let check = |content: &[u8], expect: Option<&[u8]>, place: BodyLocation| {
            std::fs::write(file_path(folder.path(), 1), content).unwrap();
            let mut body = b"head".to_vec();
            let read = place.append_to(folder.path(), &mut body).ok().map(|()| body.clone());
            assert_eq!(read.as_deref(), expect);
            // A body that fails the check leaves nothing behind.
            assert!(expect.is_some() || body == b"head");
        };
        check(b"abcdefgh", Some(b"headcde"), place);
        check(b"abcd", None, place);
        check(b"ab\0\0\0", None, place);
        check(b"abcde", None, BodyLocation { at: -1, ..place });
        check(b"abcde", None, BodyLocation { bytes: -1, ..place });
        check(b"abcde", None, BodyLocation { at: 100, ..place });
        std::fs::remove_file(file_path(folder.path(), 1)).unwrap();
        assert_eq!(place.append_to(folder.path(), &mut body).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
