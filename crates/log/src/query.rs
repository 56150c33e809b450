//! What is looked for in the log.

use std::path::PathBuf;

use pintle_tape::decisions::DecisionLabel;
use rusqlite::types::Value;

use crate::entry::LogEntry;
use crate::index::to_integer;

/// What is looked for in the log. Default: everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// Entries with one of these words, or, if `with_failures` is set, with a failed hook. Empty for any.
    pub words: Vec<DecisionLabel>,
    /// Entries in which a hook failed.
    pub with_failures: bool,
    /// Entries from this time on, in milliseconds since the Unix epoch.
    pub since_ms: Option<u64>,
    /// Entries before this time, in milliseconds since the Unix epoch.
    pub until_ms: Option<u64>,
    /// Entries before another one.
    pub before: Option<LogCursor>,
    /// Entries of sessions that these agents ran; an empty name is Pintle's own loop. Empty for any.
    pub hosts: Vec<String>,
    /// Entries of a project and the directories below it.
    pub project: Option<PathBuf>,
    /// Entries that a rule, a pack or a hook decided, such as `git.force-push`, `git` or `command_guard`.
    pub rule: Option<String>,
    /// Entries whose call, reason, tool, hooks, session or project contain this text; letters of ASCII in either case.
    pub text: Option<String>,
    /// Entries that may wait for the user.
    pub is_waiting: bool,
    /// The most entries, the newest of which are kept.
    pub limit: Option<usize>,
}

/// The place of an entry in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogCursor {
    /// Its time, in milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// Its ID with all digits.
    pub long_id: String,
}

impl LogCursor {
    /// The digits of the tape and the number of the record.
    fn split_id(&self) -> (&str, u64) {
        let (key, seq) = self.long_id.split_once('.').unwrap_or_default();
        (key, seq.parse().unwrap_or_default())
    }
}

impl LogQuery {
    /// Whether an entry has the text that is looked for.
    pub(crate) fn has_text(&self, entry: &LogEntry) -> bool {
        let Some(text) = self.text.as_deref() else { return true };
        let decision = &entry.decision;
        let reasons = decision.reasons.iter().flat_map(|reason| [reason.hook.as_str(), reason.text.as_str()]);
        let failures = decision.failures.iter().flat_map(|failed| [failed.hook.as_str(), failed.message.as_str()]);
        let changed_by = decision.changed_by.iter().map(String::as_str);
        let tool = decision.tool.as_deref().into_iter().chain(entry.project.as_deref());
        let others = [decision.call.as_str(), decision.event.as_str(), entry.session.as_str()];
        reasons.chain(failures).chain(changed_by).chain(tool).chain(others).any(|field| contains_text(field, text))
    }

    /// The conditions in SQL, with the values of their parameters.
    pub(crate) fn to_sql(&self) -> (String, Vec<Value>) {
        let mut conditions: Vec<String> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        let mut text = |text: String| {
            values.push(Value::Text(text));
            format!("?{}", values.len())
        };
        let mut kinds: Vec<String> =
            self.words.iter().map(|word| format!("word = {}", text(word.as_str().to_owned()))).collect();
        if self.with_failures {
            kinds.push(String::from("is_failed"));
        }
        let is_host = |host: &String| match host.as_str() {
            "" => String::from("host IS NULL"),
            host => format!("host = {}", text(host.to_owned())),
        };
        let hosts: Vec<String> = self.hosts.iter().map(is_host).collect();
        if let Some(project) = &self.project {
            let project = project.to_string_lossy();
            let folder = format!("{}/", project.trim_end_matches('/'));
            let (same, below) = (text(project.into_owned()), text(folder));
            conditions.push(format!("(project = {same} OR substr(project, 1, length({below})) = {below})"));
        }
        if let Some(rule) = &self.rule {
            let rule = text(rule.clone());
            conditions.push(format!(
                "(rule = {rule} OR hook = {rule} OR hook IN ('pack:' || {rule}, 'rules:' || {rule}) OR \
                 substr(rule, 1, length({rule}) + 1) = {rule} || '.')"
            ));
        }
        for any in [kinds, hosts].into_iter().filter(|any| !any.is_empty()) {
            conditions.push(format!("({})", any.join(" OR ")));
        }
        if let Some(needle) = &self.text {
            let (inside, plain) = (text(like_pattern(&json_text(needle))), text(like_pattern(needle)));
            let like = |column: &str, pattern: &str| format!(r"{column} LIKE {pattern} ESCAPE '\'");
            let columns = [like("data", &inside), like("project", &plain), like("session", &plain)];
            conditions.push(format!("({})", columns.join(" OR ")));
        }
        if let Some(before) = &self.before {
            let (key, seq) = before.split_id();
            let (at_ms, key) = (to_integer(before.at_ms), text(key.to_owned()));
            let tape = format!("(SELECT id FROM tapes WHERE key = {key})");
            conditions.push(format!("(at_ms, tape, seq) < ({at_ms}, IFNULL({tape}, 0), {})", to_integer(seq)));
        }
        if let Some(since_ms) = self.since_ms.map(to_integer) {
            conditions.push(format!("at_ms >= {since_ms}"));
        }
        if let Some(until_ms) = self.until_ms.map(to_integer) {
            conditions.push(format!("at_ms < {until_ms}"));
        }
        if self.is_waiting {
            conditions.push(String::from("is_waiting"));
        }
        let conditions = if conditions.is_empty() { String::from("1") } else { conditions.join(" AND ") };
        (conditions, values)
    }
}

/// Whether a text contains another one, with letters of ASCII in either case.
pub(crate) fn contains_text(field: &str, text: &str) -> bool {
    field.to_ascii_lowercase().contains(&text.to_ascii_lowercase())
}

/// A text as it is within a string of JSON.
fn json_text(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// The pattern of `LIKE` for what contains a text.
fn like_pattern(text: &str) -> String {
    let escaped: String =
        text.chars().flat_map(|c| (r"\%_".contains(c)).then_some('\\').into_iter().chain([c])).collect();
    format!("%{escaped}%")
}
