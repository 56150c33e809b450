//! AGENT-HOOKS 0.1: a contract between an agent's host and *interceptors*, which are asked at eight points of the agent's
//! life and answer with a verdict.
//!
//! Interceptors are code, so no file of this format has hooks: a program passes its interceptors as an [`InterceptorHost`]
//! to [`intercept_event`], which is a hook on [`point_events`]. `emitter` asks them and keeps the record, `composition`
//! composes their verdicts by the rule that the host declares, `identity` computes what a record is bound to, and `context`
//! translates between events and contexts. `DEVIATIONS.md` lists where Pintle differs on purpose.

mod composition;
mod context;
mod declaration;
mod emitter;
mod identity;
mod path;
mod point;
mod verdict;

use pintle_contract::{Event, Failure, FailureKind, Verdict};
use serde_json::Value;

pub use composition::{ComposedVerdict, CompositionRule, compose};
pub use context::{
    ContextFacts, build_context, point_events, point_of, read_context, rewrite_target, target_of_payload,
};
pub use declaration::{
    DECLARATION_VERSION, DeclarationRefusal, DeclaredInterceptor, HostAbilities, HostDeclaration, HostRegistration,
    RefusalClass, resolve_declaration,
};
pub use emitter::{EmitterSettings, InterceptorBinding, InterceptorHost, PointOutcome, emit};
pub use identity::{JCS_SHA256, canonical_json, identify_context};
pub use point::{InterceptionPoint, SPEC};
pub use verdict::{
    HostError, HostFault, InterceptorDecision, InterceptorVerdict, InterceptorWarning, TargetTransform, VerdictEvidence,
};

#[cfg(test)]
mod tests;

/// Asks interceptors about an event: the verdict of the hook that they are together, and the record. `number_and_time` gives
/// the next number in the session and the milliseconds since the Unix epoch, if there is something to ask.
pub fn intercept_event(
    settings: &EmitterSettings,
    host: &dyn InterceptorHost,
    facts: &ContextFacts,
    event: &Event,
    number_and_time: impl FnOnce() -> (u64, u64),
) -> (Verdict, Option<Value>) {
    let Some(point) = point_of(event) else { return (Verdict::pass(), None) };
    let context = build_context(event, point, facts, number_and_time());
    let before = context.get("target").cloned().unwrap_or_default();
    let PointOutcome { proceeds, verdict, target, record } = emit(settings, host, context);
    let verdict = if !proceeds {
        Verdict::deny(verdict.text())
    } else if target == before {
        Verdict::pass()
    } else {
        rewrite_target(event, point, &target).map_or_else(
            |error| Verdict::failed(Failure::new(FailureKind::BadOutput, error)),
            |rewrite| Verdict::pass().with_rewrite(rewrite),
        )
    };
    (verdict, Some(record))
}
