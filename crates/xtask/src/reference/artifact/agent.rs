//! Agent files and bundles.

use super::{FieldSection, field};

pub(super) fn file_section() -> FieldSection {
    FieldSection {
        title: "Agent",
        about: "A file of `.harness/agents/`. The body is the agent's instruction. Every hook of the project runs in it too.",
        fields: vec![
            field("description", "text", "none", "What it is for; agents that may delegate to it read this."),
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
                "Its tools: names of the project's tools, or tools as above. With a list it has these and no others.",
            ),
            field(
                "hooks",
                "list",
                "none",
                "Hooks of its own: names of the project's hooks, which run in it anyway, or hooks as above.",
            ),
        ],
    }
}

pub(super) fn bundle_section() -> FieldSection {
    FieldSection {
        title: "Bundle",
        about: "Hooks and tools in one file. What stands in `overrides/` replaces what has the same name.",
        fields: vec![
            field("hooks", "list", "none", "Hooks as above, each with its `handler`."),
            field("tools", "list", "none", "Tools as above, each with its `name`."),
            field("name", "text", "none", "What the bundle is called, for people."),
            field("type", "text", "none", "What kind of artifact it is, for people."),
            field("version", "text", "none", "Its version, for people."),
            field("description", "text", "none", "What it is for, for people."),
            field("author", "text", "none", "Who wrote it, for people."),
            field("tags", "list", "none", "Words to find it by, for people."),
            field("depends_on", "list", "none", "What it needs, for people."),
            field("priority", "whole number", "none", "Without effect: each hook has its own."),
            field(
                "condition",
                "any",
                "none",
                "Not evaluated: its hooks always run; its tools and its body are left out unless it is `True`.",
            ),
        ],
    }
}
