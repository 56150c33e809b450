//! Compares a call with the rules of a user's own.

use pintle_contract::CallCommand;
use pintle_shell::{Operation, OperationKind, OperationTag, runs_unknown};
use serde_json::Value;

use super::{PolicyRule, RuleMatcher, RuleSubject};
use crate::RuleSeverity;
use crate::facts::{FoundFacts, as_code, render_message};
use crate::glob::matches_part;

/// What rules see of a call.
#[derive(Clone, Copy)]
pub struct RuledCall<'o, 'c> {
    /// What the call would do.
    pub operations: &'o [Operation],
    /// The commands that it runs; empty if no rule reads them.
    pub commands: &'o [CallCommand],
    /// The name of its tool.
    pub tool_name: &'c str,
    /// The names of the tool in other agents, as texts.
    pub other_names: &'c [Value],
    /// The agent that makes it, such as `claude`.
    pub agent: &'c str,
    /// The absolute path of the project.
    pub project: &'c str,
    /// Whether its command line runs nothing but these commands as they are written.
    pub is_plain: &'c dyn Fn() -> bool,
}

impl<'o> RuledCall<'o, '_> {
    /// A call of which only the operations are known.
    #[must_use]
    pub fn of_operations(operations: &'o [Operation]) -> Self {
        Self { operations, commands: &[], tool_name: "", other_names: &[], agent: "", project: "", is_plain: &|| false }
    }
}

impl<'c> RuledCall<'_, 'c> {
    fn names(&self) -> impl Iterator<Item = &'c str> {
        std::iter::once(self.tool_name).chain(self.other_names.iter().filter_map(Value::as_str))
    }
}

/// How a rule fits a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleFit {
    /// Not at all.
    No,
    /// It may: a part of the call cannot be known.
    Possible,
    /// It does.
    Certain,
}

/// A rule of a user's own that found something.
#[derive(Debug, Clone, Copy)]
pub struct PolicyFinding<'r> {
    /// The rule.
    pub rule: &'r PolicyRule,
    /// What it does: what may be denied is asked.
    pub severity: RuleSeverity,
    fit: RuleFit,
    found: FoundPart<'r>,
}

/// The part of a call that a rule found.
#[derive(Debug, Clone, Copy)]
enum FoundPart<'c> {
    Call(&'c str),
    Command(&'c CallCommand),
    Operation(&'c Operation),
}

/// The findings of rules, at most one for each, in their order. `allowed` are the exceptions of the same files.
#[must_use]
pub fn judge_by_policy<'r>(
    rules: &'r [PolicyRule],
    allowed: &[PolicyRule],
    call: &RuledCall<'r, 'r>,
) -> Vec<PolicyFinding<'r>> {
    if rules.is_empty() || is_allowed_call(allowed, call) {
        return Vec::new();
    }
    let find = |rule: &'r PolicyRule| {
        let severity = rule.spec.severity?;
        let (fit, found) = rule.find(allowed, call)?;
        let severity = if fit == RuleFit::Possible { severity.min(RuleSeverity::Ask) } else { severity };
        Some(PolicyFinding { rule, severity, fit, found })
    };
    rules.iter().filter_map(find).collect()
}

/// Whether exceptions let a call through as a whole: its tool, or each of its commands.
pub(crate) fn is_allowed_call(allowed: &[PolicyRule], call: &RuledCall<'_, '_>) -> bool {
    let mut for_call = allowed.iter().filter(|rule| rule.is_for(call));
    if for_call.clone().any(|rule| matches!(rule.matcher, RuleMatcher::Call)) {
        return true;
    }
    // What a script runs belongs to the command that runs the script.
    let mut commands = call.commands.iter().filter(|command| command.file.is_none()).peekable();
    commands.peek().is_some()
        && for_call.any(PolicyRule::reads_commands)
        && commands.all(|command| {
            let covers = |rule: &PolicyRule| match &rule.matcher {
                RuleMatcher::Run(patterns) => patterns.iter().any(|pattern| pattern.covers(command)),
                _ => false,
            };
            allowed.iter().any(|rule| rule.is_for(call) && covers(rule))
        })
        && (call.is_plain)()
}

/// Whether an exception covers what an operation does.
pub(crate) fn is_allowed_operation(allowed: &[PolicyRule], operation: &Operation, call: &RuledCall<'_, '_>) -> bool {
    allowed.iter().any(|rule| match (&rule.spec.subject, &rule.matcher) {
        (RuleSubject::Operation(subject), RuleMatcher::Operation { targets, outside, except }) => {
            let is_target = targets.is_empty() || targets.iter().any(|target| target.covers(operation, call.project));
            let is_excepted = || {
                let fits = outside.iter().chain(except).map(|except| except.fit(operation, call.project));
                fits.max().unwrap_or(RuleFit::No) != RuleFit::No
            };
            rule.is_for(call) && subject.is_of_kind(operation) && is_target && !is_excepted()
        }
        _ => false,
    })
}

impl super::OperationSubject {
    fn is_of_kind(&self, operation: &Operation) -> bool {
        self.kinds.contains(&operation.kind)
            && (self.actions.is_empty() || self.actions.contains(&operation.action))
            && self.tags.iter().all(|tag| operation.has(*tag))
    }
}

impl PolicyRule {
    /// Whether the rule is for the tool and the agent of a call.
    fn is_for(&self, call: &RuledCall<'_, '_>) -> bool {
        let fits = |pattern: &String, name: &str| matches_part(pattern.as_bytes(), name.as_bytes());
        let tools = &self.spec.tools;
        let is_tool = || tools.iter().any(|tool| call.names().any(|name| fits(tool, name)));
        let agents = &self.spec.agents;
        (tools.is_empty() || is_tool()) && (agents.is_empty() || agents.iter().any(|agent| fits(agent, call.agent)))
    }

    /// What the rule finds in a call, the most certain first.
    fn find<'c>(&self, allowed: &[Self], call: &RuledCall<'c, 'c>) -> Option<(RuleFit, FoundPart<'c>)> {
        if !self.is_for(call) {
            return None;
        }
        let mut found: Vec<(RuleFit, FoundPart<'c>)> = match (&self.spec.subject, &self.matcher) {
            (_, RuleMatcher::Call) => vec![(RuleFit::Certain, FoundPart::Call(call.tool_name))],
            (_, RuleMatcher::Run(patterns)) => {
                let fit = |command: &CallCommand| patterns.iter().map(|pattern| pattern.fit(command)).max();
                let fit = |command| Some((fit(command)?, FoundPart::Command(command)));
                call.commands.iter().filter_map(fit).collect()
            }
            (RuleSubject::Operation(subject), RuleMatcher::Operation { targets, outside, except }) => {
                let fit = |operation: &Operation| {
                    let fits = targets.iter().map(|target| target.fit(operation, call.project));
                    // Without targets, the rule is about all operations of its kinds.
                    let mut fit = fits.max().unwrap_or(RuleFit::Certain);
                    for place in outside {
                        match place.holds(operation, call.project) {
                            RuleFit::Certain => return None,
                            RuleFit::Possible => fit = fit.min(RuleFit::Possible),
                            RuleFit::No => {}
                        }
                    }
                    for except in except {
                        if except.covers(operation, call.project) {
                            return None;
                        }
                        if except.fit(operation, call.project) != RuleFit::No {
                            fit = fit.min(RuleFit::Possible);
                        }
                    }
                    Some(fit)
                };
                let operations = call.operations.iter().filter(|operation| {
                    subject.is_of_kind(operation) && !is_allowed_operation(allowed, operation, call)
                });
                operations.filter_map(|operation| Some((fit(operation)?, FoundPart::Operation(operation)))).collect()
            }
            _ => Vec::new(),
        };
        // A call of which something cannot be known may do what is denied.
        if self.spec.severity == Some(RuleSeverity::Deny) && !matches!(self.matcher, RuleMatcher::Call) {
            let unknown =
                call.operations.iter().filter(|operation| operation.file.is_none() && runs_unknown(operation));
            found.extend(unknown.map(|operation| (RuleFit::Possible, FoundPart::Operation(operation))));
        }
        // Of equals, the first.
        found.into_iter().filter(|(fit, _)| *fit != RuleFit::No).rev().max_by_key(|(fit, _)| *fit)
    }
}

impl PolicyFinding<'_> {
    /// Why the rule objects, in general.
    #[must_use]
    pub fn reason(&self) -> String {
        let spec = &self.rule.spec;
        let reason = match (spec.reason.as_str(), &spec.subject, spec.severity) {
            ("", RuleSubject::Run(_), Some(RuleSeverity::Deny)) => "the policy does not allow this command",
            ("", RuleSubject::Run(_), _) => "the policy wants this command confirmed",
            ("", RuleSubject::Call, Some(RuleSeverity::Deny)) => "the policy does not allow this tool",
            ("", RuleSubject::Call, _) => "the policy wants this tool confirmed",
            ("", RuleSubject::Operation(_), Some(RuleSeverity::Deny)) => "the policy does not allow this",
            ("", RuleSubject::Operation(_), _) => "the policy wants this confirmed",
            (reason, ..) => reason.trim().trim_end_matches('.'),
        };
        match self.fit {
            RuleFit::Certain => reason.to_owned(),
            _ => format!("a part of the call cannot be known, and it may be this: {reason}"),
        }
    }

    /// What the model is told.
    #[must_use]
    pub fn message(&self) -> String {
        let facts = match self.found {
            FoundPart::Call(name) => as_code(name),
            FoundPart::Command(command) => {
                let line = as_code(&command.words.join(" "));
                FoundFacts::in_file(line, command.file.as_deref(), command.line)
            }
            FoundPart::Operation(operation) => FoundFacts { operation, operations: &[] }.text(),
        };
        render_message(&self.reason(), &facts, &self.rule.spec.instead, &self.rule.spec.name)
    }

    /// The operation that it found, if it is one.
    #[must_use]
    pub const fn operation(&self) -> Option<&Operation> {
        match self.found {
            FoundPart::Operation(operation) => Some(operation),
            FoundPart::Call(_) | FoundPart::Command(_) => None,
        }
    }
}

/// Whether exceptions reach an operation: what guards Pintle and the agents' settings is never let through by them.
pub(crate) fn is_exempt(operation: &Operation) -> bool {
    operation.kind != OperationKind::Guard
        && ![OperationTag::Pintle, OperationTag::AgentSettings].iter().any(|tag| operation.has(*tag))
}
