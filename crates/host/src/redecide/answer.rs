//! What a set of hooks decides about one call or another event, and how two such answers differ.

use pintle_contract::{Decision, EventKind, Outcome, OutcomeReason};
use pintle_tape::decisions::{join_reasons, rule_of_reason};
use serde::Serialize;
use serde_json::{Value, json};

/// What hooks decide, from the least to the most restrictive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyResult {
    /// A hook allows the call explicitly, so that the agent does not ask its user.
    Approved,
    /// No hook objects.
    Allowed,
    /// It is allowed with what a hook changed.
    Rewritten,
    /// The user is asked.
    Asked,
    /// It is denied.
    Denied,
}

impl PolicyResult {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Allowed => "allowed",
            Self::Rewritten => "rewritten",
            Self::Asked => "asked",
            Self::Denied => "denied",
        }
    }
}

/// In which direction an answer differs from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeDirection {
    /// It restricts less.
    Looser,
    /// Both rewrite, but not to the same.
    Other,
    /// It restricts more.
    Stricter,
}

impl ChangeDirection {
    /// The direction from one result to another.
    #[must_use]
    pub fn between(before: PolicyResult, after: PolicyResult) -> Self {
        match after.cmp(&before) {
            std::cmp::Ordering::Less => Self::Looser,
            std::cmp::Ordering::Equal => Self::Other,
            std::cmp::Ordering::Greater => Self::Stricter,
        }
    }
}

/// What a set of hooks decides about one call or another event.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyAnswer {
    /// The result.
    pub result: PolicyResult,
    /// The hook that decided; `None` if none did.
    pub hook: Option<String>,
    /// The rule of a pack that decided, such as `git.force-push`.
    pub rule: Option<String>,
    /// Why; empty if no hook said it.
    pub reason: String,
    /// What the hooks left, if they changed it: the name and arguments of a tool call, otherwise the payload.
    pub rewritten: Option<Value>,
}

impl PolicyAnswer {
    /// The answer of hooks that do not object.
    #[must_use]
    pub fn allowed() -> Self {
        Self { result: PolicyResult::Allowed, hook: None, rule: None, reason: String::new(), rewritten: None }
    }

    /// Whether another answer lets the same happen.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.result == other.result && (self.result != PolicyResult::Rewritten || self.rewritten == other.rewritten)
    }
}

/// What an outcome says, computed or recorded.
#[derive(Debug)]
pub(super) struct OutcomeView<'o> {
    pub(super) decision: Decision,
    /// Whether hooks ask, whatever the user answered.
    pub(super) is_asked: bool,
    pub(super) is_approved: bool,
    /// The final payload, if hooks changed it.
    pub(super) rewritten: Option<&'o Value>,
    pub(super) reasons: &'o [OutcomeReason],
    /// The hook whose failure denies, with what failed.
    pub(super) failure: Option<(String, String)>,
    /// The hook that changed the payload.
    pub(super) changed_by: Option<String>,
}

impl<'o> OutcomeView<'o> {
    pub(super) fn new(outcome: &'o Outcome, changed_by: Option<String>) -> Self {
        let closed = outcome.failures.iter().find(|report| report.policy == pintle_contract::FailurePolicy::Closed);
        Self {
            decision: outcome.decision,
            is_asked: outcome.decision == Decision::Ask,
            is_approved: outcome.approved,
            rewritten: outcome.rewritten.then(|| outcome.payload.value()),
            reasons: &outcome.reasons,
            failure: closed.map(|report| (report.hook.to_string(), report.failure.message.clone())),
            changed_by,
        }
    }

    fn deciding_hook(&self) -> DecidingHook {
        let reason = self.reasons.first();
        let failed = self.failure.as_ref();
        DecidingHook {
            hook: reason.map(|reason| reason.hook.to_string()).or_else(|| failed.map(|(hook, _)| hook.clone())),
            rule: reason.and_then(rule_of_reason).map(str::to_owned),
            reason: match reason {
                Some(_) => join_reasons(self.reasons),
                None => failed.map(|(_, message)| message.clone()).unwrap_or_default(),
            },
        }
    }
}

/// Who decided, and why.
#[derive(Debug, Clone)]
struct DecidingHook {
    hook: Option<String>,
    rule: Option<String>,
    reason: String,
}

/// Combines the outcomes of the events about one thing into an answer.
#[derive(Debug)]
pub(super) struct AnswerBuilder {
    /// The first event.
    first: EventKind,
    denied: Option<DecidingHook>,
    /// The open asks, and whether a guard's.
    asks: Vec<(bool, DecidingHook)>,
    approved: Option<DecidingHook>,
    changed_by: Option<String>,
    rewritten: Option<Value>,
}

impl AnswerBuilder {
    pub(super) fn new(first: EventKind) -> Self {
        Self { first, denied: None, asks: Vec::new(), approved: None, changed_by: None, rewritten: None }
    }

    pub(super) fn is_denied(&self) -> bool {
        self.denied.is_some()
    }

    pub(super) fn is_rewritten(&self) -> bool {
        self.rewritten.is_some()
    }

    pub(super) fn has_asks(&self) -> bool {
        !self.asks.is_empty()
    }

    /// Forgets the open asks of an earlier round.
    pub(super) fn begin_round(&mut self) {
        self.asks.clear();
    }

    /// Denies for a reason that is not a hook's.
    pub(super) fn deny(&mut self, hook: &str, reason: String) {
        self.denied = Some(DecidingHook { hook: Some(hook.to_owned()), rule: None, reason });
    }

    /// Adds the outcome of an event.
    pub(super) fn add(&mut self, kind: EventKind, outcome: &OutcomeView<'_>) {
        let is_allowed = outcome.decision == Decision::Allow && !outcome.is_asked;
        if outcome.decision == Decision::Deny && !outcome.is_asked {
            self.denied = Some(outcome.deciding_hook());
            return;
        }
        match kind {
            // The user is asked anyway.
            EventKind::PermissionAsk if is_allowed && outcome.is_approved => {
                self.asks.retain(|(is_guard, _)| *is_guard);
                self.approved = Some(outcome.deciding_hook());
            }
            EventKind::PermissionAsk => {}
            _ if outcome.is_asked => self.asks.push((kind == EventKind::ToolGuard, outcome.deciding_hook())),
            EventKind::ToolPre => {
                self.approved = (is_allowed && outcome.is_approved).then(|| outcome.deciding_hook());
            }
            _ => {}
        }
        if let Some(payload) = outcome.rewritten {
            self.changed_by = self.changed_by.take().or_else(|| outcome.changed_by.clone());
            self.rewritten = Some(match kind.def().is_about_tool_call() && kind != EventKind::ToolPost {
                true => json!({"name": payload.get("name"), "args": payload.get("args")}),
                false => payload.clone(),
            });
        }
    }

    /// The answer.
    pub(super) fn finish(self) -> PolicyAnswer {
        let Self { first, denied, asks, approved, changed_by, rewritten } = self;
        let answer = |result, decider: Option<DecidingHook>, rewritten| {
            let DecidingHook { hook, rule, reason } =
                decider.unwrap_or(DecidingHook { hook: None, rule: None, reason: String::new() });
            PolicyAnswer { result, hook, rule, reason, rewritten }
        };
        if denied.is_some() {
            return answer(PolicyResult::Denied, denied, None);
        }
        if let Some((_, ask)) = asks.into_iter().next() {
            return answer(PolicyResult::Asked, Some(ask), rewritten);
        }
        if rewritten.is_some() {
            let decider = DecidingHook { hook: changed_by, rule: None, reason: String::new() };
            return answer(PolicyResult::Rewritten, Some(decider), rewritten);
        }
        match (approved, first) {
            (Some(decider), EventKind::ToolPre | EventKind::ToolGuard | EventKind::ToolTransform) => {
                answer(PolicyResult::Approved, Some(decider), None)
            }
            (Some(decider), EventKind::PermissionAsk) => answer(PolicyResult::Approved, Some(decider), None),
            // The event says that the user is about to be asked.
            (None, EventKind::PermissionAsk) => answer(PolicyResult::Asked, None, None),
            _ => PolicyAnswer::allowed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use pintle_contract::HookId;

    use super::*;

    /// Events with the words of their outcomes, the result, and the hook that decides.
    type AnswerCase = (&'static [(EventKind, &'static str)], PolicyResult, Option<&'static str>);

    /// An outcome, from a word and the hook that says it.
    fn add(answer: &mut AnswerBuilder, kind: EventKind, word: &str) {
        let payload = json!({"name": "shell", "args": {"cmd": word}, "cwd": "/p"});
        let reasons = [OutcomeReason::new(HookId::new(format!("{word} at {kind}")), "why")];
        let outcome = OutcomeView {
            decision: if word == "deny" { Decision::Deny } else { Decision::Allow },
            is_asked: word == "ask",
            is_approved: word == "approve",
            rewritten: (word == "rewrite").then_some(&payload),
            reasons: if word == "allow" { &[] } else { &reasons },
            failure: None,
            changed_by: (word == "rewrite").then(|| String::from("rewriter")),
        };
        answer.add(kind, &outcome);
    }

    #[test]
    fn the_events_about_a_call_have_one_answer() {
        use EventKind::{PermissionAsk, PromptSubmit, ToolGuard, ToolPre, ToolTransform};
        use PolicyResult::{Allowed, Approved, Asked, Denied, Rewritten};
        let cases: [AnswerCase; 13] = [
            (&[(ToolPre, "allow")], Allowed, None),
            (&[(ToolPre, "approve")], Approved, Some("approve at tool.pre")),
            (&[(ToolGuard, "ask"), (ToolPre, "approve")], Asked, Some("ask at tool.guard")),
            (&[(ToolGuard, "deny")], Denied, Some("deny at tool.guard")),
            (&[(ToolTransform, "rewrite"), (ToolPre, "allow")], Rewritten, Some("rewriter")),
            (&[(ToolPre, "rewrite"), (ToolGuard, "deny")], Denied, Some("deny at tool.guard")),
            // Hooks may answer for the user, but not what a guard asks.
            (&[(ToolPre, "ask"), (PermissionAsk, "approve")], Approved, Some("approve at permission.ask")),
            (&[(ToolGuard, "ask"), (PermissionAsk, "approve")], Asked, Some("ask at tool.guard")),
            (&[(ToolPre, "ask"), (PermissionAsk, "deny")], Denied, Some("deny at permission.ask")),
            // The agent is about to ask its user.
            (&[(PermissionAsk, "allow")], Asked, None),
            (&[(PermissionAsk, "ask")], Asked, None),
            (&[(PermissionAsk, "approve")], Approved, Some("approve at permission.ask")),
            (&[(PromptSubmit, "approve")], Allowed, None),
        ];
        for (events, result, hook) in cases {
            let mut answer = AnswerBuilder::new(events.first().unwrap().0);
            events.iter().for_each(|(kind, word)| add(&mut answer, *kind, word));
            let answer = answer.finish();
            assert_eq!((answer.result, answer.hook.as_deref()), (result, hook), "{events:?}");
        }
    }

    #[test]
    fn an_answer_is_the_same_if_the_same_happens() {
        let rewritten = |word: &str| {
            let mut answer = AnswerBuilder::new(EventKind::ToolPre);
            let payload = json!({"name": "shell", "args": {"cmd": word}, "operations": [word.len()]});
            let view = OutcomeView {
                decision: Decision::Allow,
                is_asked: false,
                is_approved: false,
                rewritten: Some(&payload),
                reasons: &[],
                failure: None,
                changed_by: Some(word.to_owned()),
            };
            answer.add(EventKind::ToolPre, &view);
            answer.finish()
        };
        assert!(rewritten("a").is_same_as(&rewritten("a")) && !rewritten("a").is_same_as(&rewritten("b")));
        assert!(!PolicyAnswer::allowed().is_same_as(&rewritten("a")));
        let directions =
            [(PolicyResult::Denied, PolicyResult::Asked), (PolicyResult::Allowed, PolicyResult::Rewritten)]
                .map(|(before, after)| ChangeDirection::between(before, after));
        assert_eq!(directions, [ChangeDirection::Looser, ChangeDirection::Stricter]);
        assert_eq!(ChangeDirection::between(PolicyResult::Rewritten, PolicyResult::Rewritten), ChangeDirection::Other);
    }
}
