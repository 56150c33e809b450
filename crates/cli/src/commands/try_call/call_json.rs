//! What was decided about a call, as JSON.

use pintle_host::packs::{PackFinding, PolicyRuleSpec};
use pintle_host::tape::record::RecordedVerdict;
use serde_json::{Value, json};

use super::call_journal::{CalledHook, JudgedEvent};
use super::judged_call::{DecidingPart, JudgedCall};
use crate::options::ActivePack;
use crate::render::path_text;

impl JudgedCall {
    pub(super) fn to_json(&self) -> Value {
        let decided = &self.handled.decision;
        let answer = &self.handled.response;
        let decided_by: Vec<Value> =
            self.deciding_hooks().into_iter().flat_map(|hook| self.deciding_to_json(hook)).collect();
        let warnings = self.warnings();
        let response = json!({"stdout": answer.stdout, "stderr": answer.stderr, "exit_code": answer.exit_code});
        json!({
            "host": self.is_of_named_host.then_some(self.handled.host.name),
            "tool": self.call.tool,
            "call": {"name": self.call.native.name, "args": self.call.native.input},
            "decision": decided.decision,
            "approved": decided.is_approved,
            "decided_by": decided_by,
            "reason": decided.reason,
            "warnings": warnings.iter().map(|(active, found)| finding_to_json(active, found)).collect::<Vec<_>>(),
            "input": decided.input,
            "context": decided.context,
            "notices": decided.notices,
            "response": self.is_of_named_host.then_some(response),
            "operations": self.operations(),
            "hooks": self.events.iter().flat_map(|judged| self.calls_to_json(judged)).collect::<Vec<_>>(),
        })
    }

    fn deciding_to_json(&self, hook: &CalledHook) -> Vec<Value> {
        let part = |part: &DecidingPart<'_>| match part {
            DecidingPart::PackRule(active, finding) => finding_to_json(active, finding),
            DecidingPart::OwnRule(rule) => rule_to_json(hook, rule),
            DecidingPart::WholeHook => hook_to_json(hook),
        };
        self.deciding_parts(hook).iter().map(part).collect()
    }

    fn calls_to_json(&self, judged: &JudgedEvent) -> Vec<Value> {
        let call = |hook: &CalledHook| {
            let found = self.pack_of(hook).map(|active| (active, self.findings(active)));
            let rules = found.map(|(active, found)| {
                found.iter().map(|finding| finding_to_json(active, finding)).collect::<Vec<_>>()
            });
            json!({
                "event": judged.event.name,
                "hook": hook_to_json(hook),
                "verdict": RecordedVerdict::from(&hook.verdict),
                "mode": hook.mode,
                "rules": rules,
            })
        };
        judged.calls.iter().map(call).collect()
    }
}

fn hook_to_json(hook: &CalledHook) -> Value {
    json!({
        "hook": hook.name,
        "path": hook.location.path().map(path_text),
        "line": hook.location.line_column().map(|(line, _)| line),
    })
}

fn rule_to_json(hook: &CalledHook, rule: &PolicyRuleSpec) -> Value {
    json!({
        "hook": hook.name,
        "rule": rule.name,
        "severity": rule.severity,
        "path": hook.location.path().map(path_text),
        "line": rule.line,
        "reason": rule.reason,
        "instead": rule.instead,
    })
}

fn finding_to_json(active: &ActivePack, finding: &PackFinding<'_>) -> Value {
    json!({
        "hook": active.hook_name(),
        "rule": finding.rule_name(),
        "severity": finding.severity,
        "path": active.location.path().map(path_text),
        "line": active.location.line_column().map(|(line, _)| line),
        "reason": finding.reason(),
        "instead": finding.way_out(),
        "operation": finding.operation,
    })
}
