//! Hook files.

use pintle_contract::CallLimits;

use super::{FieldDoc, FieldSection, field};

pub(super) fn file_section() -> FieldSection {
    let mut fields = hook_fields();
    fields.push(field(
        "handler",
        "text",
        "required in lists",
        "The hook's name, for hooks in a list; a file's hook is named like the file.",
    ));
    FieldSection {
        title: "Hook",
        about: "A hook file, and each item of a `hooks:` list. The body is for the people who review it; nothing in it runs.",
        fields,
    }
}

fn hook_fields() -> Vec<FieldDoc> {
    vec![
        field("event", "text", "required", "The event that it listens to; see [Events](events.md)."),
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
            "Whether it wants this payload. Sees `event` and `payload`, has no effects. One that raises does not match, with a warning; one that is ended by a limit fails the hook.",
        ),
        field("priority", "whole number", 0, "Lower runs first; equal ones run in the order of their paths."),
        field(
            "timeout_ms",
            "whole number",
            CallLimits::default().timeout_ms,
            "Wall time of one call, in milliseconds; at most one hour.",
        ),
        field(
            "on_error",
            "`open`, `closed`",
            "by event",
            "What a failure means: nothing, or a deny. Each event has its own default; a script that may rewrite or refuse a result, an answer or other data fails closed. An answer of more than 1 MiB is a failure.",
        ),
        field(
            "mode",
            "`enforce`, `shadow`",
            "`enforce`",
            "In `shadow` the hook is asked and its answer recorded, and nothing follows from it.",
        ),
        field(
            "files",
            "list of texts",
            "none",
            "Files and globs of the project that belong to the hook: an agreement binds them too. A folder is all in it.",
        ),
        field(
            "tools",
            "list of texts",
            "none",
            "The tools that its script may call with `meta.call_tool`. With `meta.enabled: true` it may call any.",
        ),
        field("examples", "list", "none", "Payloads with the answer that the hook must give. Read, and not run yet."),
        field("verify", "any", "none", "Reserved: read, and without effect on a hook."),
        field("verify_policy", "any", "none", "Reserved: read, and without effect on a hook."),
    ]
}

pub(super) fn example_section() -> FieldSection {
    FieldSection {
        title: "Example of a hook",
        about: "Each item of `examples`.",
        fields: vec![
            field("payload", "any", "required", "The payload that is fired."),
            field("expect", "`allow`, `block`, `modify`, `ask`", "required", "What the hook must answer."),
        ],
    }
}
