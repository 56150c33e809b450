//! Hook files.

use pintle_contract::CallLimits;

use super::{FieldDoc, FieldSection, field};

pub(super) fn file_section() -> FieldSection {
    let mut fields = hook_fields();
    fields.push(field(
        "handler",
        "text",
        "required in lists",
        "The hook's name, for hooks in a list; a hook file's hook is named after the file.",
    ));
    FieldSection {
        title: "Hook",
        about: "A hook file, and each item of a `hooks:` list. The body is for reviewers and is not run.",
        fields,
    }
}

fn hook_fields() -> Vec<FieldDoc> {
    vec![
        field("event", "text", "required", "The event that the hook listens to; see [Events](events.md)."),
        field(
            "script",
            "Starlark",
            "none",
            "The source that defines `handle(event, payload)`; see [Built-ins](builtins.md). Without it the hook does nothing.",
        ),
        field(
            "when",
            "Starlark expression",
            "always",
            "Whether the hook is called for a payload. It sees `event` and `payload` and has no effects. If it raises an error, the hook is not called and a warning is recorded. If it exceeds a limit, the hook fails.",
        ),
        field("priority", "whole number", 0, "Lower numbers run first; equal ones run in the order of their paths."),
        field(
            "timeout_ms",
            "whole number",
            CallLimits::default().timeout_ms,
            "Time limit of one call, in milliseconds; at most one hour.",
        ),
        field(
            "on_error",
            "`open`, `closed`",
            "by event",
            "The failure policy: `open` ignores a failure, `closed` denies the event. Each event has its own default; a script that may rewrite or deny a result, an answer or other data is `closed`. An output of more than 1 MiB is a failure.",
        ),
        field(
            "mode",
            "`enforce`, `shadow`",
            "`enforce`",
            "In `shadow` the hook is called and its verdict recorded, but not enforced.",
        ),
        field(
            "files",
            "list of texts",
            "none",
            "Files and globs of the project that belong to the hook, so that trust covers them too. A directory stands for everything in it.",
        ),
        field(
            "tools",
            "list of texts",
            "none",
            "The tools that its script may call with `meta.call_tool`. With `meta.enabled: true` it may call any tool.",
        ),
        field(
            "examples",
            "list",
            "none",
            "Payloads with the verdict that the hook must return. `pintle doctor` sends the first one that it must refuse; otherwise they are not run yet.",
        ),
        field("verify", "any", "none", "Reserved: read, but without effect on a hook."),
        field("verify_policy", "any", "none", "Reserved: read, but without effect on a hook."),
    ]
}

pub(super) fn example_section() -> FieldSection {
    FieldSection {
        title: "Example of a hook",
        about: "Each item of `examples`.",
        fields: vec![
            field("payload", "any", "required", "The payload that is fired."),
            field("expect", "`allow`, `block`, `modify`, `ask`", "required", "The verdict that the hook must return."),
        ],
    }
}
