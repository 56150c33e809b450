//! The program against a real PostgreSQL and with the real minisign, which each test finds installed, and against an OTLP
//! endpoint.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

mod approvals;
mod budgets;
mod encryption;
mod faults;
mod fixture;
mod otlp_server;
mod policy;
mod proof;
mod refusals;
mod shipping;
mod store;
mod telemetry;
mod throughput;
