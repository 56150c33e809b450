//! The functions with which a plugin registers hooks. The dialect interprets their arguments.

use starlark::environment::GlobalsBuilder;

use crate::starlark_values::RegisterFunction;

pub(crate) const REGISTRATIONS: [&str; 7] = [
    "register_tool_hook",
    "register_persona_hook",
    "register_step_hook",
    "register_session_hook",
    "clear_tool_hooks",
    "clear_persona_hooks",
    "clear_session_hooks",
];

pub(super) fn register(builder: &mut GlobalsBuilder) {
    for name in REGISTRATIONS {
        builder.set(name, RegisterFunction(name));
    }
}
