//! What a user says about the rules of a pack, as words of a file.

use std::collections::BTreeMap;

use pintle_contract::suggest_or_list;

use crate::{PackDef, RuleSeverity};

/// What a user says about a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleSetting {
    /// Another severity; `Some(None)` switches the rule off.
    pub severity: Option<Option<RuleSeverity>>,
    /// Paths, hosts and branches that the rule lets through, as written or as an absolute path; `/**` at the end is
    /// everything below.
    pub allowed: Vec<String>,
}

/// What a user says about the rules of a pack, by their IDs.
pub type PackSettings = BTreeMap<String, RuleSetting>;

/// The words for severities in files.
pub const SEVERITY_WORDS: [(&str, Option<RuleSeverity>); 4] = [
    ("off", None),
    ("warn", Some(RuleSeverity::Warn)),
    ("ask", Some(RuleSeverity::Ask)),
    ("deny", Some(RuleSeverity::Deny)),
];

/// Adds what an argument says: `RULE=off`, `RULE=warn`, `RULE=ask`, `RULE=deny` or `RULE:allow=PATH`.
///
/// # Errors
/// If it says nothing of a rule of the pack.
pub fn add_setting(pack: &PackDef, settings: &mut PackSettings, argument: &str) -> Result<(), String> {
    let Some((rule, value)) = argument.split_once('=') else {
        return Err(format!("`{argument}` is not a setting of a rule; write `RULE=ask` or `RULE:allow=PATH`"));
    };
    let (rule, is_allowed) = match rule.strip_suffix(":allow") {
        Some(rule) => (rule, true),
        None => (rule, false),
    };
    if !pack.rules.iter().any(|known| known.id == rule) {
        let help = suggest_or_list(rule, pack.rules.iter().map(|rule| rule.id), "its rules:");
        return Err(format!("the pack `{}` has no rule `{rule}`; {help}", pack.name));
    }
    let setting = settings.entry(rule.to_owned()).or_default();
    if is_allowed {
        setting.allowed.push(value.to_owned());
        return Ok(());
    }
    let Some((_, severity)) = SEVERITY_WORDS.iter().find(|(word, _)| *word == value) else {
        let help = suggest_or_list(value, SEVERITY_WORDS.iter().map(|(word, _)| *word), "write");
        return Err(format!("`{value}` is not a severity; {help}"));
    };
    setting.severity = Some(*severity);
    Ok(())
}
