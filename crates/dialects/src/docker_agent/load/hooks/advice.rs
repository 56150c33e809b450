//! Suggests a replacement for an unknown event.

use pintle_contract::suggest_nearest;

use crate::docker_agent::event_def::ROWS;

/// Other agents' names of events that cannot be found by similarity or in the catalogue.
const ELSEWHERE: &[(&str, &str)] = &[
    ("before_tool", "pre_tool_use"),
    ("after_tool", "post_tool_use"),
    ("before_model", "before_llm_call"),
    ("after_model", "after_llm_call"),
    ("before_agent", "user_prompt_submit"),
    ("before_submit_prompt", "user_prompt_submit"),
    ("user_prompt_submitted", "user_prompt_submit"),
    ("error_occurred", "on_error"),
    ("after_agent", "stop"),
    ("agent_stop", "stop"),
    ("pre_compress", "pre_compact"),
];

/// Events of docker-agent that Pintle does not fire, and the nearest event that it does.
const NOT_YET: &[(&str, &str)] = &[("before_agent_run", "user_prompt_submit"), ("after_agent_complete", "stop")];

/// The maximum length of a name for which a similar event is searched.
const MAX_NAME: usize = 64;

/// Guesses the event that was meant by another agent's name or by a misspelt one.
pub(in crate::docker_agent::load) fn guess_event(written: &str) -> Option<&'static str> {
    find_foreign_alias(written).or_else(|| find_nearest(&to_snake_case(written)))
}

/// The event with this name in another agent.
fn find_foreign_alias(written: &str) -> Option<&'static str> {
    let snake = to_snake_case(written);
    let known = ROWS.iter().find(|def| def.canonical.name() == written || def.name == snake).map(|def| def.name);
    known.or_else(|| ELSEWHERE.iter().find(|(name, _)| *name == snake).map(|(_, name)| *name))
}

fn find_nearest(snake: &str) -> Option<&'static str> {
    (snake.len() <= MAX_NAME).then(|| suggest_nearest(snake, ROWS.iter().map(|def| def.name)))?
}

/// The help for an unknown event name.
pub(super) fn help_for_unknown_event(written: &str) -> String {
    if written == "hooks" {
        return String::from("write the events at this level: remove the line `hooks:` and unindent what is below it");
    }
    if let Some((name, near)) = NOT_YET.iter().find(|(name, _)| *name == written) {
        return format!("`{name}` is an event of docker-agent that Pintle does not support yet; use `{near}`");
    }
    if let Some(name) = find_foreign_alias(written) {
        return format!("docker-agent calls it `{name}`");
    }
    match find_nearest(&to_snake_case(written)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => String::from("`pintle events` lists the events; a newer docker-agent may have more"),
    }
}

/// Converts `PreToolUse`, `pre-tool-use` and `pre tool use` to `pre_tool_use`.
fn to_snake_case(written: &str) -> String {
    let mut snake = String::new();
    let mut after_small = false;
    for letter in written.chars() {
        if letter.is_uppercase() && after_small {
            snake.push('_');
        }
        after_small = letter.is_lowercase() || letter.is_ascii_digit();
        match letter {
            '-' | ' ' | '.' => snake.push('_'),
            letter => snake.extend(letter.to_lowercase()),
        }
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_agents_lead_to_the_event() {
        for (written, wanted) in [
            ("PreToolUse", "docker-agent calls it `pre_tool_use`"),
            ("tool.pre", "docker-agent calls it `pre_tool_use`"),
            ("pre-tool-use", "docker-agent calls it `pre_tool_use`"),
            ("SubagentStop", "docker-agent calls it `subagent_stop`"),
            ("BeforeTool", "docker-agent calls it `pre_tool_use`"),
            ("beforeSubmitPrompt", "docker-agent calls it `user_prompt_submit`"),
            (
                "before_agent_run",
                "`before_agent_run` is an event of docker-agent that Pintle does not support yet; use `user_prompt_submit`",
            ),
            ("pre_tool_uze", "did you mean `pre_tool_use`?"),
            ("on_errors", "did you mean `on_error`?"),
            ("quantum", "`pintle events` lists the events; a newer docker-agent may have more"),
            ("", "`pintle events` lists the events; a newer docker-agent may have more"),
        ] {
            assert_eq!(help_for_unknown_event(written), wanted, "{written}");
        }
    }
}
