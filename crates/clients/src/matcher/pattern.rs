//! Subject patterns, by the rules that the clients document.

use regex::Regex;

use super::ClientMatcherError;

/// The syntax of a matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatcherSyntax {
    /// A string of letters, digits, `_`, `-`, `,`, `|` and spaces is a name or a list of names; any other is a regular
    /// expression that may match anywhere. Used by Claude Code.
    NamesOrExpression,
    /// A name, otherwise a regular expression that may match anywhere. Used by Qwen Code.
    NameThenExpression,
    /// A regular expression that may match anywhere. Used by Codex, Gemini CLI and Cursor.
    Expression,
    /// A regular expression that must match as a whole. Used by Copilot CLI.
    WholeExpression,
}

/// A pattern for subjects.
#[derive(Debug, Clone)]
pub struct SubjectPattern {
    text: String,
    meaning: PatternMeaning,
}

#[derive(Debug, Clone)]
enum PatternMeaning {
    Names(Vec<String>),
    Expression(Regex),
    NameOrExpression(Regex),
}

impl SubjectPattern {
    /// Parses a pattern; `None` matches everything.
    ///
    /// # Errors
    /// When it is not a valid regular expression.
    pub fn new(rule: MatcherSyntax, written: &str) -> Result<Option<Self>, ClientMatcherError> {
        if written.trim().is_empty() || written == "*" {
            return Ok(None);
        }
        let expression = |text: &str| Regex::new(text).map_err(ClientMatcherError::from);
        let means = match rule {
            MatcherSyntax::NamesOrExpression if written.chars().all(is_name_character) => {
                let names = written.split([',', '|']).map(str::trim).filter(|name| !name.is_empty());
                PatternMeaning::Names(names.map(str::to_owned).collect())
            }
            MatcherSyntax::NamesOrExpression | MatcherSyntax::Expression => {
                PatternMeaning::Expression(expression(written)?)
            }
            MatcherSyntax::NameThenExpression => match expression(written) {
                Ok(expression) => PatternMeaning::NameOrExpression(expression),
                // A name that is not a valid regular expression is still a name.
                Err(error) if written.contains(['(', '[', '{', '*', '+', '?', '\\']) => {
                    return Err(error);
                }
                Err(_) => PatternMeaning::Names(vec![written.to_owned()]),
            },
            MatcherSyntax::WholeExpression => PatternMeaning::Expression(expression(&format!("^(?:{written})$"))?),
        };
        Ok(Some(Self { text: written.to_owned(), meaning: means }))
    }

    /// Whether a subject matches.
    #[must_use]
    pub fn matches(&self, subject: &str) -> bool {
        match &self.meaning {
            PatternMeaning::Names(names) => names.iter().any(|name| name == subject),
            PatternMeaning::Expression(expression) => expression.is_match(subject),
            PatternMeaning::NameOrExpression(expression) => self.text == subject || expression.is_match(subject),
        }
    }

    /// The names of which it is a list; `None` for an expression.
    #[must_use]
    pub fn names(&self) -> Option<&[String]> {
        if let PatternMeaning::Names(names) = &self.meaning { Some(names) } else { None }
    }

    /// The pattern as its author wrote it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn is_name_character(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | ',' | '|' | ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches_subject(rule: MatcherSyntax, written: &str, subject: &str) -> Option<bool> {
        SubjectPattern::new(rule, written).ok().map(|pattern| pattern.is_none_or(|pattern| pattern.matches(subject)))
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
            assert_eq!(
                matches_subject(MatcherSyntax::NamesOrExpression, written, subject),
                wanted,
                "{written} {subject}"
            );
        }
    }

    #[test]
    fn other_agents_read_the_same_text_in_their_own_way() {
        for (rule, written, subject, wanted) in [
            (MatcherSyntax::Expression, "Bash", "BashOutput", Some(true)),
            (MatcherSyntax::Expression, "^Bash$", "BashOutput", Some(false)),
            (MatcherSyntax::Expression, "[", "Bash", None),
            (MatcherSyntax::WholeExpression, "bash|view", "view", Some(true)),
            (MatcherSyntax::WholeExpression, "bash", "bash_output", Some(false)),
            (MatcherSyntax::WholeExpression, "ba.*", "bash", Some(true)),
            (MatcherSyntax::WholeExpression, "*x", "x", None),
            (MatcherSyntax::NameThenExpression, "run_shell_command", "run_shell_command", Some(true)),
            (MatcherSyntax::NameThenExpression, "shell", "run_shell_command", Some(true)),
            (MatcherSyntax::NameThenExpression, "a(", "a(", None),
        ] {
            assert_eq!(matches_subject(rule, written, subject), wanted, "{rule:?} {written} {subject}");
        }
    }
}
