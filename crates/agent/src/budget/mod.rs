//! Budgets: what model calls use, and what happens when a limit is reached.
//!
//! A [`BudgetMeter`] adds up the usage of a step, a persona or the session. `charge` charges the model calls of a turn and asks the
//! user when a budget is exhausted.

mod charge;
mod exceeded;
mod meter;
mod threshold_queue;

pub use exceeded::BudgetExceeded;
pub use meter::BudgetUsage;

pub(crate) use meter::{BudgetMeter, to_number_value};
pub(crate) use threshold_queue::ThresholdQueue;
