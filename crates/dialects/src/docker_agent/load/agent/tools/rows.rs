//! The types of toolsets, a row each.

use pintle_contract::ToolsetKind;

use super::{Missing, Shelf, mcp, script};
use crate::document::Fields;

/// One type of toolset.
pub(super) struct Row {
    /// The word behind `type:`.
    pub(super) name: &'static str,
    /// Reads the keys of its own.
    pub(super) read: fn(&mut Fields<'_>, &Shelf<'_>) -> Option<ToolsetKind>,
    /// Keys of its own that Pintle does not implement.
    pub(super) not_yet: &'static [Missing],
}

/// The types of docker-agent that Pintle does not implement.
pub(super) const NOT_YET_TYPES: &[&str] = &[
    "mcp_catalog",
    "file",
    "background_jobs",
    "tasks",
    "plan",
    "session_plan",
    "session_context",
    "api",
    "a2a",
    "lsp",
    "user_prompt",
    "openapi",
    "open_url",
    "model_picker",
    "scheduler",
    "rag",
    "git",
    "webhook",
    "environment",
];

/// Every type that works.
pub(super) static ROWS: [Row; 9] = [
    Row {
        name: "shell",
        read: |fields, _| Some(ToolsetKind::Shell { environment: fields.pairs("env") }),
        not_yet: &[Missing::feature("sudo_askpass", "let a hook refuse `sudo`")],
    },
    Row {
        name: "filesystem",
        read: |fields, _| {
            // Files outside of the working directory are out of reach anyway.
            if fields.texts("allow_list").iter().any(|folder| folder == ".") {
                return Some(ToolsetKind::Filesystem);
            }
            super::unsupported::tell(fields, &[ALLOW_LIST]);
            Some(ToolsetKind::Filesystem)
        },
        not_yet: &[
            Missing::restriction("deny_list", "let a `pre_tool_use` hook refuse these paths"),
            Missing::feature("post_edit", "let a `post_tool_use` hook run the command"),
            Missing::feature("ignore_vcs", "name what is not to be listed in a hook"),
        ],
    },
    Row {
        name: "think",
        read: |fields, _| {
            let _ = fields.boolean("shared");
            Some(ToolsetKind::Think)
        },
        not_yet: &[],
    },
    Row {
        name: "todo",
        read: |fields, _| Some(ToolsetKind::Todo { shared: fields.boolean("shared").unwrap_or(false) }),
        not_yet: &[],
    },
    Row { name: "memory", read: |fields, _| Some(ToolsetKind::Memory { path: fields.text("path") }), not_yet: &[] },
    Row {
        name: "fetch",
        read: |fields, _| {
            let seconds = fields.integer("timeout", 1..=86_400_u64);
            Some(ToolsetKind::Fetch { timeout_ms: seconds.map(|seconds| seconds * 1_000) })
        },
        not_yet: &[
            Missing::restriction("allowed_domains", "let a `pre_tool_use` hook look at the `urls` of `fetch`"),
            Missing::restriction("blocked_domains", "let a `pre_tool_use` hook look at the `urls` of `fetch`"),
            Missing::feature("headers", "requests carry no headers of yours"),
            Missing::feature("allow_private_ips", "only public addresses are fetched"),
        ],
    },
    Row { name: "script", read: |fields, _| script::read(fields), not_yet: &[] },
    Row { name: "mcp", read: mcp::read, not_yet: mcp::NOT_YET },
    Row { name: "background_agents", read: |_, _| Some(ToolsetKind::BackgroundAgents), not_yet: &[] },
];

const ALLOW_LIST: Missing =
    Missing::restriction("allow_list", "files stay within the working directory; leave it out, or list `.`");
