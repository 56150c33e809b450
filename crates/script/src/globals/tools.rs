//! Built-ins for tools and verifications: `exec`, `fs`, `env`, `os`, `meta`. Hooks get the reading functions of `fs`,
//! and `meta.call_tool` and `meta.list_tools`, which run under the same hooks.

use pintle_contract::EffectRequest;
use serde_json::{Value as Json, json};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::list_or_tuple::UnpackListOrTuple;
use starlark::values::none::NoneOr;

use super::files;
use crate::call_state::{request_value, script_error, value_to_json as to_json};
use crate::payload::to_display;

/// Registers the built-ins of tools and verifications.
pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("exec", exec);
    builder.namespace("fs", |builder| {
        files::readers(builder);
        files::writers(builder);
    });
    builder.namespace("os", os);
    builder.namespace("meta", |builder| {
        calls(builder);
        registrations(builder);
    });
    environment(builder);
}

/// Registers the built-ins of hooks.
pub(super) fn register_for_hooks(builder: &mut GlobalsBuilder) {
    builder.namespace("fs", files::readers);
    builder.namespace("meta", calls);
}

#[starlark_module]
fn exec(builder: &mut GlobalsBuilder) {
    fn run<'v>(
        cmd: &str,
        #[starlark(default = NoneOr::None)] args: NoneOr<UnpackListOrTuple<Value<'v>>>,
        #[starlark(default = 30_000)] timeout_ms: i64,
        #[starlark(default = NoneOr::None)] dir: NoneOr<&str>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let arguments = args.into_option().map(|args| args.items).unwrap_or_default();
        let timeout_ms =
            u64::try_from(timeout_ms).map_err(|_| script_error("exec.run: timeout_ms must not be negative"))?;
        let request = EffectRequest::Exec {
            program: cmd.to_owned(),
            arguments: arguments.into_iter().map(to_display).collect(),
            timeout_ms,
            directory: dir.into_option().map(str::to_owned),
        };
        Ok(request_value(eval, "exec.run", request)?.unwrap_or_else(Value::new_none))
    }
}

fn request_host_fact<'v>(eval: &Evaluator<'v, '_, '_>, fact: &str, key: Option<&str>) -> starlark::Result<Value<'v>> {
    let request = EffectRequest::Host { fact: fact.to_owned(), key: key.map(str::to_owned) };
    let empty = || eval.heap().alloc("");
    Ok(request_value(eval, fact, request)?.unwrap_or_else(empty))
}

#[starlark_module]
fn os(builder: &mut GlobalsBuilder) {
    fn cwd<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_host_fact(eval, "cwd", None)
    }

    fn hostname<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_host_fact(eval, "hostname", None)
    }

    fn platform<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_host_fact(eval, "platform", None)
    }

    fn args<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_host_fact(eval, "args", None)
    }
}

#[starlark_module]
fn environment(builder: &mut GlobalsBuilder) {
    fn env<'v>(key: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_host_fact(eval, "env", Some(key))
    }
}

fn request_meta<'v>(eval: &Evaluator<'v, '_, '_>, function: &str, arguments: Json) -> starlark::Result<Value<'v>> {
    let request = EffectRequest::Meta { function: function.to_owned(), arguments };
    Ok(request_value(eval, &format!("meta.{function}"), request)?.unwrap_or_else(Value::new_none))
}

#[starlark_module]
fn calls(builder: &mut GlobalsBuilder) {
    fn call_tool<'v>(
        name: &str,
        #[starlark(default = NoneOr::None)] arguments: NoneOr<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let arguments = match arguments {
            NoneOr::None => json!({}),
            NoneOr::Other(arguments) => to_json("meta.call_tool", arguments)?,
        };
        let request = EffectRequest::CallTool { name: name.to_owned(), arguments };
        Ok(request_value(eval, "meta.call_tool", request)?.unwrap_or_else(Value::new_none))
    }

    fn list_tools<'v>(
        #[starlark(default = "*")] pattern: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        request_meta(eval, "list_tools", json!({"pattern": pattern}))
    }
}

#[starlark_module]
fn registrations(builder: &mut GlobalsBuilder) {
    fn register_tool<'v>(
        name: &str,
        description: &str,
        #[starlark(default = NoneOr::None)] parameters: NoneOr<Value<'v>>,
        #[starlark(default = "")] script: &str,
        #[starlark(default = false)] replace: bool,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let parameters = match parameters {
            NoneOr::None => json!({}),
            NoneOr::Other(parameters) => to_json("meta.register_tool", parameters)?,
        };
        let arguments = json!({
            "name": name, "description": description, "parameters": parameters, "script": script, "replace": replace,
        });
        request_meta(eval, "register_tool", arguments)
    }

    fn register_hook<'v>(
        name: &str,
        event: &str,
        script: &str,
        #[starlark(default = "")] when: &str,
        #[starlark(default = 100)] priority: i64,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let arguments = json!({"name": name, "event": event, "script": script, "when": when, "priority": priority});
        request_meta(eval, "register_hook", arguments)
    }

    fn register_agent<'v>(
        name: &str,
        #[starlark(default = "")] model: &str,
        #[starlark(default = "")] system_prompt: &str,
        #[starlark(default = NoneOr::None)] tools: NoneOr<Value<'v>>,
        #[starlark(default = NoneOr::None)] hooks: NoneOr<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let list = |given: NoneOr<Value<'v>>| match given {
            NoneOr::None => Ok(json!([])),
            NoneOr::Other(given) => to_json("meta.register_agent", given),
        };
        let arguments = json!({
            "name": name, "model": model, "system_prompt": system_prompt, "tools": list(tools)?, "hooks": list(hooks)?,
        });
        request_meta(eval, "register_agent", arguments)
    }
}
