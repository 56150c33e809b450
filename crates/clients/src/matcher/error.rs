//! Errors of patterns and conditions.

/// The reason why a pattern or condition is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientMatcherError {
    /// The pattern is not a valid regular expression.
    #[error("{reason}")]
    InvalidExpression {
        /// The last line of the parser's error text.
        reason: String,
    },
    /// The part of a condition in parentheses does not end.
    #[error("the closing `)` is missing")]
    UnclosedParenthesis,
    /// A condition does not begin with the name of a tool.
    #[error("it does not begin with a tool name")]
    NoToolName,
}

impl From<regex::Error> for ClientMatcherError {
    fn from(error: regex::Error) -> Self {
        let text = error.to_string();
        let line = text.lines().last().unwrap_or_default().trim();
        Self::InvalidExpression { reason: line.strip_prefix("error: ").unwrap_or(line).to_owned() }
    }
}
