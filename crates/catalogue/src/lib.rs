//! All servers together as an app sees them, built from their last lists, and the cost of that.

mod addresses;
mod catalogue;
mod cost;

pub use addresses::Addresses;
pub use catalogue::{Catalogue, OddTool, Offered, RunPlace};
pub use cost::{AppCost, CostMeter, ServerCost, ToolCost};
