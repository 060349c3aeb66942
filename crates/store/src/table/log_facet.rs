//! The values that the log can be filtered by, with the number of their rows. Rows are counted when they are
//! written, so that listing the values does not scan a million rows.

use mooring_log::LogRecord;
use sqlx::QueryBuilder;
use sqlx::sqlite::{SqliteConnection, SqlitePool};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Maximum names per field. A server may invent any number of names. Those beyond this limit are not listed, but
/// can be searched for.
const MAX_NAMES: usize = 1_000;

/// The columns that can be filtered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Field {
    Source = 0,
    Method = 1,
    App = 2,
}

impl Field {
    fn from_code(code: i64) -> Self {
        match code {
            0 => Self::Source,
            2 => Self::App,
            _ => Self::Method,
        }
    }
}

/// The names of `field` in the log, in alphabetical order.
pub(crate) async fn list_names(readers: &SqlitePool, field: Field) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT value FROM log_facet WHERE field = ? ORDER BY value")
        .bind(field as i64)
        .fetch_all(readers)
        .await
}

/// The number of rows in the log.
pub(crate) async fn count_rows(readers: &SqlitePool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT rows FROM log_total").fetch_one(readers).await
}

/// The writer's copy of the names that are listed.
#[derive(Debug, Default)]
pub(crate) struct Facets {
    known: HashSet<(Field, Arc<str>)>,
}

impl Facets {
    /// Reads the names from the database.
    pub(crate) async fn load(db: &mut SqliteConnection) -> Result<Self, sqlx::Error> {
        let rows: Vec<(i64, String)> =
            sqlx::query_as("SELECT field, value FROM log_facet").fetch_all(db).await?;
        let known = rows.into_iter().map(|(field, value)| (Field::from_code(field), Arc::from(value)));
        Ok(Self { known: known.collect() })
    }

    /// Adds the records to the counts, within the transaction that writes them.
    pub(crate) async fn add_records(
        &mut self,
        db: &mut SqliteConnection,
        records: &[LogRecord],
    ) -> Result<(), sqlx::Error> {
        let total = as_i64(records.len());
        let mut counts = Counts::default();
        // Neighbouring records often have the same server, method or app.
        for run in records.chunk_by(|one, next| one.source == next.source) {
            if let [LogRecord { source, .. }, ..] = run {
                counts.add_rows(Field::Source, source, as_i64(run.len()));
            }
        }
        for run in records.chunk_by(|one, next| one.method == next.method) {
            if let [LogRecord { method: Some(method), .. }, ..] = run {
                counts.add_rows(Field::Method, method, as_i64(run.len()));
            }
        }
        for run in records.chunk_by(|one, next| one.app == next.app) {
            if let [LogRecord { app: Some(app), .. }, ..] = run {
                counts.add_rows(Field::App, app, as_i64(run.len()));
            }
        }
        counts.0.retain(|name, _| self.admit_name(name));
        counts.write_counts(db).await?;
        sqlx::query("UPDATE log_total SET rows = rows + ?").bind(total).execute(db).await?;
        Ok(())
    }

    /// Whether the name is listed. Adds a new name while there is room.
    fn admit_name(&mut self, name: &(Field, Arc<str>)) -> bool {
        if self.known.contains(name) {
            return true;
        }
        let room = self.known.iter().filter(|(field, _)| *field == name.0).count() < MAX_NAMES;
        if room {
            self.known.insert(name.clone());
        }
        room
    }

    /// Subtracts the deleted rows of a source from the counts, within the transaction that deletes them.
    /// `going` has the method and the app of each row.
    pub(crate) async fn subtract_rows<'m>(
        &mut self,
        db: &mut SqliteConnection,
        source: &str,
        going: impl Iterator<Item = (Option<&'m str>, Option<&'m str>)>,
    ) -> Result<(), sqlx::Error> {
        let mut counts = Counts::default();
        let source = Arc::from(source);
        let mut rows = 0;
        for (method, app) in going {
            rows += 1;
            counts.add_rows(Field::Source, &source, -1);
            if let Some(method) = method {
                counts.add_rows(Field::Method, &method.into(), -1);
            }
            if let Some(app) = app {
                counts.add_rows(Field::App, &app.into(), -1);
            }
        }
        counts.0.retain(|name, _| self.known.contains(name));
        counts.write_counts(db).await?;
        sqlx::query("UPDATE log_total SET rows = rows - ?").bind(rows).execute(&mut *db).await?;
        let gone: Vec<(i64, String)> =
            sqlx::query_as("DELETE FROM log_facet WHERE rows <= 0 RETURNING field, value")
                .fetch_all(db)
                .await?;
        for (field, value) in gone {
            self.known.remove(&(Field::from_code(field), Arc::from(value)));
        }
        Ok(())
    }
}

fn as_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// By how much the number of rows of each name changes.
#[derive(Default)]
struct Counts(HashMap<(Field, Arc<str>), i64>);

impl Counts {
    fn add_rows(&mut self, field: Field, value: &Arc<str>, rows: i64) {
        *self.0.entry((field, Arc::clone(value))).or_default() += rows;
    }

    async fn write_counts(&self, db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut statement = QueryBuilder::new("INSERT INTO log_facet (field, value, rows) ");
        statement.push_values(&self.0, |mut row, ((field, value), rows)| {
            row.push_bind(*field as i64).push_bind(Arc::clone(value)).push_bind(*rows);
        });
        statement.push(" ON CONFLICT DO UPDATE SET rows = rows + excluded.rows");
        statement.build().execute(db).await?;
        Ok(())
    }
}
