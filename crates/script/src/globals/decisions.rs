//! `allow`, `block`, `ask`, `modify`, `delegate`.

use pintle_contract::ScriptOutput;
use starlark::environment::GlobalsBuilder;
use starlark::starlark_module;
use starlark::values::Value;

use crate::state::json;
use crate::values::Decision;

#[starlark_module]
pub(super) fn register(builder: &mut GlobalsBuilder) {
    fn allow() -> starlark::Result<Decision> {
        Ok(Decision(ScriptOutput::Allow))
    }

    fn block(reason: &str) -> starlark::Result<Decision> {
        Ok(Decision(ScriptOutput::Block(reason.to_owned())))
    }

    fn ask(reason: &str) -> starlark::Result<Decision> {
        Ok(Decision(ScriptOutput::Ask(reason.to_owned())))
    }

    fn modify<'v>(payload: Value<'v>) -> starlark::Result<Decision> {
        Ok(Decision(ScriptOutput::Modify(json("modify", payload)?)))
    }

    fn delegate<'v>(request: Value<'v>) -> starlark::Result<Decision> {
        Ok(Decision(ScriptOutput::Delegate(json("delegate", request)?)))
    }
}
