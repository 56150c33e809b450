//! The program against a real PostgreSQL and with the real minisign, which each test finds installed.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

mod encryption;
mod faults;
mod fixture;
mod policy;
mod refusals;
mod shipping;
mod store;
mod throughput;
