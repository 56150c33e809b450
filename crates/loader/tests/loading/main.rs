//! Loads real directories: which files are found, in which order, and what is reported.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod clients;
mod discovery;
mod folders;
mod fuzz;
mod known_hooks;
mod known_scripts;
mod lints;
mod malformed;
mod packages;
mod scripts;
mod support;
mod team;
mod user;
