//! Hooks that the host program registers.

mod limits;
mod living;
mod protocol;
mod stage;
