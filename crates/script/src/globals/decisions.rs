//! `allow`, `block`, `ask`, `modify`, `delegate`.

use pintle_contract::ScriptOutput;
use starlark::environment::GlobalsBuilder;
use starlark::starlark_module;
use starlark::values::Value;

use crate::call_state::value_to_json;
use crate::starlark_values::ScriptDecision;

/// What accepts or refuses, also in verify scripts.
#[starlark_module]
pub(super) fn register_verdicts(builder: &mut GlobalsBuilder) {
    fn allow() -> starlark::Result<ScriptDecision> {
        Ok(ScriptDecision(ScriptOutput::Allow))
    }

    fn block(reason: &str) -> starlark::Result<ScriptDecision> {
        Ok(ScriptDecision(ScriptOutput::Block(reason.to_owned())))
    }
}

/// What only hooks can return.
#[starlark_module]
pub(super) fn register_changes(builder: &mut GlobalsBuilder) {
    fn ask(reason: &str) -> starlark::Result<ScriptDecision> {
        Ok(ScriptDecision(ScriptOutput::Ask(reason.to_owned())))
    }

    fn modify<'v>(payload: Value<'v>) -> starlark::Result<ScriptDecision> {
        Ok(ScriptDecision(ScriptOutput::Modify(value_to_json("modify", payload)?)))
    }

    fn delegate<'v>(request: Value<'v>) -> starlark::Result<ScriptDecision> {
        Ok(ScriptDecision(ScriptOutput::Delegate(value_to_json("delegate", request)?)))
    }
}
