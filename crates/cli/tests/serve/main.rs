//! `pintle serve --stdio` and `--http` as hosts use them: the real program, and every answer held against the schema.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod attacks;
mod fixture;
mod guide;
mod http;
mod intercept;
mod mcp;
mod mcp_http;
mod schema;
mod stdio;
mod view;
