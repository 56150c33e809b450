//! Looks up fields by Go's names and by the input's.

use serde_json::Value;

/// Fields that docker-agent omits if they are empty. A template may use them on every event, like an empty field of a
/// Go structure.
const KNOWN: [&str; 66] = [
    "agent_name",
    "agent_switch_kind",
    "approval_decision",
    "approval_source",
    "base_url",
    "cache_control",
    "cached_input_tokens",
    "cached_write_tokens",
    "compaction_reason",
    "content",
    "context_limit",
    "cost",
    "created_at",
    "cwd",
    "finish_reason",
    "from_agent",
    "from_agent_models",
    "function_call",
    "hook_event_name",
    "input_tokens",
    "is_error",
    "iteration",
    "last_user_message",
    "messages",
    "model",
    "model_id",
    "multi_content",
    "new_max_iterations",
    "notification_level",
    "notification_message",
    "output_tokens",
    "parent_session_id",
    "previous_max_iterations",
    "prompt",
    "provider",
    "reason",
    "reasoning_content",
    "reasoning_tokens",
    "role",
    "safety_label",
    "safety_policy",
    "session_id",
    "source",
    "steering_messages",
    "stop_response",
    "summary",
    "text",
    "thinking_signature",
    "thought_signature",
    "to_agent",
    "tool_call_id",
    "tool_calls",
    "tool_category",
    "tool_definitions",
    "tool_error",
    "tool_input",
    "tool_name",
    "tool_read_only",
    "tool_response",
    "tool_use_id",
    "total_tokens",
    "unload_api",
    "usage",
    "worktree_branch",
    "worktree_path",
    "worktree_source_dir",
];

/// The result of a field lookup.
pub(super) enum FieldLookup<'a> {
    /// The field exists.
    Present(&'a Value),
    /// The field is omitted because it is empty.
    Omitted,
    /// The value has no such field.
    Unknown,
}

/// Looks up a field by the name as written, then by Go's name. Known fields may be omitted from the value: those of the
/// input itself, and names that start with a capital letter, which are fields of Go structures.
pub(super) fn look_up_field<'a>(value: &'a Value, name: &str, is_input: bool) -> FieldLookup<'a> {
    if let Some(found) = value.get(name) {
        return FieldLookup::Present(found);
    }
    let key = snake_case_key(name);
    if let Some(found) = value.get(&key) {
        return FieldLookup::Present(found);
    }
    let of_structure = is_input || name.starts_with(char::is_uppercase);
    if of_structure && KNOWN.contains(&key.as_str()) { FieldLookup::Omitted } else { FieldLookup::Unknown }
}

/// The key for a Go name: `ToolUseID` is `tool_use_id`.
fn snake_case_key(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut key = String::with_capacity(name.len() + 4);
    let mut before: Option<char> = None;
    for (index, letter) in letters.iter().enumerate() {
        let after = letters.get(index + 1);
        let begins = match before {
            Some(before) if before.is_lowercase() || before.is_ascii_digit() => true,
            // The last capital letter of a run belongs to the next word.
            Some(before) if before.is_uppercase() => after.is_some_and(|after| after.is_lowercase()),
            _ => false,
        };
        if letter.is_uppercase() && begins {
            key.push('_');
        }
        key.extend(letter.to_lowercase());
        before = Some(*letter);
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_names_stand_for_keys() {
        let cases = [
            ("ToolName", "tool_name"),
            ("ToolUseID", "tool_use_id"),
            ("ModelID", "model_id"),
            ("ID", "id"),
            ("Cwd", "cwd"),
            ("CWD", "cwd"),
            ("HookEventName", "hook_event_name"),
            ("BaseURL", "base_url"),
            ("UnloadAPI", "unload_api"),
            ("WorktreeSourceDir", "worktree_source_dir"),
            ("tool_name", "tool_name"),
            ("cmd", "cmd"),
            ("", ""),
        ];
        for (name, expected) in cases {
            assert_eq!(snake_case_key(name), expected, "{name}");
        }
    }
}
