//! The writer's other operations on the log: delete old rows, delete everything, report deletions.

use super::{GAP_SOURCE, TRIM, deletion_gap_record, gap_record};
use crate::insert::InsertStatements;
use crate::staging::{self, MovedRows};
use crate::table::log_body;
use crate::table::log_facet::Facets;
use crate::table::log_share::{self, SourceShares};
use crate::writer::bodies::BodyFiles;
use mooring_log::{LogRecord, LogStatus};
use serde_json::json;
use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;
use std::path::Path;

/// The writer's connection, with its counters and files.
pub(super) struct WriterConnection {
    pub(super) db: SqliteConnection,
    pub(super) facets: Facets,
    pub(super) shares: SourceShares,
    pub(super) bodies: BodyFiles,
    /// Ticks since the last write.
    pub(super) idle_ticks: u32,
}

impl WriterConnection {
    /// Deletes some of the oldest rows of the largest source, and empties a body file with few remaining
    /// bodies. Returns the files that are now empty.
    pub(super) async fn trim_largest_source(&mut self, keep: u64) -> Result<Vec<i64>, sqlx::Error> {
        let mut tx = self.db.begin_with("BEGIN IMMEDIATE").await?;
        // Other connections add names when they move rows.
        self.facets = Facets::load(&mut tx).await?;
        let (facets, shares) = (&mut self.facets, &mut self.shares);
        let mut files = shares.delete_oldest_rows(&mut tx, facets, keep, TRIM.records, TRIM.bytes).await?;
        files.extend(self.bodies.compact_emptiest_file(&mut tx).await?);
        tx.commit().await?;
        Ok(files)
    }

    /// Deletes some of the rows from before a time, and empties a body file with few remaining bodies.
    /// Returns the number of rows, and the files that are now empty.
    pub(super) async fn trim_old_rows(&mut self, before_us: i64) -> Result<(usize, Vec<i64>), sqlx::Error> {
        let mut tx = self.db.begin_with("BEGIN IMMEDIATE").await?;
        self.facets = Facets::load(&mut tx).await?;
        let (rows, mut files) =
            log_share::delete_rows_before(&mut tx, &mut self.facets, before_us, TRIM.records, TRIM.bytes)
                .await?;
        if rows > 0 {
            files.extend(self.bodies.compact_emptiest_file(&mut tx).await?);
        }
        tx.commit().await?;
        Ok((rows, files))
    }

    /// Deletes every row, including staged ones, and writes a row that says so. Returns the number of deleted
    /// rows, the files of their bodies, and the new row's id.
    pub(super) async fn clear_log(
        &mut self,
        inserts: &InsertStatements,
        database: &Path,
        retired: Option<i64>,
    ) -> Result<(u64, Vec<i64>, i64, MovedRows), sqlx::Error> {
        const DELETE: &str = "DELETE FROM log; DELETE FROM log_body; DELETE FROM log_facet; DELETE FROM log_share; \
            UPDATE log_total SET rows = 0";
        let mut tx = self.db.begin_with("BEGIN IMMEDIATE").await?;
        let counts = (&mut self.facets, &self.shares);
        let moved =
            staging::move_rows(&mut tx, &log_body::folder(database), inserts, counts, retired).await?;
        let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM log").fetch_one(&mut *tx).await?;
        sqlx::raw_sql(DELETE).execute(&mut *tx).await?;
        let files = sqlx::query_scalar("DELETE FROM log_file RETURNING id").fetch_all(&mut *tx).await?;
        let body = json!({ "deleted": rows, "cleared": true }).to_string();
        let gap = LogRecord { status: LogStatus::None, ..gap_record(GAP_SOURCE.into(), None, body) };
        let gaps = std::slice::from_ref(&gap);
        let first = inserts.insert_records(&mut tx, gaps).await?;
        (self.facets, self.shares) = (Facets::default(), SourceShares::default());
        self.bodies.start_new_file();
        self.facets.add_records(&mut tx, gaps).await?;
        self.shares.add_records(&mut tx, gaps).await?;
        tx.commit().await?;
        Ok((u64::try_from(rows).unwrap_or_default(), files, first, moved))
    }

    /// Vacuums the database and truncates its write-ahead log, so that neither contains deleted rows. False
    /// if another connection prevented that.
    pub(super) async fn vacuum_database(&mut self) -> Result<bool, sqlx::Error> {
        sqlx::query("VACUUM").execute(&mut self.db).await?;
        let busy: i64 = sqlx::query_scalar("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut self.db).await?;
        Ok(busy == 0)
    }

    /// Writes a gap row for each source whose rows were deleted. Returns the id of the first, and their
    /// number.
    pub(super) async fn log_deletions(
        &mut self,
        inserts: &InsertStatements,
    ) -> Result<(i64, usize), sqlx::Error> {
        let mut tx = self.db.begin_with("BEGIN IMMEDIATE").await?;
        let deleted = log_share::take_deletion_counts(&mut tx).await?;
        let gaps: Vec<_> = deleted.into_iter().map(deletion_gap_record).collect();
        let first = inserts.insert_records(&mut tx, &gaps).await?;
        self.facets.add_records(&mut tx, &gaps).await?;
        self.shares.add_records(&mut tx, &gaps).await?;
        tx.commit().await?;
        Ok((first, gaps.len()))
    }
}
