//! The codec of a dialect, which each of its hooks carries.

use std::fmt::Debug;

use serde_json::Value;

use crate::{Event, HandlerOutput, HookInfluence, LazyPayload, Verdict};

/// The keys of a file's path and of its content in a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileContentKeys {
    /// The key of the path.
    pub path: &'static str,
    /// The key of the content.
    pub content: &'static str,
}

/// Translates between the canonical event and the input and output of one dialect's handlers.
///
/// The engine does not know any dialect: it holds handlers, and a handler holds its codec. In all methods, `event_alias`
/// is the event alias: the event's name as the hook's author wrote it.
pub trait Codec: Send + Sync + Debug {
    /// The name of the dialect, such as `ai_harness`.
    fn dialect(&self) -> &'static str;

    /// The key of the encoding. Two codecs with the same key encode every event alike, so their hooks share the encoded
    /// payload. Default: the dialect's name.
    fn encoding_key(&self) -> &'static str {
        self.dialect()
    }

    /// Encodes the payload for the dialect's handlers. `None` if the canonical payload can be used as it is, without a
    /// copy.
    fn encode(&self, event: &Event, event_alias: &str) -> Option<Value>;

    /// The result of [`Codec::encode`] key by key, for a reader that needs only some keys. Default: `None`, which
    /// encodes the whole payload.
    fn lazy_payload<'a>(&self, _event: &'a Event, _event_alias: &str) -> Option<LazyPayload<'a>> {
        None
    }

    /// The JSON Schema of the payload as the dialect's functions hear it, if that is not the catalogue's. Default: `None`.
    fn payload_schema(&self, _event_alias: &str) -> Option<&'static Value> {
        None
    }

    /// The name of the tool vocabulary that the dialect's hooks are written in. Default: `None`, the one whose names the
    /// hook's own conditions use.
    fn tool_vocabulary(&self, _event_alias: &str) -> Option<&'static str> {
        None
    }

    /// The filter for a dialect event that is narrower than the catalogue's event: hooks are only called for events it
    /// accepts. Default: `None`, all events.
    fn event_filter(&self, _event_alias: &str) -> Option<fn(&Event) -> bool> {
        None
    }

    /// Whether the dialect's hooks on an event can deny it. Hooks that cannot are not guards, whatever runs them; see
    /// [`Hook::guard`](crate::Hook::guard). Default: true.
    fn can_deny(&self, _event_alias: &str) -> bool {
        true
    }

    /// The most that the dialect's hooks on an event can do to it. Default: rewrite or withhold its data.
    fn influence(&self, _event_alias: &str) -> HookInfluence {
        HookInfluence::Shapes
    }

    /// Encodes the payload as bytes for a program's standard input. Default: compact JSON of [`Codec::encode`].
    fn encode_bytes(&self, event: &Event, event_alias: &str) -> Vec<u8> {
        let encoded = self.encode(event, event_alias);
        // A `Value` can always be serialised to JSON.
        serde_json::to_vec(encoded.as_ref().unwrap_or(event.payload.value())).unwrap_or_default()
    }

    /// The keys of a path and of the content of its file, for an event whose programs are given the content of the file
    /// that a call reads. A payload with the path and without the content is completed before a program gets it.
    /// Default: none.
    fn file_content_keys(&self, _event_alias: &str) -> Option<FileContentKeys> {
        None
    }

    /// Environment variables that the dialect's programs receive for the event, such as the project directory. They
    /// override Pintle's own variables and are overridden by those that the hook's author declared. Default: none.
    fn environment(&self, _event: &Event, _event_alias: &str) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Decodes handler output into a verdict. Every output gives a verdict; the codec never panics.
    fn decode(&self, event: &Event, event_alias: &str, answer: HandlerOutput) -> Verdict;
}
