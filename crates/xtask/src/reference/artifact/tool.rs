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
                "The tool's name, for tools in a list; a tool file's tool is named after the file.",
            ),
            field("description", "text", "the body", "What the tool does; ignored if the file has a body."),
            field(
                "parameters",
                "mapping",
                "none",
                "Its parameters: by name, each as below; or a JSON Schema of an object.",
            ),
            field("script", "Starlark", "none", "The source that defines `run(args)`; see [Built-ins](builtins.md)."),
            field("timeout_ms", "whole number", 60_000, "Time limit of one run, in milliseconds; 0 means the default."),
            field(
                "verify",
                "Starlark",
                "none",
                "The source that defines `run(result)`, which decides whether a result is accepted.",
            ),
            field("verify_policy", "any", "none", "Reserved: read, but without effect on a tool."),
            field("async", "any", "none", "Not supported: the tool runs to its end before the model continues."),
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
            field("description", "text", "none", "The parameter's description, for the model."),
            field("required", "true or false", false, "Whether a call must contain it."),
            field("default", "any", "none", "Its value if a call omits it."),
            field("enum", "list", "none", "The only allowed values."),
            field("minimum", "number", "none", "The smallest allowed number."),
            field("maximum", "number", "none", "The largest allowed number."),
            field("pattern", "text", "none", "A regular expression that a text must match."),
            field("items", "mapping", "none", "For a list: the JSON Schema of each item."),
            field("properties", "mapping", "none", "For an object: the JSON Schemas of its fields, by name."),
        ],
    }
}
