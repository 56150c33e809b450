//! The input of hooks outside this process, which is the event in the hook's dialect, and what their answer must be.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::event::EventClass;
use pintle_contract::{
    Codec, Failure, FailureKind, FailurePolicy, FileContentKeys, HookCall, HookDeclaration, MAX_PAYLOAD_BYTES, Origin,
};
use serde_json::Value;

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
///
/// # Errors
/// When the hook has to judge a file that cannot be given to it.
pub(crate) fn encode_input(
    codec: &dyn Codec,
    call: &HookCall<'_>,
    ending: InputTerminator,
) -> Result<Arc<[u8]>, Failure> {
    let (event, event_alias) = (call.event, &call.hook.event_alias);
    let inputs = event.payload.cached_view(codec.encoding_key(), |_| EncodedInputs::default());
    // Held while the text is built: concurrent hooks share one text.
    let mut known = inputs.0.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known.iter().find(|input| {
        input.ending == ending
            && input.event_alias == *event_alias
            && (Arc::ptr_eq(&input.origin, &event.origin) || input.origin == event.origin)
    });
    if let Some(input) = found {
        return Ok(Arc::clone(&input.bytes));
    }
    let mut text = match codec.file_content_keys(event_alias) {
        Some(keys) => encode_with_file(codec, call, keys)?,
        None => codec.encode_bytes(event, event_alias),
    };
    if ending == InputTerminator::Newline {
        // In JSON, newlines occur only as whitespace between tokens.
        text.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        text.push(b'\n');
    }
    let bytes: Arc<[u8]> = text.into();
    let (event_alias, origin) = (Arc::clone(event_alias), Arc::clone(&event.origin));
    known.push(EncodedInput { event_alias, origin, ending, bytes: Arc::clone(&bytes) });
    Ok(bytes)
}

/// Encodes the event with the content of the file that the call reads, unless the payload already has it.
fn encode_with_file(codec: &dyn Codec, call: &HookCall<'_>, keys: FileContentKeys) -> Result<Vec<u8>, Failure> {
    let (event, event_alias) = (call.event, &call.hook.event_alias);
    let Some(Value::Object(mut fields)) = codec.encode(event, event_alias) else {
        return Ok(codec.encode_bytes(event, event_alias));
    };
    let path = fields.get(keys.path).and_then(Value::as_str).filter(|_| !fields.contains_key(keys.content));
    let Some(path) = path else { return Ok(codec.encode_bytes(event, event_alias)) };
    let (most, file) = (MAX_PAYLOAD_BYTES as u64, Path::new(&event.origin.cwd).join(path));
    let content = match pintle_files::read_head(&file, most + 1) {
        Ok(bytes) if bytes.len() as u64 > most => {
            let message = format!("`{path}` has more than {} MiB, which is too large for the hook", most >> 20);
            return Err(Failure::new(FailureKind::NotStarted, message));
        }
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        // The call cannot read it as a file either.
        Err(error) if error.kind() == io::ErrorKind::NotFound || file.is_dir() => String::new(),
        Err(error) => {
            let message = format!("cannot read `{path}`, which the hook has to judge: {error}");
            return Err(Failure::new(FailureKind::NotStarted, message));
        }
    };
    fields.insert(keys.content.to_owned(), Value::from(content));
    // A `Value` can always be serialised to JSON.
    Ok(serde_json::to_vec(&fields).unwrap_or_default())
}

/// Whether a hook counts as a guard before its verdicts are known.
pub(crate) fn may_deny(declaration: &HookDeclaration) -> bool {
    let denies =
        declaration.event.def().class == EventClass::Guard || declaration.default_on_error == FailurePolicy::Closed;
    denies && !declaration.background
}
