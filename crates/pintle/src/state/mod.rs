//! What scripts leave behind: metrics and the cache of a run, log lines and scratch values of a turn.

mod log;
mod metrics;
mod values;

pub use log::{LogBook, LogLine};
pub use values::Values as Scratch;

pub(crate) use metrics::Metrics;
pub(crate) use values::Values;

/// The state of one run, shared by all its agents.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) metrics: Metrics,
    pub(crate) cache: Values,
}
