//! The parts of a payload in a form that all hooks of a dispatch share.

use std::sync::OnceLock;

use serde_json::Value as Json;
use starlark::environment::Module;
use starlark::values::OwnedFrozenValue;

use super::to_frozen;

/// Frozen parts, each made when the first hook that reads it comes along.
///
/// Kept with the payload by [`Payload::view`](pintle_contract::Payload::view).
pub(super) struct Shared {
    whole: Slot,
    fields: Vec<Slot>,
}

type Slot = OnceLock<Result<OwnedFrozenValue, String>>;

impl Shared {
    /// Empty slots for a payload: nothing is converted yet.
    pub(super) fn new(payload: &Json) -> Self {
        let fields = payload.as_object().map_or(0, serde_json::Map::len);
        Self { whole: OnceLock::new(), fields: (0..fields).map(|_| OnceLock::new()).collect() }
    }

    /// The field at a position of the object, frozen.
    pub(super) fn field(&self, position: usize, value: &Json) -> Result<&OwnedFrozenValue, String> {
        self.fields.get(position).unwrap_or(&self.whole).get_or_init(|| freeze(value)).as_ref().map_err(Clone::clone)
    }

    /// A payload that is no object, frozen.
    pub(super) fn whole(&self, value: &Json) -> Result<&OwnedFrozenValue, String> {
        self.whole.get_or_init(|| freeze(value)).as_ref().map_err(Clone::clone)
    }
}

/// Freezes through a module, which is how the interpreter hands out owned frozen values without unsafe code.
fn freeze(value: &Json) -> Result<OwnedFrozenValue, String> {
    Module::with_temp_heap(|module| {
        let frozen = to_frozen(value, module.frozen_heap())?;
        module.set("value", frozen.to_value());
        let module = module.freeze().map_err(|fault| fault.err_msg)?;
        module.get("value").map_err(|fault| fault.to_string())
    })
}
