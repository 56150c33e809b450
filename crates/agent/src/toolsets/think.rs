//! `think`: records the model's thoughts.

use std::collections::VecDeque;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::set::Toolset;
use crate::tools::{ToolAccess, ToolDef, build_tools, text_argument};

/// The maximum number of thoughts; the oldest are dropped first.
const MAX_THOUGHTS: usize = 100;

#[derive(Debug, Default)]
struct ThoughtLog(Mutex<VecDeque<String>>);

static TOOLS: [ToolDef<ThoughtLog>; 1] = [ToolDef {
    name: "think",
    description: "Records a thought and returns all thoughts so far. It changes nothing and needs no approval.",
    required: &["thought"],
    properties: || json!({"thought": {"type": "string", "description": "The thought."}}),
    access: ToolAccess::ReadOnly,
    call: |thoughts, arguments, _at| {
        let mut thoughts = thoughts.0.lock();
        thoughts.push_back(text_argument(arguments, "thought").to_owned());
        if thoughts.len() > MAX_THOUGHTS {
            thoughts.pop_front();
        }
        let all: Vec<&str> = thoughts.iter().map(String::as_str).collect();
        Ok(Value::String(format!("Thoughts:\n{}", all.join("\n"))))
    },
}];

pub(super) fn open() -> Toolset {
    Toolset {
        tools: build_tools("think", &TOOLS, ThoughtLog::default()),
        instruction: String::from(
            "Use `think` before you act when you have to weigh rules, when facts are missing or when a plan has several steps.",
        ),
        ..Toolset::default()
    }
}
