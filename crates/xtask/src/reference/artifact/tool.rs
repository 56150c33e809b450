//! Tool files.

use super::{FieldSection, field};

pub(super) fn file_section() -> FieldSection {
    FieldSection {
        title: "Tool",
        about: "A tool file, and each item of a `tools:` list. The body is the tool's description, which the model reads.",
        fields: vec![
            field(
                "name",
                "text",
                "required in lists",
                "The tool's name, for tools in a list; a file's tool is named like the file.",
            ),
            field("description", "text", "the body", "What it is for; the body of a file counts instead."),
            field(
                "parameters",
                "mapping",
                "none",
                "Its arguments: by name, each as below; or a JSON Schema of an object.",
            ),
            field("script", "Starlark", "none", "The source that defines `run(args)`; see [Built-ins](builtins.md)."),
            field(
                "timeout_ms",
                "whole number",
                60_000,
                "How long one run may take, in milliseconds; 0 is the default.",
            ),
            field(
                "verify",
                "Starlark",
                "none",
                "The source that defines `run(result)`, which says whether a result is good.",
            ),
            field("verify_policy", "any", "none", "Reserved: read, and without effect on a tool."),
            field("async", "any", "none", "Not supported: the tool runs to its end before the model goes on."),
        ],
    }
}

pub(super) fn parameter_section() -> FieldSection {
    FieldSection {
        title: "Parameter of a tool",
        about: "Each value of `parameters`.",
        fields: vec![
            field(
                "type",
                "`string`, `number`, `integer`, `boolean`, `object`, `array`",
                "required",
                "Its type. Arguments are checked against it before `tool.pre`.",
            ),
            field("description", "text", "none", "What it is for, for the model."),
            field("required", "true or false", false, "Whether a call must give it."),
            field("default", "any", "none", "Its value when a call leaves it out."),
            field("enum", "list", "none", "The only values that it may have."),
            field("minimum", "number", "none", "The least number that it may be."),
            field("maximum", "number", "none", "The greatest number that it may be."),
            field("pattern", "text", "none", "A regular expression that a text must match."),
            field("items", "mapping", "none", "Of a list: the JSON Schema of each item."),
            field("properties", "mapping", "none", "Of an object: the JSON Schemas of its fields, by name."),
        ],
    }
}
