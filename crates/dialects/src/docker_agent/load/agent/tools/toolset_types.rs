//! The definitions of the toolset types.

use pintle_contract::ToolsetKind;

use super::{SharedDefinitions, mcp, script};
use crate::document::{FieldReader, KeyDef, key, read_keys};

/// The definition of a toolset type.
pub(super) struct ToolsetTypeDef {
    /// The value of `type:`.
    pub(super) name: &'static str,
    /// Reads the type's own keys.
    pub(super) read: fn(&mut FieldReader<'_>, &SharedDefinitions<'_>) -> Option<ToolsetKind>,
    /// The type's own keys that Pintle does not implement.
    pub(super) unsupported: &'static [KeyDef<()>],
}

/// A row of the table.
const fn toolset(
    name: &'static str,
    read: fn(&mut FieldReader<'_>, &SharedDefinitions<'_>) -> Option<ToolsetKind>,
    unsupported: &'static [KeyDef<()>],
) -> ToolsetTypeDef {
    ToolsetTypeDef { name, read, unsupported }
}

/// The types of docker-agent that Pintle does not implement.
pub(super) const NOT_YET_TYPES: &[&str] = &[
    "mcp_catalog",
    "file",
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
pub(super) static ROWS: [ToolsetTypeDef; 10] = [
    toolset(
        "shell",
        |fields, _| Some(ToolsetKind::Shell { environment: fields.pairs("env") }),
        &[key!("sudo_askpass": unsupported("write a hook that denies `sudo`"))],
    ),
    toolset("background_jobs", |fields, _| Some(ToolsetKind::BackgroundJobs { environment: fields.pairs("env") }), &[]),
    toolset(
        "filesystem",
        |fields, _| {
            // Files outside the working directory cannot be accessed anyway.
            if fields.texts("allow_list").iter().any(|folder| folder == ".") {
                return Some(ToolsetKind::Filesystem);
            }
            read_keys(fields, &[ALLOW_LIST]);
            Some(ToolsetKind::Filesystem)
        },
        &[
            key!("deny_list": refused("write a `pre_tool_use` hook that denies these paths")),
            key!("post_edit": unsupported("run the command in a `post_tool_use` hook")),
            key!("ignore_vcs": unsupported("exclude the paths in a hook")),
        ],
    ),
    toolset(
        "think",
        |fields, _| {
            let _ = fields.boolean("shared");
            Some(ToolsetKind::Think)
        },
        &[],
    ),
    toolset("todo", |fields, _| Some(ToolsetKind::Todo { shared: fields.boolean("shared").unwrap_or(false) }), &[]),
    toolset("memory", |fields, _| Some(ToolsetKind::Memory { path: fields.text("path") }), &[]),
    toolset(
        "fetch",
        |fields, _| {
            let seconds = fields.integer("timeout", 1..=86_400_u64);
            Some(ToolsetKind::Fetch { timeout_ms: seconds.map(|seconds| seconds * 1_000) })
        },
        &[
            key!("allowed_domains": refused("check the `urls` of `fetch` in a `pre_tool_use` hook")),
            key!("blocked_domains": refused("check the `urls` of `fetch` in a `pre_tool_use` hook")),
            key!("headers": unsupported("Pintle does not add headers to requests")),
            key!("allow_private_ips": unsupported("Pintle fetches only public addresses")),
        ],
    ),
    toolset("script", |fields, _| script::read(fields), &[]),
    toolset("mcp", mcp::read, mcp::NOT_YET),
    toolset("background_agents", |_, _| Some(ToolsetKind::BackgroundAgents), &[]),
];

const ALLOW_LIST: KeyDef<()> =
    key!("allow_list": refused("file tools are limited to the working directory; remove it, or list `.`"));
