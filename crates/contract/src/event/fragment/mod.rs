//! Types that the payloads of several events share.

mod call_facts;
mod choice;
mod host_payload;
mod log_line;
mod message;
mod tool_call;
mod tool_definition;
mod tool_result;
mod unsettled;
mod usage;

pub use call_facts::{CallFacts, CallPath, CodeFile};
pub use choice::CompletionChoice;
pub use host_payload::HostPayload;
pub use log_line::LogLine;
pub use message::{ChatFunctionCall, ChatMessage, ChatToolCall};
pub use tool_call::ToolCall;
pub use tool_definition::{ChatFunction, ChatTool};
pub use tool_result::ToolResult;
pub use unsettled::{UnsettledState, UnsettledWork};
pub use usage::TokenUsage;

/// The only tool type in OpenAI's chat format.
fn function() -> String {
    String::from("function")
}
