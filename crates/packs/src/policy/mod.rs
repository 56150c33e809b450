//! Rules of a user's own: what `deny`, `ask`, `warn` and `allow` of policy files say.
//!
//! A rule is read from a file as a [`PolicyRuleSpec`], which is plain data, and compiled to a [`PolicyRule`]. It looks at the
//! same operations and commands as the rules of packs do.

mod command_pattern;
mod judge_call;
mod targets;

use std::path::Path;

use pintle_shell::{OperationKind, OperationTag};
use serde::{Deserialize, Serialize};

use self::command_pattern::RunPattern;
pub use self::judge_call::{PolicyFinding, RuleFit, RuledCall, judge_by_policy};
pub(crate) use self::judge_call::{is_allowed_call, is_allowed_operation, is_exempt};
use self::targets::{PLACE_WORDS, TargetKind, TargetPattern};
use crate::RuleSeverity;

/// A rule as a file says it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PolicyRuleSpec {
    /// The name, with the file's before it: `policy.npm-publish`.
    pub name: String,
    /// What it does; `None` lets through what other rules would stop.
    pub severity: Option<RuleSeverity>,
    /// What it is about.
    pub subject: RuleSubject,
    /// The tools that it is for, as patterns of their names; all if empty.
    pub tools: Vec<String>,
    /// The agents that it is for, such as `claude`; all if empty.
    pub agents: Vec<String>,
    /// Why, for the model; empty if the file does not say.
    pub reason: String,
    /// What to do instead, for the model; empty if the file does not say.
    pub instead: String,
    /// The line of the file where it begins, counted from 1.
    pub line: usize,
}

/// What a rule is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleSubject {
    /// Commands, as patterns such as `npm publish`.
    Run(Vec<String>),
    /// Every call of the tools.
    Call,
    /// Operations.
    Operation(OperationSubject),
}

impl Default for RuleSubject {
    fn default() -> Self {
        Self::Run(Vec::new())
    }
}

/// Which operations a rule is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OperationSubject {
    /// Their kinds.
    pub kinds: Vec<OperationKind>,
    /// Their meanings; any if empty.
    pub actions: Vec<String>,
    /// What they are done to: paths, hosts or other texts; anything if it and `inside` are empty.
    pub targets: Vec<String>,
    /// Places and paths that they are done in.
    pub inside: Vec<String>,
    /// Places and paths that they are not done in.
    pub outside: Vec<String>,
    /// What of this the rule is not about.
    pub except: Vec<String>,
    /// Tags that they have, all of them.
    pub tags: Vec<OperationTag>,
}

/// The words for what a rule may be about beside commands and tools, and the kinds of its operations.
pub const RULE_SUBJECTS: [(&str, &[OperationKind]); 23] = [
    ("read", &[OperationKind::Read]),
    ("write", &[OperationKind::Write]),
    ("delete", &[OperationKind::Delete]),
    ("move", &[OperationKind::Move]),
    ("path", &PATH_KINDS),
    ("change", &[OperationKind::Write, OperationKind::Delete, OperationKind::Move, OperationKind::Permission]),
    ("permission", &[OperationKind::Permission]),
    ("network", &[OperationKind::Download, OperationKind::Upload]),
    ("download", &[OperationKind::Download]),
    ("upload", &[OperationKind::Upload]),
    ("secret", &[OperationKind::Secret]),
    ("run_code", &[OperationKind::RunCode]),
    ("privilege", &[OperationKind::Privilege]),
    ("git", &[OperationKind::Git]),
    ("kill", &[OperationKind::Kill]),
    ("system", &[OperationKind::System]),
    ("container", &[OperationKind::Container]),
    ("kubernetes", &[OperationKind::Kubernetes]),
    ("cloud", &[OperationKind::Cloud]),
    ("database", &[OperationKind::Database]),
    ("terraform", &[OperationKind::Terraform]),
    ("package", &[OperationKind::Package]),
    ("ci", &[OperationKind::Ci]),
];

/// What is done to files.
const PATH_KINDS: [OperationKind; 5] =
    [OperationKind::Read, OperationKind::Write, OperationKind::Delete, OperationKind::Move, OperationKind::Permission];

impl OperationSubject {
    /// The word for its kinds.
    #[must_use]
    pub fn word(&self) -> &'static str {
        let subject = RULE_SUBJECTS.iter().find(|(_, kinds)| *kinds == self.kinds.as_slice());
        subject.map_or("operation", |(word, _)| word)
    }
}

/// A compiled rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRule {
    spec: PolicyRuleSpec,
    matcher: RuleMatcher,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum RuleMatcher {
    Run(Vec<RunPattern>),
    Call,
    Operation { targets: Vec<TargetPattern>, outside: Vec<TargetPattern>, except: Vec<TargetPattern> },
}

/// The reason why a rule cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {what}: {reason}")]
pub struct PolicyRuleError {
    /// The part of the rule as written.
    pub text: String,
    /// What it should be, with its article.
    pub what: &'static str,
    /// What is wrong with it, and what to write.
    pub reason: String,
}

impl PolicyRule {
    /// Compiles a rule. `home` is the home directory of the user, if it is known.
    ///
    /// # Errors
    /// If a part of it can match nothing, or an exception everything.
    pub fn compile(spec: PolicyRuleSpec, home: Option<&Path>) -> Result<Self, PolicyRuleError> {
        let is_exception = spec.severity.is_none();
        let error =
            |text: &str, what, reason: &str| PolicyRuleError { text: text.to_owned(), what, reason: reason.to_owned() };
        let is_open = |pattern: &String| pattern.chars().all(|letter| "*?".contains(letter));
        for (names, what) in [(&spec.tools, "the name of a tool"), (&spec.agents, "the name of an agent")] {
            if let Some(name) = names.iter().find(|name| name.trim().is_empty()) {
                return Err(error(name, what, "it is empty; write a name, or a pattern such as `mcp__github__*`"));
            }
        }
        let matcher = match &spec.subject {
            RuleSubject::Run(patterns) => {
                let parse = |text: &String| {
                    let pattern = RunPattern::parse(text).map_err(|reason| error(text, "a command", &reason))?;
                    if is_exception && pattern.is_open() {
                        let reason = "it would let every command through; name the program";
                        return Err(error(text, "a command", reason));
                    }
                    Ok(pattern)
                };
                RuleMatcher::Run(patterns.iter().map(parse).collect::<Result<_, _>>()?)
            }
            RuleSubject::Call => {
                if let Some(name) = spec.tools.iter().find(|name| is_exception && is_open(name)) {
                    let reason = "it would let every call through; name the tool";
                    return Err(error(name, "the name of a tool", reason));
                }
                RuleMatcher::Call
            }
            RuleSubject::Operation(subject) => compile_operation(subject, is_exception, home)?,
        };
        Ok(Self { spec, matcher })
    }

    /// The rule as the file says it.
    #[must_use]
    pub const fn spec(&self) -> &PolicyRuleSpec {
        &self.spec
    }

    /// Whether it looks at the commands of a call.
    #[must_use]
    pub const fn reads_commands(&self) -> bool {
        matches!(self.matcher, RuleMatcher::Run(_))
    }
}

fn compile_operation(
    subject: &OperationSubject,
    is_exception: bool,
    home: Option<&Path>,
) -> Result<RuleMatcher, PolicyRuleError> {
    let kind = subject.kinds.first().map_or(TargetKind::Text, |kind| TargetKind::from_kind(*kind));
    let what = match kind {
        TargetKind::Path => "a path",
        TargetKind::Host => "a host",
        TargetKind::Text => "a text",
    };
    let error = |text: &String, what, reason: String| PolicyRuleError { text: text.clone(), what, reason };
    let target = |text: &String| TargetPattern::parse(text, kind, home).map_err(|reason| error(text, what, reason));
    let place = |text: &String| {
        // A word that looks like a place is more likely a slip than the name of a file.
        let is_word = !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_lowercase());
        let is_place = PLACE_WORDS.contains(&text.as_str());
        if kind != TargetKind::Path {
            return Err(error(text, "a place", String::from("only what is done to files has a place; leave it out")));
        }
        if is_word && !is_place {
            let words = PLACE_WORDS.join("`, `");
            return Err(error(text, "a place", format!("write `{words}`, or a path with a slash, such as `./{text}`")));
        }
        TargetPattern::parse_place(text, home).map_err(|reason| error(text, "a place", reason))
    };
    let targets = subject.targets.iter().map(target).chain(subject.inside.iter().map(place));
    let targets: Vec<TargetPattern> = targets.collect::<Result<_, _>>()?;
    let outside: Vec<TargetPattern> = subject.outside.iter().map(place).collect::<Result<_, _>>()?;
    let except: Vec<TargetPattern> = subject.except.iter().map(target).collect::<Result<_, _>>()?;
    let is_narrow = !subject.actions.is_empty() || !subject.tags.is_empty() || !subject.outside.is_empty();
    if is_exception && !is_narrow && targets.iter().all(|target| *target == TargetPattern::Any) {
        let reason = String::from("it would let everything of its kind through; write paths, hosts or actions");
        return Err(error(&String::from("any"), what, reason));
    }
    if let Some(text) = subject.except.iter().find(|text| *text == "any") {
        return Err(error(text, what, String::from("nothing would be left for the rule; remove it")));
    }
    Ok(RuleMatcher::Operation { targets, outside, except })
}
