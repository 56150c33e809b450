//! The JSON format that Claude Code introduced and most other hosts adopted: reads its fields and builds its responses.
//! Differences between the hosts are in their own directories.

pub mod hook_payload;
mod response;
mod result_shape;

pub use response::HookJsonResponse;
pub use result_shape::shape_like;
