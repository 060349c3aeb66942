//! Full-text search of the log: SQLite searches the bodies in the database, and this module the bodies that
//! are partly in files.

use crate::database::Database;
use crate::table::log::{self, MAX_PAGE};
use crate::table::log_body::{self, BodyLocation};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use mooring_log::{LogQuery, LogRow};
use std::collections::HashMap;
use std::io;
use std::path::Path;
use tokio::task::spawn_blocking;

/// One page, newest row first.
pub(crate) async fn read_page(database: &Database, query: &LogQuery) -> Result<Vec<LogRow>, sqlx::Error> {
    let Some(text) = query.text.as_deref().filter(|text| !text.is_empty()) else {
        return log::read_page(&database.readers, query).await;
    };
    let needle = build_matcher(text)?;
    let limit = usize::try_from(query.limit.clamp(1, MAX_PAGE)).unwrap_or(usize::MAX);
    let forward = query.is_forward();
    let mut query = query.clone();
    let mut found = Vec::new();
    loop {
        let mut rows = log::read_page(&database.readers, &query).await?;
        let is_last = rows.len() < limit;
        if forward {
            rows.reverse();
            query.after = rows.last().map(|row| row.id);
        } else {
            query.before = rows.last().map(|row| row.id);
        }
        found.extend(retain_matching_rows(database, &needle, rows).await?);
        if is_last || found.len() >= limit {
            break;
        }
    }
    found.truncate(limit);
    if forward {
        found.reverse();
    }
    Ok(found)
}

/// The number of rows that match a query, without its limit.
pub(crate) async fn count_rows(database: &Database, query: &LogQuery) -> Result<i64, sqlx::Error> {
    let mut found = log::count_rows(&database.readers, query).await?;
    let Some(text) = query.text.as_deref().filter(|text| !text.is_empty()) else { return Ok(found) };
    let needle = build_matcher(text)?;
    let mut query = query.clone();
    loop {
        let rows = log::read_long_page(&database.readers, &query).await?;
        let Some(oldest) = rows.last().map(|row| row.id) else { return Ok(found) };
        query.before = Some(oldest);
        let all = rows.len();
        let without = all - retain_matching_rows(database, &needle, rows).await?.len();
        found -= i64::try_from(without).unwrap_or_default();
    }
}

/// A matcher for the text that ignores the case of ASCII letters.
fn build_matcher(text: &str) -> Result<AhoCorasick, sqlx::Error> {
    // The faster automaton takes minutes to build for a long text.
    let kind = (text.len() > 1_024).then_some(AhoCorasickKind::ContiguousNFA);
    let needle = AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build([text]);
    needle.map_err(|error| sqlx::Error::Protocol(error.to_string()))
}

/// Removes the rows with a body that is partly in a file and does not contain the text.
async fn retain_matching_rows(
    database: &Database,
    needle: &AhoCorasick,
    rows: Vec<LogRow>,
) -> Result<Vec<LogRow>, sqlx::Error> {
    let ids = || rows.iter().map(|row| row.id);
    let (Some(oldest), Some(newest)) = (ids().min(), ids().max()) else {
        return Ok(rows);
    };
    let places = log_body::read_locations(&database.readers, oldest, newest).await?;
    if places.is_empty() {
        return Ok(rows);
    }
    let places = places.into_iter().map(|place| (place.row, place)).collect();
    let folder = log_body::folder(&database.path);
    let needle = needle.clone();
    let searched = spawn_blocking(move || retain_matching_bodies(&folder, &needle, &places, rows)).await;
    Ok(searched.map_err(io::Error::other)?)
}

fn retain_matching_bodies(
    folder: &Path,
    needle: &AhoCorasick,
    places: &HashMap<i64, BodyLocation>,
    mut rows: Vec<LogRow>,
) -> Vec<LogRow> {
    let mut body = Vec::new();
    rows.retain(|row| {
        let Some(place) = places.get(&row.id) else {
            // The whole body is in the database, which has searched it.
            return true;
        };
        body.clear();
        body.extend_from_slice(row.preview.as_bytes());
        // A lost part does not match.
        let _lost = place.append_to(folder, &mut body);
        needle.is_match(&body)
    });
    rows
}
