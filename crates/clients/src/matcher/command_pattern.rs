//! Matches command lines as permission rules do.

use regex::Regex;

use super::glob;

/// A command pattern: `git *` and `git:*` match `git` with any arguments, `ls*` any command that starts with `ls`.
#[derive(Debug, Clone)]
pub(super) enum CommandPattern {
    /// These words, with anything after them.
    Prefix(String),
    /// The whole command.
    Exact(Option<Regex>),
}

impl CommandPattern {
    pub(super) fn new(pattern: &str) -> Self {
        match pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *")) {
            Some(prefix) if !prefix.contains('*') => Self::Prefix(prefix.trim_end().to_owned()),
            _ => Self::Exact(glob::compile_line(pattern)),
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
pub(super) fn matches(pattern: &CommandPattern, line: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(matches(&CommandPattern::new(pattern), line), wanted, "{pattern} {line}");
        }
    }
}
