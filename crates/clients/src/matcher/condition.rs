//! Conditions in the syntax of permission rules: `Bash(git *)`, `Edit(src/**)`, `mcp__memory`.

use regex::Regex;
use serde_json::Value;

use super::ClientMatcherError;

/// A condition on a tool call.
#[derive(Debug, Clone)]
pub struct PermissionCondition {
    text: String,
    tool: String,
    /// The tool names, if the name contains wildcards.
    names: Option<Regex>,
    subject: ConditionSubject,
}

#[derive(Debug, Clone)]
enum ConditionSubject {
    All,
    /// Calls with a matching command line.
    Line(CommandPattern),
    /// Calls for a matching file.
    File(FilePattern),
    /// Calls for a matching host.
    Host(String),
    /// Calls for a matching agent.
    Agent(Option<Regex>),
    /// The part in parentheses is not supported for this tool.
    Unknown,
}

/// Tools, and the reader of their part in parentheses.
type ToolGroup = (&'static [&'static str], fn(String) -> ConditionSubject);

/// The readers of the part in parentheses, by tool.
const KINDS: &[ToolGroup] = &[
    (&["Bash", "PowerShell", "run_shell_command"], |text| ConditionSubject::Line(CommandPattern::new(&text))),
    (&["Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep", "read_file", "write_file"], |text| {
        ConditionSubject::File(FilePattern::new(&text))
    }),
    (&["Agent", "Task", "agent"], |text| ConditionSubject::Agent(compile_line(&text))),
    (&["WebFetch", "web_fetch"], host_subject),
];

fn host_subject(text: String) -> ConditionSubject {
    text.strip_prefix("domain:")
        .map_or(ConditionSubject::Unknown, |host| ConditionSubject::Host(host.trim().to_ascii_lowercase()))
}

impl PermissionCondition {
    /// Parses a condition.
    ///
    /// # Errors
    /// When it is not valid.
    pub fn new(written: &str) -> Result<Self, ClientMatcherError> {
        let text = written.trim();
        let (tool, inner) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or(ClientMatcherError::UnclosedParenthesis)?)),
        };
        let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '*' | ':' | '.' | '/');
        if tool.is_empty() || !tool.chars().all(is_name) {
            return Err(ClientMatcherError::NoToolName);
        }
        let about = match inner.map(str::trim) {
            None | Some("" | "*") => ConditionSubject::All,
            Some(inner) => {
                let kind = KINDS.iter().find(|(tools, _)| tools.contains(&tool));
                kind.map_or(ConditionSubject::Unknown, |(_, make)| make(inner.to_owned()))
            }
        };
        let names = tool.contains('*').then(|| compile_line(tool)).flatten();
        Ok(Self { text: written.to_owned(), tool: tool.to_owned(), names, subject: about })
    }

    /// The condition as its author wrote it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the part in parentheses is supported. Otherwise it is ignored: the condition matches every call of the
    /// tool.
    #[must_use]
    pub fn has_known_subject(&self) -> bool {
        !matches!(self.subject, ConditionSubject::Unknown)
    }

    /// Whether a call meets the condition. If that is unknown, it does: a hook runs once too often rather than not at
    /// all.
    #[must_use]
    pub fn is_met<'a>(&self, mut names: impl Iterator<Item = &'a str>, input: &Value, directory: &str) -> bool {
        names.any(|name| self.is_for_tool(name)) && self.is_for_input(input, directory)
    }

    fn is_for_tool(&self, name: &str) -> bool {
        // A rule for `Edit` applies to every tool that edits files.
        let edits = self.tool == "Edit" && ["Write", "MultiEdit", "NotebookEdit"].contains(&name);
        let of_server = || {
            let rest = name.strip_prefix(self.tool.as_str()).filter(|_| self.tool.starts_with("mcp__"));
            rest.is_some_and(|rest| rest.starts_with("__"))
        };
        self.tool == name || edits || of_server() || self.names.as_ref().is_some_and(|names| names.is_match(name))
    }

    fn is_for_input(&self, input: &Value, directory: &str) -> bool {
        let text = |names: &[&str]| names.iter().find_map(|name| input.get(*name)?.as_str());
        match &self.subject {
            ConditionSubject::All | ConditionSubject::Unknown => true,
            ConditionSubject::Line(pattern) => text(&["command"]).is_none_or(|line| matches_line(pattern, line)),
            ConditionSubject::File(pattern) => {
                text(&["file_path", "path", "notebook_path"]).is_none_or(|path| pattern.matches(path, directory))
            }
            ConditionSubject::Agent(pattern) => text(&["subagent_type", "agent_type", "agent"])
                .is_none_or(|agent| pattern.as_ref().is_none_or(|pattern| pattern.is_match(agent))),
            ConditionSubject::Host(pattern) => text(&["url"]).is_none_or(|url| matches_host(pattern, url)),
        }
    }
}

/// A file pattern: `//x` is absolute, `~/x` relative to the home directory, a name without a slash matches anywhere
/// below the session's directory, and any other pattern is relative to that directory.
#[derive(Debug, Clone)]
struct FilePattern {
    /// The base directory; `None` is the session's.
    base_dir: Option<String>,
    pattern: Option<Regex>,
}

impl FilePattern {
    fn new(written: &str) -> Self {
        let (below, rest) = match (written.strip_prefix("//"), written.strip_prefix("~/")) {
            (Some(rest), _) => (Some(String::new()), rest),
            (_, Some(rest)) => (Some(std::env::home_dir().unwrap_or_default().to_string_lossy().into_owned()), rest),
            _ => (None, written.strip_prefix("./").unwrap_or(written)),
        };
        let anywhere = !written.contains('/');
        let rest = rest.trim_start_matches('/');
        let pattern = if anywhere { compile_path(&format!("**/{rest}")) } else { compile_path(rest) };
        Self { base_dir: below, pattern }
    }

    fn matches(&self, path: &str, directory: &str) -> bool {
        let path =
            if path.starts_with('/') { normalize_path(path) } else { normalize_path(&format!("{directory}/{path}")) };
        let below = normalize_path(self.base_dir.as_deref().unwrap_or(directory));
        let rest = path.strip_prefix(below.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
        rest.is_some_and(|rest| self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(rest)))
    }
}

fn normalize_path(path: &str) -> String {
    let mut folders: Vec<&str> = Vec::new();
    for dir in path.split('/') {
        match dir {
            "" | "." => {}
            ".." => drop(folders.pop()),
            folder => folders.push(folder),
        }
    }
    format!("/{}", folders.join("/"))
}

fn matches_host(pattern: &str, url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let below = |domain: &str| host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
    match pattern.strip_prefix("*.") {
        Some(domain) => below(domain),
        None => host == pattern || below(pattern) || pattern == "*",
    }
}

/// A command pattern: `git *` and `git:*` match `git` with any arguments, `ls*` any command that starts with `ls`.
#[derive(Debug, Clone)]
enum CommandPattern {
    /// These words, with anything after them.
    Prefix(String),
    /// The whole command.
    Exact(Option<Regex>),
}

impl CommandPattern {
    fn new(pattern: &str) -> Self {
        match pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *")) {
            Some(prefix) if !prefix.contains('*') => Self::Prefix(prefix.trim_end().to_owned()),
            _ => Self::Exact(compile_line(pattern)),
        }
    }

    fn matches_command(&self, command: &str) -> bool {
        match self {
            Self::Prefix(prefix) => {
                let rest = command.strip_prefix(prefix.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
            }
            Self::Exact(pattern) => pattern.as_ref().is_none_or(|pattern| pattern.is_match(command)),
        }
    }
}

/// Whether a rule's pattern matches a command line: one of its commands, or any line that is more complex than a
/// sequence of commands. A hook runs once too often rather than not at all.
fn matches_line(pattern: &CommandPattern, line: &str) -> bool {
    let is_involved = ["$(", "`", "<(", ">(", "<<"].iter().any(|sign| line.contains(sign));
    is_involved || split_commands(line).any(|command| pattern.matches_command(command))
}

/// The commands of a line, without leading variable assignments.
fn split_commands(line: &str) -> impl Iterator<Item = &str> {
    line.split(['\n', ';', '|', '&', '(', ')', '{', '}']).map(strip_variables).filter(|command| !command.is_empty())
}

fn strip_variables(command: &str) -> &str {
    let mut rest = command.trim();
    while let Some((word, after)) = rest.split_once(char::is_whitespace) {
        let is_setting = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        });
        if !is_setting {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

/// Compiles a pattern for a whole line, in which `*` matches any characters. `None` if it is too large.
fn compile_line(pattern: &str) -> Option<Regex> {
    let pieces: Vec<String> = pattern.split('*').map(regex::escape).collect();
    Regex::new(&format!("^(?s:{})$", pieces.join(".*"))).ok()
}

/// Compiles a pattern for a whole path: `*` and `?` stay within one directory, `**` crosses directories, and `**/` may
/// also match nothing.
fn compile_path(pattern: &str) -> Option<Regex> {
    let mut expression = String::from("^(?s:");
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        let (means, length) = match letter {
            '*' if rest.starts_with("**/") => ("(?:.*/)?", 3),
            '*' if rest.starts_with("**") => (".*", 2),
            '*' => ("[^/]*", 1),
            '?' => ("[^/]", 1),
            _ => {
                let length = rest.find(['*', '?']).unwrap_or(rest.len());
                expression.push_str(&regex::escape(rest.get(..length).unwrap_or_default()));
                rest = rest.get(length..).unwrap_or_default();
                continue;
            }
        };
        expression.push_str(means);
        rest = rest.get(length..).unwrap_or_default();
    }
    expression.push_str(")$");
    Regex::new(&expression).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_condition_holds_for_the_calls_it_names() {
        for (written, name, input, wanted) in [
            ("Bash(git *)", "Bash", json!({"command": "git push"}), true),
            ("Bash(git *)", "Bash", json!({"command": "ls"}), false),
            ("Bash(git *)", "Read", json!({"file_path": "git x"}), false),
            ("Bash", "Bash", json!({"command": "ls"}), true),
            ("Bash()", "Bash", json!({}), true),
            ("Bash(git *)", "Bash", json!({}), true),
            ("Edit(*.ts)", "Edit", json!({"file_path": "/p/src/a.ts"}), true),
            ("Edit(*.ts)", "Write", json!({"file_path": "/p/src/a.ts"}), true),
            ("Edit(*.ts)", "Edit", json!({"file_path": "/p/src/a.js"}), false),
            ("Read(src/**)", "Read", json!({"file_path": "/p/src/a/b"}), true),
            ("Read(src/**)", "Read", json!({"file_path": "src/../secret"}), false),
            ("Read(/src/**)", "Read", json!({"file_path": "src/x"}), true),
            ("Read(//etc/**)", "Read", json!({"file_path": "/etc/passwd"}), true),
            ("Read(//etc/**)", "Read", json!({"file_path": "/p/etc/passwd"}), false),
            ("mcp__memory", "mcp__memory__read", json!({}), true),
            ("mcp__memory", "mcp__memory2__read", json!({}), false),
            ("mcp__*", "mcp__memory__read", json!({}), true),
            ("Agent(review*)", "Agent", json!({"subagent_type": "reviewer"}), true),
            ("WebFetch(domain:x.test)", "WebFetch", json!({"url": "https://a@api.x.test:8/p"}), true),
            ("WebFetch(domain:x.test)", "WebFetch", json!({"url": "https://ax.test/?x.test"}), false),
            ("Custom(what)", "Custom", json!({}), true),
        ] {
            let condition = PermissionCondition::new(written).unwrap();
            assert_eq!(condition.is_met(std::iter::once(name), &input, "/p"), wanted, "{written} {name} {input}");
        }
        assert!(!PermissionCondition::new("Custom(what)").unwrap().has_known_subject());
        assert!(PermissionCondition::new("Bash(git").is_err());
        assert!(PermissionCondition::new("(x)").is_err());
        assert!(PermissionCondition::new("").is_err());
    }

    #[test]
    fn a_rule_is_about_any_command_of_the_line() {
        for (pattern, line, wanted) in [
            ("git *", "git status", true),
            ("git *", "git", true),
            ("git *", "gitk", false),
            ("git:*", "git push -f", true),
            ("npm run test:*", "npm run test --all", true),
            ("npm run test:*", "npm run testing", false),
            ("ls*", "lsof", true),
            ("git push * main", "git push origin main", true),
            ("git push", "git push origin", false),
            ("rm *", "cd x && rm -rf y", true),
            ("rm *", "echo a; rm b", true),
            ("rm *", "cat a | rm b", true),
            ("rm *", "A=1 B=2 rm b", true),
            ("rm *", "echo rm b", false),
            ("rm *", "echo $(rm b)", true),
            ("rm *", "echo `x`", true),
            ("*", "anything", true),
        ] {
            assert_eq!(matches_line(&CommandPattern::new(pattern), line), wanted, "{pattern} {line}");
        }
    }

    #[test]
    fn stars_stay_within_a_folder_and_two_of_them_do_not() {
        for (pattern, text, wanted) in [
            ("src/*", "src/a.rs", true),
            ("src/*", "src/a/b.rs", false),
            ("src/**", "src/a/b.rs", true),
            ("**/b.rs", "b.rs", true),
            ("**/b.rs", "x/y/b.rs", true),
            ("**/b.rs", "x/ab.rs", false),
            ("**/*.env", "a/.env", true),
            ("?.rs", "a.rs", true),
            ("?.rs", "/.rs", false),
            ("a.b", "axb", false),
        ] {
            assert_eq!(compile_path(pattern).unwrap().is_match(text), wanted, "{pattern} {text}");
        }
        assert!(compile_line("git * main").unwrap().is_match("git push a/b main"));
        assert!(!compile_line("git * main").unwrap().is_match("git push maint"));
    }
}
