//! Encodes the input of templates.

use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{Codec, Event, Payload};

/// A payload as the dialects encode it, by event alias.
#[derive(Default)]
struct TemplateInput(Mutex<Vec<(Arc<str>, Payload)>>);

/// The payload as the codec encodes it for handlers. It is encoded once per dispatch for each alias and codec.
pub(crate) fn encode_input(codec: &dyn Codec, event: &Event, event_alias: &Arc<str>) -> Payload {
    let encoded = event.payload.cached_view(codec.encoding_key(), |_| TemplateInput::default());
    let mut known = encoded.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, payload)) = known.iter().find(|(name, _)| name == event_alias) {
        return payload.clone();
    }
    // A payload that cached itself would never be freed.
    let Some(value) = codec.encode(event, event_alias) else { return event.payload.clone() };
    let payload = Payload::new(value);
    known.push((Arc::clone(event_alias), payload.clone()));
    payload
}
