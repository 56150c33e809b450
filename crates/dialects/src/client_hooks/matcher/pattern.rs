//! Patterns of subjects, by the rules that the agents document.

use regex::Regex;

/// How a matcher is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Letters, digits, `_`, `-`, `,`, `|` and blanks are a name or a list of names; anything else is an expression that
    /// may match anywhere (agents' hook contracts, Claude Code).
    NamesOrExpression,
    /// The name, or else an expression that may match anywhere (Qwen Code).
    NameThenExpression,
    /// An expression that may match anywhere (Codex, Gemini CLI, Cursor).
    Expression,
    /// An expression that has to match as a whole (Copilot CLI).
    WholeExpression,
}

/// A pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    written: String,
    means: Means,
}

#[derive(Debug, Clone)]
enum Means {
    Names(Vec<String>),
    Expression(Regex),
    NameOr(Regex),
}

impl Pattern {
    /// Reads a pattern; `None` is one that everything matches.
    ///
    /// # Errors
    /// When it is no expression; the text says why.
    pub fn new(rule: Rule, written: &str) -> Result<Option<Self>, String> {
        if written.trim().is_empty() || written == "*" {
            return Ok(None);
        }
        let expression = |text: &str| Regex::new(text).map_err(|fault| reason(&fault));
        let means = match rule {
            Rule::NamesOrExpression if written.chars().all(is_plain) => {
                let names = written.split([',', '|']).map(str::trim).filter(|name| !name.is_empty());
                Means::Names(names.map(str::to_owned).collect())
            }
            Rule::NamesOrExpression | Rule::Expression => Means::Expression(expression(written)?),
            Rule::NameThenExpression => match expression(written) {
                Ok(expression) => Means::NameOr(expression),
                // A name that happens to be no expression is a name all the same.
                Err(fault) if written.contains(['(', '[', '{', '*', '+', '?', '\\']) => return Err(fault),
                Err(_) => Means::Names(vec![written.to_owned()]),
            },
            Rule::WholeExpression => Means::Expression(expression(&format!("^(?:{written})$"))?),
        };
        Ok(Some(Self { written: written.to_owned(), means }))
    }

    /// Whether a subject matches.
    #[must_use]
    pub fn matches(&self, subject: &str) -> bool {
        match &self.means {
            Means::Names(names) => names.iter().any(|name| name == subject),
            Means::Expression(expression) => expression.is_match(subject),
            Means::NameOr(expression) => self.written == subject || expression.is_match(subject),
        }
    }

    /// The pattern as its author wrote it.
    #[must_use]
    pub fn written(&self) -> &str {
        &self.written
    }
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | ',' | '|' | ' ')
}

/// The last line of a fault, which says what is wrong.
fn reason(fault: &regex::Error) -> String {
    let text = fault.to_string();
    let line = text.lines().last().unwrap_or_default().trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(rule: Rule, written: &str, subject: &str) -> Option<bool> {
        Pattern::new(rule, written).ok().map(|pattern| pattern.is_none_or(|pattern| pattern.matches(subject)))
    }

    #[test]
    fn a_matcher_is_a_name_a_list_or_an_expression_by_its_letters() {
        for (written, subject, wanted) in [
            ("", "Bash", Some(true)),
            ("*", "Bash", Some(true)),
            ("Bash", "Bash", Some(true)),
            ("Bash", "bash", Some(false)),
            ("Bash", "BashOutput", Some(false)),
            ("Edit|Write", "Write", Some(true)),
            ("Edit, Write", "Write", Some(true)),
            ("Edit|Write", "MultiEdit", Some(false)),
            ("mcp__memory__.*", "mcp__memory__read", Some(true)),
            ("mcp__memory", "mcp__memory__read", Some(false)),
            ("Edit.*", "NotebookEdit", Some(true)),
            ("^Edit$", "MultiEdit", Some(false)),
            ("Notebook.*|Bash", "xBash", Some(true)),
            ("(", "Bash", None),
            ("^(?!Bash)", "Read", None),
        ] {
            assert_eq!(matches(Rule::NamesOrExpression, written, subject), wanted, "{written} {subject}");
        }
    }

    #[test]
    fn other_agents_read_the_same_text_in_their_own_way() {
        for (rule, written, subject, wanted) in [
            (Rule::Expression, "Bash", "BashOutput", Some(true)),
            (Rule::Expression, "^Bash$", "BashOutput", Some(false)),
            (Rule::Expression, "[", "Bash", None),
            (Rule::WholeExpression, "bash|view", "view", Some(true)),
            (Rule::WholeExpression, "bash", "bash_output", Some(false)),
            (Rule::WholeExpression, "ba.*", "bash", Some(true)),
            (Rule::WholeExpression, "*x", "x", None),
            (Rule::NameThenExpression, "run_shell_command", "run_shell_command", Some(true)),
            (Rule::NameThenExpression, "shell", "run_shell_command", Some(true)),
            (Rule::NameThenExpression, "a(", "a(", None),
        ] {
            assert_eq!(matches(rule, written, subject), wanted, "{rule:?} {written} {subject}");
        }
    }
}
