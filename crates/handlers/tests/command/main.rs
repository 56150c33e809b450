//! Command hooks, run as real processes through the handler of a declaration.
#![cfg(unix)]

mod calls;
#[cfg(target_os = "linux")]
mod containment;
mod exec;
mod fixture;
mod keep;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(target_os = "linux")]
mod supervised;
