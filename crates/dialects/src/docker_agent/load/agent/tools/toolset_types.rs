//! The definitions of the toolset types.

use pintle_contract::ToolsetKind;

use super::{SharedDefinitions, UnsupportedKey, mcp, script};
use crate::document::FieldReader;

/// The definition of a toolset type.
pub(super) struct ToolsetTypeDef {
    /// The value of `type:`.
    pub(super) name: &'static str,
    /// Reads the type's own keys.
    pub(super) read: fn(&mut FieldReader<'_>, &SharedDefinitions<'_>) -> Option<ToolsetKind>,
    /// The type's own keys that Pintle does not implement.
    pub(super) unsupported: &'static [UnsupportedKey],
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

/// The types that Pintle implements.
pub(super) static ROWS: [ToolsetTypeDef; 9] = [
    ToolsetTypeDef {
        name: "shell",
        read: |fields, _| Some(ToolsetKind::Shell { environment: fields.pairs("env") }),
        unsupported: &[UnsupportedKey::feature("sudo_askpass", "write a hook that denies `sudo`")],
    },
    ToolsetTypeDef {
        name: "filesystem",
        read: |fields, _| {
            // Files outside the working directory cannot be accessed anyway.
            if fields.texts("allow_list").iter().any(|folder| folder == ".") {
                return Some(ToolsetKind::Filesystem);
            }
            super::unsupported::report_unsupported(fields, &[ALLOW_LIST]);
            Some(ToolsetKind::Filesystem)
        },
        unsupported: &[
            UnsupportedKey::restriction("deny_list", "write a `pre_tool_use` hook that denies these paths"),
            UnsupportedKey::feature("post_edit", "run the command in a `post_tool_use` hook"),
            UnsupportedKey::feature("ignore_vcs", "exclude the paths in a hook"),
        ],
    },
    ToolsetTypeDef {
        name: "think",
        read: |fields, _| {
            let _ = fields.boolean("shared");
            Some(ToolsetKind::Think)
        },
        unsupported: &[],
    },
    ToolsetTypeDef {
        name: "todo",
        read: |fields, _| Some(ToolsetKind::Todo { shared: fields.boolean("shared").unwrap_or(false) }),
        unsupported: &[],
    },
    ToolsetTypeDef {
        name: "memory",
        read: |fields, _| Some(ToolsetKind::Memory { path: fields.text("path") }),
        unsupported: &[],
    },
    ToolsetTypeDef {
        name: "fetch",
        read: |fields, _| {
            let seconds = fields.integer("timeout", 1..=86_400_u64);
            Some(ToolsetKind::Fetch { timeout_ms: seconds.map(|seconds| seconds * 1_000) })
        },
        unsupported: &[
            UnsupportedKey::restriction("allowed_domains", "check the `urls` of `fetch` in a `pre_tool_use` hook"),
            UnsupportedKey::restriction("blocked_domains", "check the `urls` of `fetch` in a `pre_tool_use` hook"),
            UnsupportedKey::feature("headers", "Pintle does not add headers to requests"),
            UnsupportedKey::feature("allow_private_ips", "Pintle fetches only public addresses"),
        ],
    },
    ToolsetTypeDef { name: "script", read: |fields, _| script::read(fields), unsupported: &[] },
    ToolsetTypeDef { name: "mcp", read: mcp::read, unsupported: mcp::NOT_YET },
    ToolsetTypeDef { name: "background_agents", read: |_, _| Some(ToolsetKind::BackgroundAgents), unsupported: &[] },
];

const ALLOW_LIST: UnsupportedKey = UnsupportedKey::restriction(
    "allow_list",
    "file tools are limited to the working directory; remove it, or list `.`",
);
