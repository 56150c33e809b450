//! The agent's session: `transcript`, `notify_file_edited`, `unsettled_state`.

use pintle_contract::EffectRequest;
use serde_json::{Value as Json, json};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::none::NoneType;

use crate::call_state::{perform_request, request_value, script_error, value_to_json as to_json};

pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("transcript", transcript);
    session(builder);
}

fn meta_request(function: &str, arguments: Json) -> EffectRequest {
    EffectRequest::Session { function: function.to_owned(), arguments }
}

#[starlark_module]
fn transcript(builder: &mut GlobalsBuilder) {
    fn messages<'v>(
        #[starlark(default = 50)] last: i64,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let last = u64::try_from(last).map_err(|_| script_error("transcript.messages: last must not be negative"))?;
        let value = request_value(eval, "transcript.messages", meta_request("messages", json!({"last": last})))?;
        Ok(value.unwrap_or_else(Value::new_none))
    }

    fn inject_reminder<'v>(reminder: Value<'v>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<NoneType> {
        let builtin = "transcript.inject_reminder";
        let reminder = to_json(builtin, reminder)?;
        perform_request(eval, builtin, meta_request("inject_reminder", json!({"reminder": reminder})))?;
        Ok(NoneType)
    }
}

#[starlark_module]
fn session(builder: &mut GlobalsBuilder) {
    fn notify_file_edited<'v>(
        path: &str,
        metadata: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        let builtin = "notify_file_edited";
        let metadata = metadata.map(|metadata| to_json(builtin, metadata)).transpose()?;
        perform_request(eval, builtin, meta_request(builtin, json!({"path": path, "metadata": metadata})))?;
        Ok(NoneType)
    }

    fn unsettled_state<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        let value = request_value(eval, "unsettled_state", meta_request("unsettled_state", json!({})))?;
        Ok(value.unwrap_or_else(Value::new_none))
    }
}
