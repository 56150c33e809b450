//! The `meta.*` functions: an agent registers tools, hooks and agents at run time.
//!
//! They require `meta.enabled`. Every change fires its `meta.*` event first, and the limits apply to the whole session.
//! Nothing that is registered can weaken the project: registered hooks run after all others, and the project's tools
//! cannot be replaced.

mod call;
mod register;

use std::collections::BTreeSet;
use std::sync::Arc;

use globset::Glob;
use parking_lot::Mutex;
use pintle_host::event::MetaPayload;
use pintle_host::{Event, EventName};
use serde_json::{Value, json};

use crate::turn_context::TurnContext;

pub(crate) use call::call_tool;
pub(crate) use register::prepare_tool;

/// Runs a function of `meta` for a script.
pub(crate) fn perform(turn: &TurnContext, function: &str, arguments: &Value, call_depth: u32) -> Result<Value, String> {
    let done = match function {
        "list_tools" => require_enabled(turn).and_then(|()| list_tools(turn, arguments)),
        _ if call_depth > 0 => Err(String::from("cannot register anything from inside meta.call_tool")),
        "register_tool" => register::register_tool(turn, arguments),
        "register_hook" => register::register_hook(turn, arguments),
        "register_agent" => register::register_agent(turn, arguments),
        _ => Err(String::from("the function does not exist")),
    };
    done.map_err(|reason| format!("meta.{function}: {reason}"))
}

/// Refuses every function unless the project allows agents to change themselves.
fn require_enabled(turn: &TurnContext) -> Result<(), String> {
    if turn.agent.shared.meta.enabled {
        return Ok(());
    }
    Err(String::from("self-augmentation is off; the project's owner can set `meta.enabled: true`"))
}

/// Fires a `meta.*` event.
fn fire_meta_event(turn: &TurnContext, event: &str, payload: &MetaPayload) -> Result<(), String> {
    let name = EventName::parse(event).map_err(|error| error.to_string())?;
    let payload = serde_json::to_value(payload).map_err(|error| error.to_string())?;
    let outcome = turn.fire(&Event::new(name, payload, Arc::clone(&turn.origin)));
    if outcome.is_allowed() {
        return Ok(());
    }
    Err(format!("blocked by governance: {}", outcome.reason_for_model()))
}

/// Checks that a name matches `[a-z][a-z0-9_-]{0,63}`.
fn check_name(name: &str) -> Result<(), String> {
    let rest_fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    let fits =
        name.len() <= 64 && name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(rest_fits);
    if fits { Ok(()) } else { Err(format!("name `{name}` must be a-z, then up to 63 of a-z, 0-9, _ and -")) }
}

/// Reserves one of a limited number of names. A name that is already reserved stays so.
fn reserve_name(names: &Mutex<BTreeSet<String>>, name: &str, most: u32, action: &str) -> Result<(), String> {
    let mut names = names.lock();
    if !names.contains(name) && names.len() >= usize::try_from(most).unwrap_or(usize::MAX) {
        return Err(format!("the limit of {most} registered {action} is reached"));
    }
    names.insert(name.to_owned());
    Ok(())
}

fn list_tools(turn: &TurnContext, arguments: &Value) -> Result<Value, String> {
    let pattern = arguments.get("pattern").and_then(Value::as_str).unwrap_or("*");
    let glob =
        Glob::new(pattern).map_err(|error| format!("`{pattern}` is not a glob: {}", error.kind()))?.compile_matcher();
    let definitions = turn.agent.definitions().into_iter().filter(|tool| glob.is_match(&tool.name));
    Ok(definitions.map(|tool| json!({"name": tool.name, "description": tool.description})).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        let longest = format!("a{}", "b".repeat(63));
        for name in ["a", "weather", "a-b_c9", &longest] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        for name in ["", "9a", "A", "a.b", "a b", "ä", "_a", &format!("{longest}b")] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn places_are_limited_and_kept_by_name() {
        let taken = Mutex::default();
        for name in ["a", "b", "a"] {
            assert_eq!(reserve_name(&taken, name, 2, "tools"), Ok(()));
        }
        assert_eq!(reserve_name(&taken, "c", 2, "tools").unwrap_err(), "the limit of 2 registered tools is reached");
    }
}
