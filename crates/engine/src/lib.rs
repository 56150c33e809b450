//! Runs events through hooks: select, dispatch, compose.
//!
//! A [`HookSet`] is compiled once and finds the hooks that match an event. [`dispatch`] calls them and combines their
//! verdicts into one [`Outcome`](pintle_contract::Outcome). [`explain`] predicts which hooks would run and why others
//! would not. Nothing here does I/O: handlers, journal, clock, effect runner and approver are arguments.

mod compose;
mod dispatch;
mod explain;
mod select;

pub use compose::{is_matcher_failure_warning, is_untrusted_claim};
pub use dispatch::{DispatchContext, MAX_ROUNDS, ReadOnlyEffects, dispatch};
pub use explain::{HookExplanation, RunPrediction, explain};
pub use select::HookSet;
