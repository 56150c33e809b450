//! `fs`: files of the workspace. Hooks only get the functions that read.

use pintle_contract::EffectRequest;
use serde_json::{Value as Json, json};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::none::NoneOr;

use crate::call_state::request_value;

fn request_file<'v>(eval: &Evaluator<'v, '_, '_>, function: &str, arguments: Json) -> starlark::Result<Value<'v>> {
    let request = EffectRequest::Fs { function: function.to_owned(), arguments };
    Ok(request_value(eval, &format!("fs.{function}"), request)?.unwrap_or_else(Value::new_none))
}

#[starlark_module]
pub(super) fn readers(builder: &mut GlobalsBuilder) {
    fn read<'v>(path: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_file(eval, "read", json!({"path": path}))
    }

    fn exists<'v>(path: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_file(eval, "exists", json!({"path": path}))
    }

    fn list<'v>(
        #[starlark(default = ".")] path: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        request_file(eval, "list", json!({"path": path}))
    }

    fn stat<'v>(path: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_file(eval, "stat", json!({"path": path}))
    }

    fn glob<'v>(pattern: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_file(eval, "glob", json!({"pattern": pattern}))
    }

    fn find<'v>(path: &str, text: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_file(eval, "find", json!({"path": path, "text": text}))
    }

    fn read_lines<'v>(
        path: &str,
        #[starlark(default = NoneOr::None)] start: NoneOr<i64>,
        #[starlark(default = NoneOr::None)] end: NoneOr<i64>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        request_file(eval, "read_lines", json!({"path": path, "start": start.into_option(), "end": end.into_option()}))
    }
}

#[starlark_module]
pub(super) fn writers(builder: &mut GlobalsBuilder) {
    fn write<'v>(path: &str, content: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_file(eval, "write", json!({"path": path, "content": content}))
    }

    fn append<'v>(path: &str, content: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_file(eval, "append", json!({"path": path, "content": content}))
    }

    fn remove<'v>(path: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_file(eval, "remove", json!({"path": path}))
    }

    fn mkdir<'v>(path: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_file(eval, "mkdir", json!({"path": path}))
    }

    fn copy<'v>(src: &str, dst: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_file(eval, "copy", json!({"src": src, "dst": dst}))
    }

    fn r#move<'v>(src: &str, dst: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_file(eval, "move", json!({"src": src, "dst": dst}))
    }

    fn replace<'v>(path: &str, old: &str, new: &str, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Value<'v>> {
        request_file(eval, "replace", json!({"path": path, "old": old, "new": new}))
    }
}
