//! The codec of a dialect, which travels with each of its hooks.

use std::fmt::Debug;

use serde_json::Value;

use crate::{Event, HandlerOutput, HookInfluence, LazyPayload, Verdict};

/// Translates between the canonical event and what one dialect's handlers expect and answer.
///
/// The engine never names a dialect: it holds handlers, and a handler holds its codec.
pub trait Codec: Send + Sync + Debug {
    /// The dialect's name, such as `ai_harness`.
    fn dialect(&self) -> &'static str;

    /// Names the form it encodes to. Two codecs of one form encode every event alike, so that their hooks share what was
    /// encoded. Default: the dialect's name.
    fn encoding_key(&self) -> &'static str {
        self.dialect()
    }

    /// The payload as the dialect's handlers expect it, or `None` when the canonical payload is already that
    /// (then nothing is copied). `spelling` is the event's name as the hook's author wrote it.
    fn encode(&self, event: &Event, spelling: &str) -> Option<Value>;

    /// What [`Codec::encode`] gives, key by key, for a reader that does not want all of it. Default: `None`, and then
    /// the payload is encoded whole.
    fn lazy_payload<'a>(&self, _event: &'a Event, _spelling: &str) -> Option<LazyPayload<'a>> {
        None
    }

    /// Tells which events of the catalogue the dialect's event stands for, where it is narrower than the catalogue's: its
    /// hooks are not asked about the others. Default: it is not narrower.
    fn event_filter(&self, _spelling: &str) -> Option<fn(&Event) -> bool> {
        None
    }

    /// Tells whether the dialect's hooks on an event can deny it at all. Those that cannot are no guards, whatever runs
    /// them; see [`Hook::guard`](crate::Hook::guard). Default: they can.
    fn can_deny(&self, _spelling: &str) -> bool {
        true
    }

    /// Tells the most that the dialect's hooks on an event can do to it. Default: change or withhold what it is about.
    fn influence(&self, _spelling: &str) -> HookInfluence {
        HookInfluence::Shapes
    }

    /// The payload as bytes for a program's standard input. Default: compact JSON of [`Codec::encode`].
    fn encode_bytes(&self, event: &Event, spelling: &str) -> Vec<u8> {
        let encoded = self.encode(event, spelling);
        // A `WordValue` always has a JSON form.
        serde_json::to_vec(encoded.as_ref().unwrap_or(event.payload.value())).unwrap_or_default()
    }

    /// Variables that the dialect's programs see about the event, such as where the project is. They replace those of this
    /// process, and what the hook's author declared replaces them. Default: none.
    fn environment(&self, _event: &Event, _spelling: &str) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Reads an answer as a verdict. Total: any answer gives some verdict, never a panic.
    fn decode(&self, event: &Event, spelling: &str, answer: HandlerOutput) -> Verdict;
}
