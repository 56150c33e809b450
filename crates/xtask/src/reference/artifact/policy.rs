//! The policy file.

use super::{FieldSection, field};

pub(super) fn file_section() -> FieldSection {
    FieldSection {
        title: "Policy file",
        about: "`policy.yaml` turns packs on: in `.harness/`, in your own directory of hooks, or in an organisation's. It is \
                YAML without frontmatter, and an unknown key is an error. [Packs](../guide/packs.md) has examples.",
        fields: vec![
            field("use", "list of texts", "required", "The packs that are on; `pintle packs` lists them."),
            field(
                "rules",
                "mapping",
                "none",
                "By rule, such as `git.force-push`: `off`, `warn`, `ask` or `deny`, or a mapping with `severity` and \
                 `allow`, a list of what the rule lets through.",
            ),
        ],
    }
}
