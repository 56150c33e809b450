//! Runs events through hooks: select, dispatch, compose (design, sections 3 and 4).
//!
//! [`HookSet`] is compiled once and says which hooks an event concerns; [`dispatch`] asks them and composes what they
//! said into one [`Outcome`](pintle_contract::Outcome); [`explain`] tells which would be asked and why the others
//! would not. Nothing here does I/O: handlers, journal, clock, seam and resolver are arguments.

mod compose;
mod dispatch;
mod explain;
mod select;

pub use compose::{is_matcher_failure_warning, is_untrusted_claim};
pub use dispatch::{DispatchContext, MAX_ROUNDS, ReadOnlyEffects, dispatch};
pub use explain::{HookExplanation, RunPrediction, explain};
pub use select::HookSet;
