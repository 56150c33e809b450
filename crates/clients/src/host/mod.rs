//! The client as a host: what it reports, what it supports, and what it is answered.

mod answer;
mod decision;
mod event;
mod fields;
mod response;
mod result_shape;
mod sender;
mod support;

pub use answer::HostResponse;
pub use decision::HostDecision;
pub use event::{HostEvent, HostEventContext, HostEventData, HostToolCall};
pub use fields::{HostEventKind, HostField, HostFields, HostPayloadError};
pub use response::{HookJsonResponse, ResponseContext};
pub use result_shape::shape_like;
pub use support::{ActionSupport, HookAction, HostSupport};

pub(crate) use fields::{at_path, read_json_text, text};
pub(crate) use sender::{event_of_session, has, is_codex_transcript};
