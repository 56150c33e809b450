//! The JSON that Claude Code introduced and most others took over: how its fields are read, and how its answers are put
//! together. What differs between the hosts is in their own folders.

pub mod hook_payload;
mod response;
mod result_shape;

pub use response::HookJsonResponse;
pub use result_shape::shape_like;
