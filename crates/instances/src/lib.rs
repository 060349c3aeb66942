//! Instances of a server. Apps share an instance unless they would disturb each other. Otherwise, some
//! instances are for a single app, or for all apps with the same folders.

mod claims;
mod pool;
mod rule;
mod single_user;

pub use claims::SharedClaims;
pub use pool::{Held, InstanceId, InstanceKey, InstancePool, InstanceUsage, InstanceUse, Lease, PoolFull};
pub use rule::{InstanceRule, Separation};
pub use single_user::SingleUserKind;
