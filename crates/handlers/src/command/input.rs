//! What a program reads: the event as the hook's dialect writes it.

use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{Codec, HookCall, Origin};

/// How an input ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputTerminator {
    /// With the last byte of the JSON text.
    Unterminated,
    /// The text is one line, and a newline follows.
    Newline,
}

/// What the programs of one form of encoding read, each made once for a payload and shared.
#[derive(Debug, Default)]
struct EncodedInputs(Mutex<Vec<EncodedInput>>);

#[derive(Debug)]
struct EncodedInput {
    event_alias: Arc<str>,
    origin: Arc<Origin>,
    ending: InputTerminator,
    bytes: Arc<[u8]>,
}

/// The event as bytes.
pub(crate) fn encode_input(codec: &dyn Codec, call: &HookCall<'_>, ending: InputTerminator) -> Arc<[u8]> {
    let (event, spelling) = (call.event, &call.hook.event_alias);
    let inputs = event.payload.cached_view(codec.encoding_key(), |_| EncodedInputs::default());
    // Held while the text is made: hooks that run at once need one text and not one each.
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
        // Between the parts of a JSON text a newline is white space, and inside of them there is none.
        text.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        text.push(b'\n');
    }
    let bytes: Arc<[u8]> = text.into();
    let (spelling, origin) = (Arc::clone(spelling), Arc::clone(&event.origin));
    known.push(EncodedInput { event_alias: spelling, origin, ending, bytes: Arc::clone(&bytes) });
    bytes
}
