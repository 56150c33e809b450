//! What only tools and verifications may do: `exec`, `fs`, `env`, `os`, `meta`. Hooks get `meta.call_tool` and
//! `meta.list_tools`, which re-enter the lifecycle under the same hooks.

use pintle_contract::Request;
use serde_json::{Value as Json, json};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::list_or_tuple::UnpackListOrTuple;
use starlark::values::none::NoneOr;

use crate::payload::printed;
use crate::state::{ask, json as to_json, refusal};

/// What tools and verifications get.
pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("exec", exec);
    builder.namespace("fs", fs);
    builder.namespace("os", os);
    builder.namespace("meta", |builder| {
        calls(builder);
        registrations(builder);
    });
    environment(builder);
}

/// What hooks get.
pub(super) fn register_calls(builder: &mut GlobalsBuilder) {
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
        let timeout_ms = u64::try_from(timeout_ms).map_err(|_| refusal("exec.run: timeout_ms must not be negative"))?;
        let request = Request::Exec {
            program: cmd.to_owned(),
            arguments: arguments.into_iter().map(printed).collect(),
            timeout_ms,
            directory: dir.into_option().map(str::to_owned),
        };
        Ok(ask(eval, "exec.run", request)?.unwrap_or_else(Value::new_none))
    }
}

fn file<'v>(eval: &Evaluator<'v, '_, '_>, function: &str, arguments: Json) -> starlark::Result<Value<'v>> {
    let request = Request::Fs { function: function.to_owned(), arguments };
    Ok(ask(eval, &format!("fs.{function}"), request)?.unwrap_or_else(Value::new_none))
}

#[starlark_module]
fn fs(builder: &mut GlobalsBuilder) {
    fn read<'v>(path: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        file(eval, "read", json!({"path": path}))
    }

    fn write<'v>(path: &str, content: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        file(eval, "write", json!({"path": path, "content": content}))
    }

    fn append<'v>(path: &str, content: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        file(eval, "append", json!({"path": path, "content": content}))
    }

    fn exists<'v>(path: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        file(eval, "exists", json!({"path": path}))
    }

    fn remove<'v>(path: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        file(eval, "remove", json!({"path": path}))
    }

    fn mkdir<'v>(path: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        file(eval, "mkdir", json!({"path": path}))
    }

    fn list<'v>(
        #[starlark(default = ".")] path: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        file(eval, "list", json!({"path": path}))
    }

    fn stat<'v>(path: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        file(eval, "stat", json!({"path": path}))
    }

    fn glob<'v>(pattern: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        file(eval, "glob", json!({"pattern": pattern}))
    }

    fn copy<'v>(src: &str, dst: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        file(eval, "copy", json!({"src": src, "dst": dst}))
    }

    fn r#move<'v>(src: &str, dst: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        file(eval, "move", json!({"src": src, "dst": dst}))
    }

    fn find<'v>(path: &str, text: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        file(eval, "find", json!({"path": path, "text": text}))
    }

    fn replace<'v>(path: &str, old: &str, new: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        file(eval, "replace", json!({"path": path, "old": old, "new": new}))
    }

    fn read_lines<'v>(
        path: &str,
        #[starlark(default = NoneOr::None)] start: NoneOr<i64>,
        #[starlark(default = NoneOr::None)] end: NoneOr<i64>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        file(eval, "read_lines", json!({"path": path, "start": start.into_option(), "end": end.into_option()}))
    }
}

fn fact<'v>(eval: &Evaluator<'v, '_, '_>, fact: &str, key: Option<&str>) -> starlark::Result<Value<'v>> {
    let request = Request::Host { fact: fact.to_owned(), key: key.map(str::to_owned) };
    let empty = || eval.heap().alloc("");
    Ok(ask(eval, fact, request)?.unwrap_or_else(empty))
}

#[starlark_module]
fn os(builder: &mut GlobalsBuilder) {
    fn cwd<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        fact(eval, "cwd", None)
    }

    fn hostname<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        fact(eval, "hostname", None)
    }

    fn platform<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        fact(eval, "platform", None)
    }

    fn args<'v>(eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        fact(eval, "args", None)
    }
}

#[starlark_module]
fn environment(builder: &mut GlobalsBuilder) {
    fn env<'v>(key: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        fact(eval, "env", Some(key))
    }
}

fn meta<'v>(eval: &Evaluator<'v, '_, '_>, function: &str, arguments: Json) -> starlark::Result<Value<'v>> {
    let request = Request::Meta { function: function.to_owned(), arguments };
    Ok(ask(eval, &format!("meta.{function}"), request)?.unwrap_or_else(Value::new_none))
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
        let request = Request::CallTool { name: name.to_owned(), arguments };
        Ok(ask(eval, "meta.call_tool", request)?.unwrap_or_else(Value::new_none))
    }

    fn list_tools<'v>(
        #[starlark(default = "*")] pattern: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        meta(eval, "list_tools", json!({"pattern": pattern}))
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
        meta(eval, "register_tool", arguments)
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
        meta(eval, "register_hook", arguments)
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
        meta(eval, "register_agent", arguments)
    }
}
