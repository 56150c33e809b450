//! Hooks that are programs, run as real processes through the handler that a declaration builds.
#![cfg(unix)]

mod calls;
#[cfg(target_os = "linux")]
mod containment;
mod exec;
mod keep;
#[cfg(target_os = "linux")]
mod sandbox;
mod stage;
#[cfg(target_os = "linux")]
mod supervised;
