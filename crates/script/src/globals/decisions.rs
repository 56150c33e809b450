//! `allow`, `block`, `ask`, `modify`, `delegate`.

use pintle_contract::ScriptAnswer;
use starlark::environment::GlobalsBuilder;
use starlark::starlark_module;
use starlark::values::Value;

use crate::state::json;
use crate::values::Decision;

#[starlark_module]
pub(super) fn register(builder: &mut GlobalsBuilder) {
    fn allow() -> starlark::Result<Decision> {
        Ok(Decision(ScriptAnswer::Allow))
    }

    fn block(reason: &str) -> starlark::Result<Decision> {
        Ok(Decision(ScriptAnswer::Block(reason.to_owned())))
    }

    fn ask(reason: &str) -> starlark::Result<Decision> {
        Ok(Decision(ScriptAnswer::Ask(reason.to_owned())))
    }

    fn modify<'v>(payload: Value<'v>) -> starlark::Result<Decision> {
        Ok(Decision(ScriptAnswer::Modify(json("modify", payload)?)))
    }

    fn delegate<'v>(request: Value<'v>) -> starlark::Result<Decision> {
        Ok(Decision(ScriptAnswer::Delegate(json("delegate", request)?)))
    }
}
