//! Types of the log: its records and rows, the queue in front of its writer, and the files in which records
//! are staged until many of them are committed to the database at once. A record in a file costs its own
//! bytes, but a commit costs every page that it changes, twice.

mod call_times;
mod codec;
mod item;
mod queue;
mod record;
mod retention;
mod row;
mod staging;
mod text;

pub use call_times::{CallCounter, CallTimes, REMEMBERED_CALLS, duration_of};
pub use item::{Item, ItemKind};
pub use queue::{BatchLimits, PushError, Queue, Queued, WaitOutcome};
pub use record::{Direction, LogKind, LogRecord, LogStatus};
pub use retention::{AgeCheck, Retention};
pub use row::{LogEntry, LogQuery, LogRow};
pub use staging::{StagedBatches, StagingFile, erase, is_abandoned, list, merge_by_time, read, remove};
pub use text::{clip, clip_name, preview_end};
