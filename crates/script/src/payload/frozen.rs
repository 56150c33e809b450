//! Frozen parts of a payload that all hooks of a dispatch share.

use std::sync::{Mutex, PoisonError};

use serde_json::Value as Json;
use starlark::environment::Module;
use starlark::values::OwnedFrozenValue;

use super::to_frozen;

/// Frozen parts of one payload, each created when the first hook reads it.
///
/// Stored with the payload by [`Payload::cached_view`](pintle_contract::Payload::cached_view). A payload never changes,
/// so a part is identified by its address as long as this exists.
#[derive(Default)]
pub(super) struct FrozenParts(Mutex<Vec<(usize, FrozenPart)>>);

type FrozenPart = Result<OwnedFrozenValue, String>;

impl FrozenParts {
    pub(super) fn frozen_part(&self, part: &Json) -> FrozenPart {
        let address = std::ptr::from_ref(part).addr();
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, frozen)) = parts.iter().find(|(known, _)| *known == address) {
            return frozen.clone();
        }
        let frozen = freeze_value(part);
        parts.push((address, frozen.clone()));
        frozen
    }
}

/// Freezes through a module, which is how the interpreter returns owned frozen values without unsafe code.
fn freeze_value(value: &Json) -> FrozenPart {
    Module::with_temp_heap(|module| {
        let frozen = to_frozen(value, module.frozen_heap())?;
        module.set("value", frozen.to_value());
        let module = module.freeze().map_err(|error| error.err_msg)?;
        module.get("value").map_err(|error| error.to_string())
    })
}
