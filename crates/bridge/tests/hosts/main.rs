//! Tests every host with the same cases: payloads as real agents sent them, and the responses for given verdicts. The
//! payloads are in `tests/data/HOST/payloads`, the responses next to them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod answers;
mod conversation;
mod event_names;
mod failed;
mod final_bytes;
mod fixture;
mod garbage;
mod kept_sessions;
mod parallel;
mod policy;
mod read_back;
mod recognise;
mod report;
mod round_trip;
mod sessions;
mod signed;
mod stored;
