//! What is looked for in the log.

use std::path::PathBuf;

use pintle_tape::decisions::DecisionLabel;
use rusqlite::types::Value;

/// What is looked for in the log. Default: everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// Entries with one of these words, or, if `with_failures` is set, with a failed hook. Empty for any.
    pub words: Vec<DecisionLabel>,
    /// Entries in which a hook failed.
    pub with_failures: bool,
    /// Entries from this time on, in milliseconds since the Unix epoch.
    pub since_ms: Option<u64>,
    /// Entries of sessions that these agents ran. Empty for any.
    pub hosts: Vec<String>,
    /// Entries of a project and the directories below it.
    pub project: Option<PathBuf>,
    /// Entries that a rule, a pack or a hook decided, such as `git.force-push`, `git` or `command_guard`.
    pub rule: Option<String>,
    /// The most entries, the newest of which are kept.
    pub limit: Option<usize>,
}

impl LogQuery {
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
        let hosts: Vec<String> = self.hosts.iter().map(|host| format!("host = {}", text(host.clone()))).collect();
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
        if let Some(since_ms) = self.since_ms {
            conditions.push(format!("at_ms >= {since_ms}"));
        }
        let conditions = if conditions.is_empty() { String::from("1") } else { conditions.join(" AND ") };
        (conditions, values)
    }
}
