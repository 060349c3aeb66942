//! What the log consists of: its records and rows, the queue in which records wait for its writer, and the files in which records are staged until many of them go into the
//! database at once. A file costs a record its own bytes; a commit costs it every page that it changes, twice.

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
