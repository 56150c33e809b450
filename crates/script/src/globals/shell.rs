//! `shell`: what a command line would do. Nothing is executed, no file is read and no link is resolved.

use std::path::Path;

use pintle_contract::{Operation, measure_payload};
use pintle_shell::{CallSite, ShellLanguage, operations_of_command};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;

use crate::call_state::{call_state, check_time, script_error};
use crate::payload::to_script;

/// The maximum weight in bytes of a result. The number of operations is bounded, the length of their texts is not.
const MADE_BYTES: usize = 8 << 20;

pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("shell", shell);
}

#[starlark_module]
fn shell(builder: &mut GlobalsBuilder) {
    fn parse<'v>(
        text: &str,
        #[starlark(default = "/home/user/project")] cwd: &str,
        #[starlark(default = "/home/user")] home: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        const BUILTIN: &str = "shell.parse";
        if let Ok(state) = call_state(eval, BUILTIN) {
            check_time(state, BUILTIN)?;
        }
        for (name, path) in [("cwd", cwd), ("home", home)] {
            if !path.starts_with('/') {
                return Err(script_error(format_args!("{BUILTIN}: `{name}` must be an absolute path, not `{path}`")));
            }
        }
        let operations = operations_in(text, Path::new(cwd), Path::new(home))
            .map_err(|error| script_error(format_args!("{BUILTIN}: {error}")))?;
        to_script(&operations, eval.heap()).map_err(|reason| script_error(format_args!("{BUILTIN}: {reason}")))
    }
}

/// The operations as a payload has them. Those that would fill the memory are one that is unknown: an error in `when`
/// would skip the hook.
fn operations_in(text: &str, cwd: &Path, home: &Path) -> Result<serde_json::Value, serde_json::Error> {
    let site = CallSite::new(cwd, cwd).with_home(Some(home));
    let operations = operations_of_command(text, ShellLanguage::BashOrZsh, &site);
    let listed = serde_json::to_value(&operations)?;
    if measure_payload(&listed, MADE_BYTES).is_some() {
        return Ok(listed);
    }
    serde_json::to_value([Operation::unknown("", "what it does is too long to be listed")])
}
