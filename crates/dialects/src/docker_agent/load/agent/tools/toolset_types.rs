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
    ToolsetTypeDef {
        name: "shell",
        read: |fields, _| Some(ToolsetKind::Shell { environment: fields.pairs("env") }),
        unsupported: &[key!("sudo_askpass": unsupported("write a hook that denies `sudo`"))],
    },
    ToolsetTypeDef {
        name: "background_jobs",
        read: |fields, _| Some(ToolsetKind::BackgroundJobs { environment: fields.pairs("env") }),
        unsupported: &[],
    },
    ToolsetTypeDef {
        name: "filesystem",
        read: |fields, _| {
            // Files outside the working directory cannot be accessed anyway.
            if fields.texts("allow_list").iter().any(|folder| folder == ".") {
                return Some(ToolsetKind::Filesystem);
            }
            read_keys(fields, &[ALLOW_LIST]);
            Some(ToolsetKind::Filesystem)
        },
        unsupported: &[
            key!("deny_list": refused("write a `pre_tool_use` hook that denies these paths")),
            key!("post_edit": unsupported("run the command in a `post_tool_use` hook")),
            key!("ignore_vcs": unsupported("exclude the paths in a hook")),
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
            key!("allowed_domains": refused("check the `urls` of `fetch` in a `pre_tool_use` hook")),
            key!("blocked_domains": refused("check the `urls` of `fetch` in a `pre_tool_use` hook")),
            key!("headers": unsupported("Pintle does not add headers to requests")),
            key!("allow_private_ips": unsupported("Pintle fetches only public addresses")),
        ],
    },
    ToolsetTypeDef { name: "script", read: |fields, _| script::read(fields), unsupported: &[] },
    ToolsetTypeDef { name: "mcp", read: mcp::read, unsupported: mcp::NOT_YET },
    ToolsetTypeDef { name: "background_agents", read: |_, _| Some(ToolsetKind::BackgroundAgents), unsupported: &[] },
];

const ALLOW_LIST: KeyDef<()> =
    key!("allow_list": refused("file tools are limited to the working directory; remove it, or list `.`"));
