//! The parts of a payload in a form that all hooks of a dispatch share.

use std::sync::{Mutex, PoisonError};

use serde_json::Value as Json;
use starlark::environment::Module;
use starlark::values::OwnedFrozenValue;

use super::to_frozen;

/// Frozen parts of one payload, each made when the first hook that reads it comes along.
///
/// Kept with the payload by [`Payload::cached_view`](pintle_contract::Payload::view). A payload never changes, so a part is
/// known by its address for as long as this lives.
#[derive(Default)]
pub(super) struct Shared(Mutex<Vec<(usize, Frozen)>>);

type Frozen = Result<OwnedFrozenValue, String>;

impl Shared {
    /// A part of the payload, frozen.
    pub(super) fn part(&self, part: &Json) -> Frozen {
        let address = std::ptr::from_ref(part).addr();
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, frozen)) = parts.iter().find(|(known, _)| *known == address) {
            return frozen.clone();
        }
        let frozen = freeze(part);
        parts.push((address, frozen.clone()));
        frozen
    }
}

/// Freezes through a module, which is how the interpreter hands out owned frozen values without unsafe code.
fn freeze(value: &Json) -> Frozen {
    Module::with_temp_heap(|module| {
        let frozen = to_frozen(value, module.frozen_heap())?;
        module.set("value", frozen.to_value());
        let module = module.freeze().map_err(|fault| fault.err_msg)?;
        module.get("value").map_err(|fault| fault.to_string())
    })
}
