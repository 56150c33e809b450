//! Errors of arguments about packs.

use crate::UnknownPackError;

/// The reason why an argument says nothing about a pack or a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackSettingError {
    /// The arguments are empty.
    #[error("the name of the pack is missing; `pintle packs` lists them")]
    NoPack,
    /// No pack has the name.
    #[error(transparent)]
    UnknownPack(#[from] UnknownPackError),
    /// The argument does not have the form of a setting.
    #[error("`{argument}` is not a setting of a rule; write `RULE=ask` or `RULE:allow=PATH`")]
    InvalidForm {
        /// The argument as written.
        argument: String,
    },
    /// The pack does not have the rule.
    #[error("the pack `{pack}` has no rule `{rule}`; {help}")]
    UnknownRule {
        /// The name of the pack.
        pack: &'static str,
        /// The name that was given.
        rule: String,
        /// The nearest name, or all names.
        help: String,
    },
    /// An entry of `allow` can match nothing, or everything.
    #[error("`{value}` is not an entry of `allow`: {reason}")]
    InvalidAllow {
        /// The entry as written.
        value: String,
        /// What is wrong with it, and what to write.
        reason: String,
    },
    /// The value is not a severity.
    #[error("`{value}` is not a severity; {help}")]
    UnknownSeverity {
        /// The value as written.
        value: String,
        /// The nearest word, or all words.
        help: String,
    },
}
