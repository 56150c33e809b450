//! Hooks that the host program registers.

mod fixture;
mod limits;
mod protocol;
mod runtime_registration;
