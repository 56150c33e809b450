//! `fetch`: gets a page by HTTP.

use serde_json::{Value, json};

use crate::tools::{ToolAccess, ToolDef, number_argument, text_argument};
use crate::turn_context::ToolContext;

pub(super) const TOOL: ToolDef = ToolDef {
    name: "fetch",
    description: "Gets a page by HTTP. Only the hosts in the project's `network.allowed_domains` can be reached.",
    required: &["url"],
    properties: || {
        json!({
            "url": {"type": "string", "description": "The URL, http or https."},
            "timeout_ms": {
                "type": "integer", "minimum": 1, "maximum": 120_000,
                "description": "The time limit in milliseconds. Default 30000.",
            },
        })
    },
    access: ToolAccess::Reported,
    call,
};

const TIMEOUT_MS: u64 = 30_000;

fn call(_: &(), arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String> {
    let timeout_ms = number_argument(arguments, "timeout_ms").map_or(TIMEOUT_MS, |ms| ms as u64);
    let gate = at.turn.agent.shared.runtime.http_gateway();
    gate.request_until("GET", text_argument(arguments, "url"), &[], None, timeout_ms, at.cancel())
}
