//! What a user says about the rules of a pack, as words of a file.

use std::collections::BTreeMap;

use pintle_contract::suggest_or_list;

use crate::{
    AllowedTarget, PackDef, PolicyRule, PolicyRuleError, PolicyRuleSpec, RuleDef, RuleSeverity, UnknownPackError,
    pack_by_name,
};

/// What a user says about a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleSetting {
    /// Another severity; `Some(None)` switches the rule off.
    pub severity: Option<Option<RuleSeverity>>,
    /// Paths, hosts and branches that the rule lets through.
    pub allowed: Vec<AllowedTarget>,
}

impl RuleDef {
    /// What it does under what a user says about it; `None` if it is off.
    #[must_use]
    pub fn severity_under(&self, setting: Option<&RuleSetting>) -> Option<RuleSeverity> {
        setting.and_then(|setting| setting.severity).unwrap_or(Some(self.severity))
    }
}

/// What a user says about a pack.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackSettings {
    /// What is said about its rules, by their IDs.
    pub rules: BTreeMap<String, RuleSetting>,
    /// What the policy files of the same directory let through.
    pub allowed: Vec<PolicyRule>,
}

/// The words for severities in files.
pub const SEVERITY_WORDS: [(&str, Option<RuleSeverity>); 4] = [
    ("off", None),
    ("warn", Some(RuleSeverity::Warn)),
    ("ask", Some(RuleSeverity::Ask)),
    ("deny", Some(RuleSeverity::Deny)),
];

/// Reads the arguments of the built-in `pack`: the name of the pack, then what the user says about its rules.
///
/// # Errors
/// If the pack is not known, or an argument says nothing of a rule of it.
pub fn read_arguments(arguments: &[String]) -> Result<(&'static PackDef, PackSettings), PackSettingError> {
    let Some((name, rest)) = arguments.split_first() else {
        return Err(PackSettingError::NoPack);
    };
    let pack = pack_by_name(name)?;
    let mut settings = PackSettings::default();
    for argument in rest {
        add_setting(pack, &mut settings, argument)?;
    }
    Ok((pack, settings))
}

/// The argument with an exception: a [`PolicyRuleSpec`] as JSON.
pub const EXCEPTION_ARGUMENT: &str = "except=";

/// Adds what an argument says: `RULE=off`, `RULE=warn`, `RULE=ask`, `RULE=deny`, `RULE:allow=PATH`, or `except=` with an
/// exception as JSON.
///
/// # Errors
/// If it says nothing of a rule of the pack.
pub fn add_setting(pack: &PackDef, settings: &mut PackSettings, argument: &str) -> Result<(), PackSettingError> {
    if let Some(exception) = argument.strip_prefix(EXCEPTION_ARGUMENT) {
        settings.allowed.push(read_policy_rule(exception)?);
        return Ok(());
    }
    let Some((rule, value)) = argument.split_once('=') else {
        return Err(PackSettingError::InvalidForm { argument: argument.to_owned() });
    };
    let (rule, is_allowed) = match rule.strip_suffix(":allow") {
        Some(rule) => (rule, true),
        None => (rule, false),
    };
    if !pack.rules.iter().any(|known| known.id == rule) {
        let help = suggest_or_list(rule, pack.rules.iter().map(|rule| rule.id), "its rules:");
        return Err(PackSettingError::UnknownRule { pack: pack.name, rule: rule.to_owned(), help });
    }
    let setting = settings.rules.entry(rule.to_owned()).or_default();
    if is_allowed {
        let home = pintle_files::home_dir();
        let allowed = AllowedTarget::parse(value, home.as_deref())
            .map_err(|reason| PackSettingError::InvalidAllow { value: value.to_owned(), reason })?;
        setting.allowed.push(allowed);
        return Ok(());
    }
    let Some((_, severity)) = SEVERITY_WORDS.iter().find(|(word, _)| *word == value) else {
        let help = suggest_or_list(value, SEVERITY_WORDS.iter().map(|(word, _)| *word), "write");
        return Err(PackSettingError::UnknownSeverity { value: value.to_owned(), help });
    };
    setting.severity = Some(*severity);
    Ok(())
}

/// Reads a rule of a user's own, as JSON of a [`PolicyRuleSpec`].
///
/// # Errors
/// If it is none, or cannot be compiled.
pub fn read_policy_rule(argument: &str) -> Result<PolicyRule, PackSettingError> {
    let spec: PolicyRuleSpec =
        serde_json::from_str(argument).map_err(|error| PackSettingError::InvalidRule { reason: error.to_string() })?;
    Ok(PolicyRule::compile(spec, pintle_files::home_dir().as_deref())?)
}

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
    /// The argument is not a rule as JSON.
    #[error("the rule is not valid: {reason}; write it in `policy.yaml`")]
    InvalidRule {
        /// What is wrong with it.
        reason: String,
    },
    /// The rule cannot be compiled.
    #[error(transparent)]
    RuleError(#[from] PolicyRuleError),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_allow_that_can_match_nothing_is_an_error() {
        let pack = pack_by_name("shell").unwrap();
        let add = |argument: &str| add_setting(pack, &mut PackSettings::default(), argument);
        for entry in ["/opt/build", "~/scratch/**", "$HOME/x", "origin", "*.example.com"] {
            assert_eq!(add(&format!("delete-outside:allow={entry}")), Ok(()), "{entry}");
        }
        for entry in ["", " ", "*", "/opt/../x", "~eve/x"] {
            let error = add(&format!("delete-outside:allow={entry}")).unwrap_err().to_string();
            assert!(error.contains("is not an entry of `allow`") && error.contains("write"), "{error}");
        }
    }
}
