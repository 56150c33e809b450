//! Each dialect, by the corpora of all.

mod deviations;
mod refusals;
