//! Asks the interceptors of a host at one point, and records what they decided.

use std::fmt::Debug;

use pintle_contract::Profile;
use serde_json::{Map, Value, json};

use super::composition::{CompositionRule, compose, with_notes};
use super::identity::{JCS_SHA256, identify_context};
use super::path;
use super::point::{InterceptionPoint, validate_context};
use super::verdict::{HostError, HostFault, InterceptorDecision, InterceptorVerdict};

/// The code of a host that an emitter calls. An error of a call is the text of the deny that follows.
pub trait InterceptorHost: Send + Sync + Debug {
    /// Asks an interceptor, by its number in the list of bindings, within its time limit. The error is [`HostError::InterceptorFailed`] or
    /// [`HostError::InterceptorTimeout`].
    ///
    /// # Errors
    /// If it failed, or took too long.
    fn intercept(
        &self,
        binding: usize,
        context: &Map<String, Value>,
        timeout_ms: Option<u64>,
    ) -> Result<Value, HostFault>;

    /// Asks the approver, who gets `context_identity`, `interception_point`, `verdict` and `context`, and returns `outcome`,
    /// `context_identity` and `verdict`.
    ///
    /// # Errors
    /// If it failed, or took too long.
    fn resolve(&self, request: Value, timeout_ms: Option<u64>) -> Result<Value, String>;

    /// The context that the approver is shown.
    ///
    /// # Errors
    /// If it cannot be made.
    fn redact(&self, context: &Map<String, Value>) -> Result<Map<String, Value>, String>;

    /// The identity of a context by a provider of the host.
    ///
    /// # Errors
    /// If it has none.
    fn identify(&self, provider: &str, context: &Map<String, Value>) -> Result<String, String>;
}

/// How a host asks its interceptors.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EmitterSettings {
    /// Whether verdicts are only recorded.
    pub evaluates_only: bool,
    /// How verdicts are composed.
    pub rule: CompositionRule,
    /// The provider of identities; `None` records none.
    pub identity_provider: Option<String>,
    /// Whether an approver can lift denies.
    pub has_resolver: bool,
    /// Whether the approver is shown a redacted context.
    pub has_redactor: bool,
    /// How long the approver may take; `None` is as long as it needs.
    pub resolver_timeout_ms: Option<u64>,
    /// The interceptors, in their order.
    pub bindings: Vec<InterceptorBinding>,
    /// The version of the declaration that the settings are from, if they are from one.
    pub declaration: Option<String>,
}

/// Where an interceptor is asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InterceptorBinding {
    /// Its name in records.
    pub name: Option<String>,
    /// The points; `None` is all.
    pub points: Option<Vec<InterceptionPoint>>,
    /// How long it may take; `None` is as long as it needs.
    pub timeout_ms: Option<u64>,
}

/// What the interceptors decided about a context.
#[derive(Debug, Clone, PartialEq)]
pub struct PointOutcome {
    /// Whether the action proceeds, with the target as it is now.
    pub proceeds: bool,
    /// The composed verdict.
    pub verdict: InterceptorVerdict,
    /// The target after the changes.
    pub target: Value,
    /// The record, without data of the action.
    pub record: Value,
}

/// A composed verdict and how it came about.
#[derive(Debug)]
struct DecidedContext {
    verdict: InterceptorVerdict,
    decided_by: Option<usize>,
    /// The verdicts of the interceptors that were asked.
    summaries: Vec<Value>,
    is_truncated: Option<bool>,
    resolved_by: Option<&'static str>,
}

impl DecidedContext {
    fn by_host(fault: HostFault) -> Self {
        let verdict = InterceptorVerdict::from_fault(fault);
        Self { verdict, decided_by: None, summaries: Vec::new(), is_truncated: None, resolved_by: None }
    }
}

/// Asks the interceptors about a context.
pub fn emit(settings: &EmitterSettings, host: &dyn InterceptorHost, context: Map<String, Value>) -> PointOutcome {
    let valid = validate_context(&context);
    let input = valid.and_then(|point| Ok((point, identify(settings, host, &context)?)));
    let (point, input_identity, input_fault) = match input {
        Ok((point, identity)) => (Some(point), identity, None),
        Err(fault) => (None, None, Some(fault)),
    };
    let named = context.get("interception_point").and_then(Value::as_str).and_then(InterceptionPoint::by_name);
    let is_bound = |binding: &InterceptorBinding| match (&binding.points, named) {
        (Some(points), Some(point)) => points.contains(&point),
        _ => true,
    };
    let bound: Vec<usize> =
        settings.bindings.iter().enumerate().filter(|(_, one)| is_bound(one)).map(|(index, _)| index).collect();
    let mut run =
        ContextEmission { settings, host, bound, context, point: point.unwrap_or(InterceptionPoint::AgentStartup) };
    let mut decided = match input_fault {
        Some(fault) => DecidedContext::by_host(fault),
        None => run.decide(),
    };
    // Without an identity of what is done, the record would not say what was permitted.
    let enforced_identity = input_identity.as_ref().and_then(|_| match identify(settings, host, &run.context) {
        Ok(identity) => identity,
        Err(fault) => {
            if decided.verdict.permits() {
                decided.verdict = InterceptorVerdict::from_fault(fault);
                decided.decided_by = None;
            }
            None
        }
    });
    let proceeds = settings.evaluates_only || decided.verdict.permits();
    let record = run.record(&decided, [input_identity, enforced_identity]);
    let target = run.context.remove("target").unwrap_or_default();
    PointOutcome { proceeds, verdict: decided.verdict, target, record }
}

fn identify(
    settings: &EmitterSettings,
    host: &dyn InterceptorHost,
    context: &Map<String, Value>,
) -> Result<Option<String>, HostFault> {
    match settings.identity_provider.as_deref() {
        None => Ok(None),
        Some(JCS_SHA256) => identify_context(context).map(Some),
        Some(provider) => {
            let identity = host.identify(provider, context);
            identity.map(Some).map_err(|error| HostFault::new(HostError::ContextInvalid, &error))
        }
    }
}

/// One context on its way through the interceptors.
struct ContextEmission<'a> {
    settings: &'a EmitterSettings,
    host: &'a dyn InterceptorHost,
    /// The interceptors that are bound to the point, as numbers in the list of bindings.
    bound: Vec<usize>,
    context: Map<String, Value>,
    point: InterceptionPoint,
}

impl ContextEmission<'_> {
    fn decide(&mut self) -> DecidedContext {
        if self.bound.is_empty() {
            return DecidedContext::by_host(HostFault::new(
                HostError::NoInterceptor,
                "no interceptor is bound to this point",
            ));
        }
        match self.settings.rule.profile {
            Profile::SequentialFirstDeny => self.decide_first(),
            Profile::SequentialRunAll => self.decide_all(true),
            Profile::ParallelStrictest | Profile::ParallelMerge | Profile::ParallelUnanimous => self.decide_all(false),
        }
    }

    /// Asks one after another, until one denies.
    fn decide_first(&mut self) -> DecidedContext {
        let (mut asked, mut substituted) = (Vec::new(), Vec::new());
        let mut summaries = Vec::new();
        let (mut last_change, mut resolved_by) = (None, None);
        for position in 0..self.bound.len() {
            let is_truncated = Some(position + 1 < self.bound.len());
            let verdict = self.ask(position);
            summaries.push(self.summary(position, &verdict));
            asked.push(verdict.clone());
            let mut decided = |verdict, decided_by, resolved_by| DecidedContext {
                verdict,
                decided_by,
                summaries: std::mem::take(&mut summaries),
                is_truncated,
                resolved_by,
            };
            let mut verdict = verdict;
            if !verdict.permits() {
                let Some(resolution) = self.consult(&verdict) else {
                    let verdict = with_notes(verdict, asked.iter().chain(&substituted));
                    return decided(verdict, Some(position), resolved_by);
                };
                if !resolution.permits() {
                    let decided_by = (!resolution.is_of_host()).then_some(position);
                    let verdict = with_notes(resolution, asked.iter().chain(&substituted));
                    return decided(verdict, decided_by, Some("rejection"));
                }
                verdict = resolution;
                resolved_by = Some("approval");
                if let Err(fault) = self.apply(&verdict) {
                    return decided(InterceptorVerdict::from_fault(fault), None, resolved_by);
                }
                substituted.push(verdict.clone());
                if !self.settings.rule.is_lenient {
                    let verdict = with_notes(verdict, asked.iter().chain(&substituted));
                    return decided(verdict, Some(position), resolved_by);
                }
            } else if let Err(fault) = self.apply(&verdict) {
                return decided(InterceptorVerdict::from_fault(fault), None, resolved_by);
            }
            if verdict.decision == InterceptorDecision::Transform {
                last_change = Some((position, verdict));
            }
        }
        let (decided_by, verdict) = last_change.unzip();
        let verdict = verdict.unwrap_or(InterceptorVerdict::new(InterceptorDecision::Allow));
        let verdict = with_notes(verdict, asked.iter().chain(&substituted));
        DecidedContext { verdict, decided_by, summaries, is_truncated: Some(false), resolved_by }
    }

    /// Asks all. If they see each other's changes, a change that cannot be made ends it.
    fn decide_all(&mut self, in_turn: bool) -> DecidedContext {
        let (mut verdicts, mut summaries) = (Vec::new(), Vec::new());
        for position in 0..self.bound.len() {
            let mut verdict = self.ask(position);
            let fault = if in_turn { self.apply(&verdict).err() } else { None };
            let is_over = fault.is_some();
            if let Some(fault) = fault {
                verdict = InterceptorVerdict::from_fault(fault);
            }
            summaries.push(self.summary(position, &verdict));
            if is_over {
                return DecidedContext { verdict, decided_by: None, summaries, is_truncated: None, resolved_by: None };
            }
            verdicts.push(verdict);
        }
        let composed = compose(self.settings.rule, &verdicts);
        let mut decided = DecidedContext {
            verdict: composed.verdict,
            decided_by: composed.decided_by,
            summaries,
            is_truncated: None,
            resolved_by: None,
        };
        if composed.is_unapplied
            && let Err(fault) = self.apply(&decided.verdict)
        {
            return DecidedContext { verdict: InterceptorVerdict::from_fault(fault), decided_by: None, ..decided };
        }
        match self.consult(&decided.verdict) {
            None => decided,
            Some(deny) if !deny.permits() => {
                decided.decided_by = decided.decided_by.filter(|_| !deny.is_of_host());
                DecidedContext { verdict: with_notes(deny, &verdicts), resolved_by: Some("rejection"), ..decided }
            }
            Some(permit) => {
                let verdict = match self.apply(&permit) {
                    Ok(()) => with_notes(permit.clone(), verdicts.iter().chain([&permit])),
                    Err(fault) => InterceptorVerdict::from_fault(fault),
                };
                DecidedContext { verdict, resolved_by: Some("approval"), ..decided }
            }
        }
    }

    /// Asks one of the interceptors that are bound here. Whatever it does wrong is a deny.
    fn ask(&self, position: usize) -> InterceptorVerdict {
        let binding = self.bound.get(position).copied().unwrap_or_default();
        let timeout_ms = self.settings.bindings.get(binding).and_then(|binding| binding.timeout_ms);
        let returned = self.host.intercept(binding, &self.context, timeout_ms);
        returned.and_then(|value| InterceptorVerdict::parse(&value)).unwrap_or_else(InterceptorVerdict::from_fault)
    }

    /// Changes the target, or only checks that it could be.
    fn apply(&mut self, verdict: &InterceptorVerdict) -> Result<(), HostFault> {
        let Some(transform) = &verdict.transform else { return Ok(()) };
        if !self.point.permits_transform() {
            return Err(HostFault::new(HostError::TransformTargetForbidden, "nothing may be changed at this point"));
        }
        let target = self.context.get("target").cloned().unwrap_or_default();
        let target = path::replace(&target, &transform.path, &transform.value)?;
        if !self.settings.evaluates_only {
            self.point.set_target(&mut self.context, target);
        }
        Ok(())
    }

    /// Asks the approver about a deny that can be lifted, if there is one to ask: a permit, or the deny that is left.
    fn consult(&self, deny: &InterceptorVerdict) -> Option<InterceptorVerdict> {
        let is_asked = deny.is_liftable()
            && self.settings.has_resolver
            && !self.settings.evaluates_only
            && self.point != InterceptionPoint::AgentShutdown;
        is_asked.then(|| self.resolve(deny).unwrap_or_else(InterceptorVerdict::from_fault))
    }

    fn resolve(&self, deny: &InterceptorVerdict) -> Result<InterceptorVerdict, HostFault> {
        let failed = |error: String| HostFault::new(HostError::ApprovalResolverFailed, &error);
        let shown =
            if self.settings.has_redactor { Some(self.host.redact(&self.context).map_err(failed)?) } else { None };
        let shown = shown.as_ref().unwrap_or(&self.context);
        let identity = json!(identify(self.settings, self.host, shown)?);
        let request = json!({
            "context_identity": identity,
            "interception_point": self.point.name(),
            "verdict": deny,
            "context": shown,
        });
        let resolution = self.host.resolve(request, self.settings.resolver_timeout_ms).map_err(failed)?;
        if resolution.get("context_identity").unwrap_or(&Value::Null) != &identity {
            return Err(HostFault::new(HostError::ApprovalIdentityMismatch, "the approval is for another context"));
        }
        let outcome = resolution.get("outcome").and_then(Value::as_str).unwrap_or_default();
        let verdict = resolution.get("verdict").filter(|_| outcome == "approve" || outcome == "reject");
        let unresolved = || HostFault::new(HostError::ApprovalUnresolved, "the approver did not decide");
        let invalid = |detail: String| HostFault::new(HostError::VerdictInvalid, &detail);
        // Whatever is wrong with this verdict, the approver gave no valid one.
        let verdict = InterceptorVerdict::parse(verdict.ok_or_else(unresolved)?);
        let verdict = verdict.map_err(|fault| invalid(fault.detail))?;
        if (outcome == "approve") == verdict.permits() {
            Ok(verdict)
        } else {
            Err(invalid(format!("the outcome is `{outcome}`, and the verdict is not")))
        }
    }

    fn summary(&self, position: usize, verdict: &InterceptorVerdict) -> Value {
        let binding = self.bound.get(position).and_then(|index| self.settings.bindings.get(*index));
        let texts = [("reason", verdict.reason.as_ref()), ("name", binding.and_then(|binding| binding.name.as_ref()))];
        let mut summary = json!({"index": position, "decision": verdict.decision});
        insert_present(&mut summary, texts.map(|(key, text)| (key, text.map(|text| json!(text)))));
        summary
    }

    fn record(&self, decided: &DecidedContext, [input, enforced]: [Option<String>; 2]) -> Value {
        let settings = self.settings;
        let part = |field: &str, part: &str| self.context.get(field).and_then(|value| value.get(part));
        let mut record = json!({
            "interception_point": self.context.get("interception_point"),
            "mode": if settings.evaluates_only { "evaluate_only" } else { "enforce" },
            "verdict": decided.verdict.clone().for_record(),
            "input_identity": input,
            "enforced_identity": enforced,
            "identity_provider": settings.identity_provider,
            "session_id": part("session", "id").unwrap_or(&json!("")),
            "sequence": self.context.get("sequence").unwrap_or(&json!(-1)),
            "decided_by": decided.decided_by,
            "composition": settings.rule.to_json(),
            "interceptors_registered": self.bound.len(),
        });
        let trace = self.context.get("trace").and_then(Value::as_object).map(|trace| {
            let ids = trace.iter().filter(|(key, _)| ["trace_id", "span_id"].contains(&key.as_str()));
            json!(ids.map(|(key, id)| (key.clone(), id.clone())).collect::<Map<_, _>>())
        });
        let more = [
            ("declaration", settings.declaration.as_ref().map(|version| json!(version))),
            ("timestamp", self.context.get("timestamp").cloned()),
            ("trace", trace),
            ("verdicts", Some(json!(decided.summaries)).filter(|_| !decided.summaries.is_empty())),
            ("fold_truncated", decided.is_truncated.map(|is_truncated| json!(is_truncated))),
            ("resolved_by", decided.resolved_by.map(|by| json!(by))),
        ];
        insert_present(&mut record, more);
        record
    }
}

fn insert_present<const N: usize>(object: &mut Value, entries: [(&str, Option<Value>); N]) {
    if let Some(fields) = object.as_object_mut() {
        fields.extend(entries.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    }
}
