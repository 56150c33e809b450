//! `pintle-hook` with a resident: the same outcome as `pintle hook` for whatever comes, and never less.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod differential;
mod faults;
mod fixture;
mod impostors;
