//! A call that was judged: what decided about it, and on which operations.

use pintle_bridge::HandledCall;
use pintle_host::contract::{EnforcementMode, HookDeclaration, Operation, VerdictKind};
use pintle_host::judge_call;
use pintle_host::packs::{PackFinding, PolicyRuleSpec, RuleSeverity, judge};
use pintle_host::tools::{commands_of, is_paused, operations_of};
use pintle_host::{Decision, Event, FailurePolicy};

use super::call_journal::{CalledHook, JudgedEvent};
use super::tool_call::TriedCall;
use crate::options::{ActivePack, is_same_place, policy_rules_of};

/// A call that was judged.
#[derive(Debug)]
pub(in crate::commands) struct JudgedCall {
    pub(in crate::commands) call: TriedCall,
    pub(in crate::commands) handled: HandledCall,
    /// Whether the agent was named.
    pub(in crate::commands) is_of_named_host: bool,
    pub(in crate::commands) events: Vec<JudgedEvent>,
    /// The packs that are on.
    pub(in crate::commands) packs: Vec<ActivePack>,
}

/// What made the verdict of a hook.
#[derive(Debug)]
pub(in crate::commands) enum DecidingPart<'j> {
    /// A rule of a pack.
    PackRule(&'j ActivePack, PackFinding<'j>),
    /// A rule of a user's own.
    OwnRule(Box<PolicyRuleSpec>),
    /// The hook as a whole.
    WholeHook,
}

impl DecidingPart<'_> {
    /// The name of the rule, if it is one.
    pub(in crate::commands) fn rule_name(&self) -> Option<String> {
        match self {
            Self::PackRule(_, finding) => Some(finding.rule_name()),
            Self::OwnRule(rule) => Some(rule.name.clone()),
            Self::WholeHook => None,
        }
    }
}

impl JudgedCall {
    pub(in crate::commands) fn decision(&self) -> Decision {
        self.handled.decision.decision
    }

    /// What the call would do, as the last event about it says; nothing if no event was fired.
    pub(super) fn operations(&self) -> &[Operation] {
        self.last_event().map_or(&[], operations_of)
    }

    /// The last event about the call.
    fn last_event(&self) -> Option<&Event> {
        let mut events = self.events.iter().rev().map(|judged| &judged.event);
        events.find(|event| event.name.def().is_about_tool_call())
    }

    /// The hooks whose verdict was the decision; none if it was not one of a hook.
    pub(in crate::commands) fn deciding_hooks(&self) -> Vec<&CalledHook> {
        let enforced = || {
            let calls = self.events.iter().flat_map(|judged| &judged.calls);
            calls.filter(|hook| hook.mode == EnforcementMode::Enforce)
        };
        let denies = |hook: &&CalledHook| matches!(hook.verdict.kind, VerdictKind::Deny { .. });
        let fails = |hook: &&CalledHook| {
            hook.on_failure == FailurePolicy::Closed && matches!(hook.verdict.kind, VerdictKind::Failed(_))
        };
        let asks = |hook: &&CalledHook| matches!(hook.verdict.kind, VerdictKind::Ask { .. });
        if self.decision() == Decision::Allow {
            return Vec::new();
        }
        let denying: Vec<&CalledHook> = enforced().filter(|hook| denies(hook) || fails(hook)).collect();
        if denying.is_empty() { enforced().filter(asks).collect() } else { denying }
    }

    /// Whether hooks ask and the agent cannot, so that the call is denied.
    pub(super) fn is_ask_denied(&self, deciding: &[&CalledHook]) -> bool {
        let asks = |hook: &&CalledHook| matches!(hook.verdict.kind, VerdictKind::Ask { .. });
        self.decision() == Decision::Deny && deciding.first().is_some_and(asks)
    }

    /// The pack of a hook.
    pub(super) fn pack_of(&self, hook: &CalledHook) -> Option<&ActivePack> {
        self.packs.iter().find(|active| active.is_hook(&hook.name) && is_same_place(&active.location, &hook.location))
    }

    /// What made the verdict of a hook: the rules of its pack or of its policy file, otherwise the hook as a whole.
    pub(in crate::commands) fn deciding_parts(&self, hook: &CalledHook) -> Vec<DecidingPart<'_>> {
        if let Some(active) = self.pack_of(hook) {
            let found = self.deciding_findings(active).into_iter();
            return found.map(|finding| DecidingPart::PackRule(active, finding)).collect();
        }
        let rules = self.deciding_rules(hook);
        if rules.is_empty() {
            return vec![DecidingPart::WholeHook];
        }
        rules.into_iter().map(|rule| DecidingPart::OwnRule(Box::new(rule))).collect()
    }

    /// The rules of a policy file that made the verdict of its hook: its reason names them.
    fn deciding_rules(&self, hook: &CalledHook) -> Vec<PolicyRuleSpec> {
        let (VerdictKind::Deny { reason } | VerdictKind::Ask { reason }) = &hook.verdict.kind else {
            return Vec::new();
        };
        let declarations = self.handled.built.iter().flat_map(pintle_host::LoadedRuntime::declarations);
        let is_it = |declared: &&HookDeclaration| {
            declared.name == hook.name && is_same_place(&declared.location, &hook.location)
        };
        let mut rules: Vec<PolicyRuleSpec> = declarations.filter(is_it).flat_map(policy_rules_of).collect();
        rules.retain(|rule| rule.severity.is_some() && reason.contains(&format!("[{}]", rule.name)));
        rules
    }

    /// What the rules of a pack's hook found, the rules that made its verdict first.
    pub(super) fn findings(&self, active: &ActivePack) -> Vec<PackFinding<'_>> {
        let is_paused = self.last_event().is_some_and(is_paused);
        let Some(event) = self.last_event() else { return Vec::new() };
        let mut found: Vec<PackFinding<'_>> = judge_call(event, operations_of(event), commands_of(event), |judged| {
            let found = judge(active.pack, &active.settings, judged);
            found.map(|finding| if is_paused { finding.in_pause() } else { finding }).collect()
        });
        found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        found
    }

    /// The findings that made the verdict of a pack's hook.
    fn deciding_findings(&self, active: &ActivePack) -> Vec<PackFinding<'_>> {
        let found = self.findings(active);
        let most = found.first().map(|finding| finding.severity);
        found.into_iter().filter(|finding| Some(finding.severity) == most).collect()
    }

    /// The findings that only warn, of packs that found nothing more severe.
    pub(super) fn warnings(&self) -> Vec<(&ActivePack, PackFinding<'_>)> {
        let of_pack = |active| self.deciding_findings(active).into_iter().map(move |finding| (active, finding));
        let all = self.packs.iter().flat_map(of_pack);
        all.filter(|(_, finding)| finding.severity == RuleSeverity::Warn).collect()
    }
}
