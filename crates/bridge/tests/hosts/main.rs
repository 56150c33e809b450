//! Every host against the same questions: its payloads as real agents sent them, and what it is answered when hooks say
//! this or that. The payloads are in `tests/data/HOST/payloads`, the answers beside them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod answers;
mod failed;
mod final_bytes;
mod fixture;
mod garbage;
mod kept;
mod policy;
mod report;
mod sessions;
mod told;
