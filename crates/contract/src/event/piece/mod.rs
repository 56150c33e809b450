//! Pieces that the payloads of several events share.

mod choice;
mod host_said;
mod log_line;
mod message;
mod tool_call;
mod tool_definition;
mod tool_result;
mod unsettled;
mod usage;

pub use choice::Choice;
pub use host_said::HostSaid;
pub use log_line::LogLine;
pub use message::{FunctionCall, Message, MessageToolCall};
pub use tool_call::ToolCall;
pub use tool_definition::{ToolDefinition, ToolFunction};
pub use tool_result::ToolResult;
pub use unsettled::Unsettled;
pub use usage::Usage;

/// The name that OpenAI's wire format gives to the one kind of tool there is.
fn function() -> String {
    String::from("function")
}
