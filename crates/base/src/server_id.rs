//! Ids of saved servers.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The number of a saved server in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServerId(pub i64);

/// TypeScript has a plain number for it, without a type of its own.
impl TS for ServerId {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn name(config: &ts_rs::Config) -> String {
        i64::name(config)
    }

    fn inline(config: &ts_rs::Config) -> String {
        i64::inline(config)
    }
}
