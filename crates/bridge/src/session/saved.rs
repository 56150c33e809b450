//! The saved form of a session's state: lines of JSON. The first one has all of it, each later one what changed since.

use std::io;

use pintle_host::event::{LogLine, ToolCall, ToolResult};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::newest_items::{ListChange, ListSpan};
use super::state::HostSessionState;

/// The version of the form. What an unknown form says could be a denial, so it is not read.
const STATE_VERSION: u32 = 2;

/// A line. Only the first one has all parts.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateLine<'a> {
    version: u32,
    /// The state contains past denials and the end of the tape: without it the session cannot continue.
    #[serde(borrow)]
    cursor: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged_branch: Option<String>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    facts: Option<&'a RawValue>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    layers: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logs: Option<ListChange<LogLine>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<ListChange<(ToolCall, ToolResult)>>,
}

/// What the lines so far say, to write only what changes.
#[derive(Debug)]
pub(super) struct SavedParts {
    facts: Box<RawValue>,
    layers: Box<RawValue>,
    logs: ListSpan,
    calls: ListSpan,
}

/// The line that follows those with the parts `before`, or the first one.
pub(super) fn write_line(
    state: &HostSessionState,
    before: Option<&SavedParts>,
) -> serde_json::Result<(Vec<u8>, SavedParts)> {
    let parts = SavedParts {
        facts: to_raw_value(&state.facts)?,
        layers: to_raw_value(&state.layers)?,
        logs: state.logs.span(),
        calls: state.calls.span(),
    };
    let is_changed = |part: fn(&SavedParts) -> &RawValue| {
        let now = part(&parts);
        before.is_none_or(|before| part(before).get() != now.get()).then_some(now)
    };
    let cursor = state.cursor.as_ref().map(to_raw_value).transpose()?;
    let line = StateLine {
        version: STATE_VERSION,
        cursor: cursor.as_deref(),
        merged_branch: state.merged_branch.clone(),
        facts: is_changed(|parts| &parts.facts),
        layers: is_changed(|parts| &parts.layers),
        logs: state.logs.change_since(before.map(|before| before.logs)),
        calls: state.calls.change_since(before.map(|before| before.calls)),
    };
    let mut text = serde_json::to_vec(&line)?;
    text.push(b'\n');
    Ok((text, parts))
}

/// The state that lines say, with its parts as they say it.
pub(super) fn read_lines(text: &[u8]) -> io::Result<(HostSessionState, SavedParts)> {
    let unreadable = |why: &dyn std::fmt::Display| io::Error::other(format!("its saved state cannot be read: {why}"));
    let mut last: Option<StateLine<'_>> = None;
    let mut state = HostSessionState::default();
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let read: serde_json::Result<StateLine<'_>> = serde_json::from_slice(line);
        let is_other_version = match &read {
            Ok(line) => line.version != STATE_VERSION,
            Err(_) => serde_json::from_slice(line).is_ok_and(|value: Value| {
                value.is_object() && value.get("version").and_then(Value::as_u64) != Some(u64::from(STATE_VERSION))
            }),
        };
        if is_other_version {
            return Err(io::Error::other("its saved state is of another version of Pintle"));
        }
        let mut line = read.map_err(|error| unreadable(&error))?;
        if line.cursor.is_none() {
            return Err(io::Error::other("its saved state does not say where its tape ends, so it was modified"));
        }
        let (logs, calls) = (line.logs.take(), line.calls.take());
        let is_whole = line.facts.is_some() && line.layers.is_some() && logs.is_some() && calls.is_some();
        if last.is_none() && !is_whole {
            return Err(unreadable(&"its first line is missing"));
        }
        let is_next = logs.is_none_or(|change| state.logs.apply_change(change))
            && calls.is_none_or(|change| state.calls.apply_change(change));
        if !is_next {
            return Err(unreadable(&"a line of it is missing"));
        }
        let before = last.as_ref();
        line.facts = line.facts.or_else(|| before?.facts);
        line.layers = line.layers.or_else(|| before?.layers);
        last = Some(line);
    }
    let Some(StateLine { cursor: Some(cursor), merged_branch, facts: Some(facts), layers: Some(layers), .. }) = last
    else {
        return Err(unreadable(&"it is empty"));
    };
    let parse_parts = |state: &mut HostSessionState| -> serde_json::Result<()> {
        state.cursor = Some(serde_json::from_str(cursor.get())?);
        state.facts = serde_json::from_str(facts.get())?;
        state.layers = serde_json::from_str(layers.get())?;
        Ok(())
    };
    parse_parts(&mut state).map_err(|error| unreadable(&error))?;
    let (logs, calls) = (state.logs.span(), state.calls.span());
    let parts = SavedParts { facts: facts.to_owned(), layers: layers.to_owned(), logs, calls };
    Ok((HostSessionState { merged_branch, ..state }, parts))
}

#[cfg(test)]
mod tests {
    use pintle_host::Layer;
    use pintle_host::tape::TapeCursor;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn change_state(state: &mut HostSessionState, step: u8) {
        let name = step.to_string();
        match step % 6 {
            0 => state.add_logs(vec![LogLine { message: name, ..LogLine::default() }]),
            1 => state.add_call(ToolCall::new("c", name, Value::Null), ToolResult::new("c", "x", Value::Null, false)),
            2 => drop(state.layers.entry(Layer::Project).or_default().metrics.insert(name, json!(1.5))),
            3 => drop(state.mark_if_new("", &name, false)),
            4 => state.logs.clear(),
            _ => state.merged_branch = Some(name).filter(|_| step.is_multiple_of(2)),
        }
    }

    proptest! {
        #[test]
        fn lines_say_the_state_that_was_saved(saves in prop::collection::vec(prop::collection::vec(0..40_u8, 0..4), 1..20)) {
            let mut state = HostSessionState { cursor: Some(TapeCursor::default()), ..HostSessionState::default() };
            let (mut text, mut known) = (Vec::new(), None);
            for steps in saves {
                steps.into_iter().for_each(|step| change_state(&mut state, step));
                let (line, parts) = write_line(&state, known.as_ref()).unwrap();
                text.extend(line);
                let (read, read_parts) = read_lines(&text).unwrap();
                prop_assert_eq!(&read, &state);
                // Every other process goes on with what it read.
                known = Some(if text.len().is_multiple_of(2) { parts } else { read_parts });
            }
        }
    }

    #[test]
    fn lines_that_do_not_follow_each_other_are_refused() {
        let mut state = HostSessionState { cursor: Some(TapeCursor::default()), ..HostSessionState::default() };
        let mut lines: Vec<Vec<u8>> = Vec::new();
        let mut known = None;
        for step in 0..4 {
            change_state(&mut state, 6 * step);
            let (line, parts) = write_line(&state, known.as_ref()).unwrap();
            (lines, known) = ([lines, vec![line]].concat(), Some(parts));
        }
        for left_out in 0..3 {
            let rest: Vec<u8> =
                lines.iter().enumerate().filter(|(at, _)| *at != left_out).flat_map(|(_, line)| line.clone()).collect();
            let error = read_lines(&rest).unwrap_err().to_string();
            assert!(error.contains("is missing"), "{left_out}: {error}");
        }
    }
}
