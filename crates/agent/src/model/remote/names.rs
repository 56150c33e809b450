//! Maps tool names to names that the wire formats allow.

use crate::model::message::ModelRequest;

/// The maximum length of a tool name that every provider accepts.
const MOST_CHARS: usize = 64;

/// Pintle's tool names and the ones on the wire, one for one.
///
/// Providers accept `[a-zA-Z0-9_-]{1,64}` starting with a letter or `_`. A valid name stays unchanged. In other names
/// `_` replaces the invalid characters, and a number is added if the result is already used.
#[derive(Debug)]
pub(super) struct WireNames(Vec<(String, String)>);

impl WireNames {
    /// Maps every tool that a request offers or whose calls it contains.
    pub(super) fn for_request(request: &ModelRequest) -> Self {
        let offered = request.tools.iter().map(|tool| &tool.name);
        let told = request.messages.iter().flat_map(|message| {
            let result = message.name.as_ref().filter(|_| message.tool_call_id.is_some());
            message.tool_calls.iter().map(|call| &call.name).chain(result)
        });
        let mut ours: Vec<&String> = Vec::new();
        for name in offered.chain(told) {
            if !ours.contains(&name) {
                ours.push(name);
            }
        }
        // Valid names keep their spelling, so they are assigned first.
        let (fitting, others): (Vec<_>, Vec<_>) = ours.into_iter().partition(|name| is_wire_name(name));
        let mut names = Self(fitting.into_iter().map(|name| (name.clone(), name.clone())).collect());
        for name in others {
            let wire = names.unique_wire_name(&to_wire_name(name));
            names.0.push((name.clone(), wire));
        }
        names
    }

    /// The name on the wire.
    pub(super) fn to_wire(&self, ours: &str) -> String {
        let known = self.0.iter().find(|(name, _)| name == ours);
        known.map_or_else(|| to_wire_name(ours), |(_, wire)| wire.clone())
    }

    /// Pintle's name for one from the wire. A name that the model made up stays unchanged.
    pub(super) fn resolve_wire(&self, wire: &str) -> String {
        let known = self.0.iter().find(|(_, name)| name == wire);
        known.map_or_else(|| wire.to_owned(), |(ours, _)| ours.clone())
    }

    fn unique_wire_name(&self, wanted: &str) -> String {
        let taken = |wire: &str| self.0.iter().any(|(_, name)| name == wire);
        let mut wire = wanted.to_owned();
        let mut number = 2_usize;
        while taken(&wire) {
            let suffix = format!("_{number}");
            wire = wanted.chars().take(MOST_CHARS - suffix.len()).collect();
            wire.push_str(&suffix);
            number += 1;
        }
        wire
    }
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

fn can_start_name(letter: char) -> bool {
    letter.is_ascii_alphabetic() || letter == '_'
}

fn is_wire_name(name: &str) -> bool {
    name.starts_with(can_start_name) && name.len() <= MOST_CHARS && name.chars().all(is_allowed)
}

fn to_wire_name(name: &str) -> String {
    let start = if name.starts_with(can_start_name) { "" } else { "_" };
    let letters = name.chars().map(|letter| if is_allowed(letter) { letter } else { '_' });
    start.chars().chain(letters).take(MOST_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ModelMessage, ModelTool, ModelToolCall};

    #[test]
    fn names_fit_the_wire_and_come_back() {
        let long = "x".repeat(70);
        let longer = format!("{}y", "x".repeat(70));
        let tools = ["fs.read", "fs_read", "fs/read", "ok-name", "2fa", "größe", &long, &longer, ""];
        let told = ModelToolCall { id: "c".into(), name: "gone.tool".into(), arguments: "{}".into() };
        let request = ModelRequest {
            tools: tools
                .iter()
                .map(|name| ModelTool {
                    name: (*name).into(),
                    description: String::new(),
                    parameters: serde_json::json!({}),
                })
                .collect(),
            messages: vec![ModelMessage::assistant("", vec![told.clone()]), ModelMessage::tool(&told, "x")],
            ..ModelRequest::default()
        };
        let names = WireNames::for_request(&request);
        let wire: Vec<_> = tools.iter().map(|name| names.to_wire(name)).collect();
        let cut = "x".repeat(64);
        let numbered = format!("{}_2", "x".repeat(62));
        assert_eq!(
            wire,
            ["fs_read_2", "fs_read", "fs_read_3", "ok-name", "_2fa", "gr__e", cut.as_str(), numbered.as_str(), "_"]
        );
        assert!(wire.iter().all(|name| is_wire_name(name)));
        let back: Vec<_> = wire.iter().map(|name| names.resolve_wire(name)).collect();
        assert_eq!(back, tools);
        assert_eq!(names.resolve_wire("gone_tool"), "gone.tool");
        assert_eq!(names.resolve_wire("made_up"), "made_up");
    }
}
