//! The contents of the document.

use serde_json::Value;

use crate::seeds::extract::table;

/// The parts of the document that can be run.
pub(crate) struct LifecycleDocument {
    /// The settings file.
    pub(crate) settings: String,
    /// The path of the script, as in the settings, and its text.
    pub(crate) script: (String, String),
    /// The names of the events.
    pub(super) events: Vec<String>,
    /// The payloads that are shown.
    pub(super) payloads: Vec<Value>,
    /// The decisions that are shown.
    pub(super) decisions: Vec<Value>,
}

impl LifecycleDocument {
    /// Extracts the parts of the document.
    ///
    /// # Errors
    /// When a required part is missing.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let json: Vec<Value> =
            fenced_blocks(text, "json").iter().filter_map(|block| serde_json::from_str(block).ok()).collect();
        let has = |value: &Value, name: &str| value.get(name).is_some();
        let is_settings = |block: &&String| {
            serde_json::from_str(block).is_ok_and(|value: Value| value.pointer("/hooks/PreToolUse").is_some())
        };
        let settings =
            fenced_blocks(text, "json").iter().find(is_settings).cloned().ok_or("the settings are missing")?;
        let script = fenced_blocks(text, "typescript").into_iter().find(|block| block.starts_with("#!"));
        let script = script.ok_or("the script is missing")?;
        let name = script.lines().find_map(|line| line.strip_prefix("// Hook: ")).ok_or("the script has no name")?;
        let path = format!("hooks/{}.ts", name.trim());
        if !settings.contains(&path) {
            return Err(format!("the settings do not name `{path}`"));
        }
        let events =
            table(text, "Event |").into_iter().filter_map(|row| Some(row.first()?.trim_matches('`').to_owned()));
        Ok(Self {
            events: events.collect(),
            payloads: json.iter().filter(|value| has(value, "session_id")).cloned().collect(),
            decisions: json.iter().filter(|value| has(value, "continue") || has(value, "decision")).cloned().collect(),
            script: (path, script),
            settings,
        })
    }

    /// The message that the script blocks with.
    ///
    /// # Errors
    /// When it has no message.
    pub(crate) fn message(&self) -> Result<&str, String> {
        let (_, text) = &self.script;
        let line = text.lines().find_map(|line| line.trim().strip_prefix("message: \""));
        line.map(|line| line.trim_end_matches(['"', ','])).ok_or_else(|| String::from("the script has no message"))
    }
}

/// The fenced blocks in a language.
fn fenced_blocks(text: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}");
    let mut found = Vec::new();
    let mut lines = text.lines();
    while lines.by_ref().any(|line| line.trim_end() == opening) {
        let block: Vec<&str> = lines.by_ref().take_while(|line| line.trim_end() != "```").collect();
        found.push(format!("{}\n", block.join("\n")));
    }
    found
}
