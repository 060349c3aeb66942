//! What an app sees of all servers together, made of what each listed last, and what it pays for that.

mod addresses;
mod catalogue;
mod cost;

pub use addresses::Addresses;
pub use catalogue::{Catalogue, OddTool, Offered, RunPlace};
pub use cost::{AppCost, CostMeter, ServerCost, ToolCost};
