//! Agent files and bundles.

use super::{FieldSection, field};

pub(super) fn file_section() -> FieldSection {
    FieldSection {
        title: "Agent",
        about: "A file of `.harness/agents/`. The body is the agent's instruction. Every hook of the project also applies to it.",
        fields: vec![
            field("description", "text", "none", "What the agent does; agents that may delegate to it see this."),
            field(
                "model",
                "text or mapping",
                "the root's",
                "Its model: one of `models` by name, or a mapping as in `harness.md`.",
            ),
            field(
                "tools",
                "list",
                "the root's",
                "Its tools: names of the project's tools, or tools as above. With a list it has only these.",
            ),
            field(
                "hooks",
                "list",
                "none",
                "Additional hooks: names of the project's hooks, which apply anyway, or hooks as above.",
            ),
        ],
    }
}

pub(super) fn bundle_section() -> FieldSection {
    FieldSection {
        title: "Bundle",
        about: "Hooks and tools in one file. Hooks and tools in `overrides/` replace those of the same name.",
        fields: vec![
            field("hooks", "list", "none", "Hooks as above, each with its `handler`."),
            field("tools", "list", "none", "Tools as above, each with its `name`."),
            field("name", "text", "none", "The bundle's name, for readers."),
            field("type", "text", "none", "The kind of artifact, for readers."),
            field("version", "text", "none", "Its version, for readers."),
            field("description", "text", "none", "What it does, for readers."),
            field("author", "text", "none", "Its author, for readers."),
            field("tags", "list", "none", "Search words, for readers."),
            field("depends_on", "list", "none", "What it requires, for readers."),
            field("priority", "whole number", "none", "No effect: each hook has its own."),
            field(
                "condition",
                "any",
                "none",
                "Not evaluated: its hooks always run; its tools and its body are only used if it is `True`.",
            ),
        ],
    }
}
