//! The JSON that Claude Code introduced and most others took over: how its fields are read, and how its answers are put
//! together. What differs between the hosts is in their own folders.

mod output;
pub mod read;
mod shape;

pub use output::Output;
pub use shape::shaped;
