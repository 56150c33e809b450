//! The program against a real PostgreSQL, which each test finds installed.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

mod approvals;
mod budgets;
mod encryption;
mod faults;
mod fixture;
mod proof;
mod refusals;
mod shipping;
mod store;
mod throughput;
