//! The input of hooks outside this process, which is the event in the hook's dialect, and what their answer must be.

use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::event::EventClass;
use pintle_contract::{Codec, FailurePolicy, HookCall, HookDeclaration, Origin};

/// The terminator of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputTerminator {
    /// No terminator after the JSON text.
    Unterminated,
    /// A single line followed by a newline.
    Newline,
}

/// The encoded inputs of a payload, each built once and shared.
#[derive(Debug, Default)]
struct EncodedInputs(Mutex<Vec<EncodedInput>>);

#[derive(Debug)]
struct EncodedInput {
    event_alias: Arc<str>,
    origin: Arc<Origin>,
    ending: InputTerminator,
    bytes: Arc<[u8]>,
}

/// Encodes the event as bytes.
pub(crate) fn encode_input(codec: &dyn Codec, call: &HookCall<'_>, ending: InputTerminator) -> Arc<[u8]> {
    let (event, spelling) = (call.event, &call.hook.event_alias);
    let inputs = event.payload.cached_view(codec.encoding_key(), |_| EncodedInputs::default());
    // Held while the text is built: concurrent hooks share one text.
    let mut known = inputs.0.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known.iter().find(|input| {
        input.ending == ending
            && input.event_alias == *spelling
            && (Arc::ptr_eq(&input.origin, &event.origin) || input.origin == event.origin)
    });
    if let Some(input) = found {
        return Arc::clone(&input.bytes);
    }
    let mut text = codec.encode_bytes(event, spelling);
    if ending == InputTerminator::Newline {
        // In JSON, newlines occur only as whitespace between tokens.
        text.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        text.push(b'\n');
    }
    let bytes: Arc<[u8]> = text.into();
    let (spelling, origin) = (Arc::clone(spelling), Arc::clone(&event.origin));
    known.push(EncodedInput { event_alias: spelling, origin, ending, bytes: Arc::clone(&bytes) });
    bytes
}
/// Whether a hook counts as a guard before its verdicts are known.
pub(crate) fn may_deny(declaration: &HookDeclaration) -> bool {
    let denies =
        declaration.event.def().class == EventClass::Guard || declaration.default_on_error == FailurePolicy::Closed;
    denies && !declaration.background
}
