//! Doing what is left to do to records before they are written.

use super::Finish;
use super::insert::clip;
use crate::table::log::LogRecord;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// Bytes of bodies from which on it is done where no other task waits for it.
const ASIDE: usize = 64 << 10;

/// A record with who finishes it.
pub(super) type Unfinished = (LogRecord, Option<Arc<dyn Finish>>);

/// Who should have finished a record has panicked. What it said is not kept: it may quote what was to be taken out.
#[derive(Debug)]
pub(super) struct Panicked;

/// The finished records, in the same order.
pub(super) async fn finished(records: Vec<Unfinished>) -> Result<Vec<LogRecord>, Panicked> {
    let bytes: usize = records.iter().map(|(record, _)| record.body.len()).sum();
    let finish_all = || records.into_iter().map(finish).collect();
    if bytes < ASIDE {
        // The records go with a panic, so that nobody sees one that is half finished.
        catch_unwind(AssertUnwindSafe(finish_all)).map_err(|_| Panicked)
    } else {
        spawn_blocking(finish_all).await.map_err(|_| Panicked)
    }
}

fn finish((mut record, finish): Unfinished) -> LogRecord {
    if let Some(finish) = finish {
        finish.finish(&mut record);
    }
    clip(&mut record);
    record
}
