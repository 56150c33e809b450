//! The tally of verdicts during a dispatch.

use pintle_contract::{
    DenyEffect, Effect, Event, Failure, FailureKind, FailurePolicy, FailureReport, Hook, HookId, Layer, OutcomeReason,
    Payload, Profile, Rewrite, ShadowVerdict, Verdict, VerdictKind, Warning,
};

use serde_json::{Map, Value};

use super::{messages, target, untrusted};

/// The verdicts of one dispatch, recorded one by one.
#[derive(Debug, Default)]
pub(crate) struct VerdictTally {
    /// The reasons for a deny; empty if no hook denied.
    pub(super) denials: Vec<OutcomeReason>,
    /// The asks and explicit allows.
    pub(super) votes: Vec<Vote>,
    pub(super) ask_count: u32,
    /// What few dispatches need, allocated on first use.
    extras: Option<Box<OutcomeExtras>>,
}

/// The parts of an outcome other than the decision.
#[derive(Debug, Default)]
pub(super) struct OutcomeExtras {
    pub(super) effects: Vec<(u32, HookId, Effect)>,
    pub(super) failures: Vec<FailureReport>,
    pub(super) warnings: Vec<Warning>,
    pub(super) shadow: Vec<ShadowVerdict>,
}

/// An ask or an explicit allow.
#[derive(Debug)]
pub(super) struct Vote {
    pub(super) position: CallPosition,
    pub(super) guard: bool,
    pub(super) is_ask: bool,
    pub(super) reason: OutcomeReason,
}

/// The position of a hook call in a dispatch. Later positions are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CallPosition {
    /// 0 for the first pass, then the number of the recheck round.
    pub(crate) round: u8,
    /// The ordinal of the hook among the hooks of its event.
    pub(crate) ordinal: u32,
}

/// The hook that a verdict comes from, and the position of its call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VerdictSource<'h> {
    pub(crate) hook: &'h Hook,
    pub(crate) position: CallPosition,
    pub(crate) layer: Layer,
    pub(crate) profile: Profile,
    /// Whether a deny of the event only prevents something.
    pub(crate) deny_restricts: bool,
    /// Whether the hook was called before in this dispatch; then only its decision applies.
    pub(crate) repeated: bool,
    /// Whether the verdict is recorded but not enforced.
    pub(crate) shadow: bool,
}

/// A decision, with the rewrite that comes with it, if any.
#[derive(Debug)]
pub(crate) struct TargetedVerdict {
    pub(crate) kind: VerdictKind,
    pub(crate) rewrite: Option<Rewrite>,
}

impl TargetedVerdict {
    /// Splits into rewrite and decision. A verdict that is only a rewrite has no decision.
    #[inline]
    pub(crate) fn split(self) -> (Option<Rewrite>, Option<VerdictKind>) {
        match self {
            Self { kind: VerdictKind::Rewrite(rewrite), .. } => (Some(rewrite), None),
            Self { kind: said, rewrite } => (rewrite, Some(said)),
        }
    }
}

/// The result of applying a rewrite.
#[derive(Debug)]
pub(crate) struct RewriteResult {
    /// The new payload; `None` if it is unchanged.
    pub(crate) value: Option<Value>,
    /// Whether every part of the rewrite was applied.
    pub(crate) is_complete: bool,
}

/// Whether a decision that came with a rewrite applies. An allow of a payload that was not produced has no effect.
pub(crate) fn decision_counts(verdict_kind: &VerdictKind, rewrite_result: Option<&RewriteResult>) -> bool {
    !matches!(verdict_kind, VerdictKind::Allow { .. })
        || rewrite_result.is_some_and(|rewrite_result| rewrite_result.is_complete)
}

impl VerdictTally {
    /// Whether the event is denied, whatever other hooks return.
    pub(crate) fn is_denied(&self) -> bool {
        !self.denials.is_empty()
    }

    /// The warnings so far.
    pub(crate) fn warnings(&self) -> &[Warning] {
        self.extras.as_ref().map_or(&[], |aside| &aside.warnings)
    }

    fn extras_mut(&mut self) -> &mut OutcomeExtras {
        self.extras.get_or_insert_default()
    }

    /// Takes out the parts other than the decision.
    #[inline]
    pub(super) fn remove_extras(&mut self) -> Option<OutcomeExtras> {
        self.extras.take().map(|aside| *aside)
    }

    /// Adds a warning. A recheck round does not repeat an earlier warning.
    pub(crate) fn add_warning(&mut self, source: VerdictSource<'_>, message: String) {
        let warning = Warning { hook: source.hook.id.clone(), message };
        let warnings = &mut self.extras_mut().warnings;
        if source.position.round == 0 || !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// Adds a deny that is not the verdict of a single hook.
    pub(crate) fn add_denials(&mut self, reasons: impl IntoIterator<Item = OutcomeReason>) {
        self.denials.extend(reasons);
    }

    /// Records a verdict that is only a pass or a deny, as most are, and returns whether it was one. Any other verdict
    /// is left for [`VerdictTally::take_extras`].
    #[inline]
    pub(crate) fn take_trivial(&mut self, source: VerdictSource<'_>, verdict: &mut Verdict) -> bool {
        let bare = verdict.rewrite.is_none() && verdict.effects.is_empty() && verdict.warnings.is_empty();
        if !bare || source.shadow || source.repeated || !source.hook.source_trust.is_trusted() {
            return false;
        }
        match &mut verdict.kind {
            VerdictKind::Pass if source.profile != Profile::ParallelUnanimous => {}
            VerdictKind::Deny { reason } => self.record_denial(source, std::mem::take(reason)),
            _ => return false,
        }
        self.ask_count += 1;
        true
    }

    /// Records the effects and warnings of a verdict, and returns its decision; `None` if the verdict is not enforced.
    #[inline]
    pub(crate) fn take_extras(&mut self, source: VerdictSource<'_>, verdict: Verdict) -> Option<TargetedVerdict> {
        if !source.repeated {
            self.ask_count += 1;
        }
        if source.shadow {
            self.extras_mut().shadow.push(ShadowVerdict { hook: source.hook.id.clone(), verdict });
            return None;
        }
        let verdict =
            if source.hook.source_trust.is_trusted() { verdict } else { untrusted::restrict_verdict(source, verdict) };
        // A repeated call has no further effects, except those of a deny.
        let keeps = !source.repeated || verdict.denies(source.hook.on_failure);
        for message in verdict.warnings {
            self.add_warning(source, message);
        }
        if keeps && !verdict.effects.is_empty() {
            self.record_effects(source, verdict.effects);
        }
        // The verdict of a repeated call replaces the earlier ones.
        if source.repeated {
            self.votes.retain(|vote| vote.position.ordinal != source.position.ordinal);
        }
        let with_rewrite = matches!(verdict.kind, VerdictKind::Allow { .. } | VerdictKind::Ask { .. });
        Some(TargetedVerdict { kind: verdict.kind, rewrite: verdict.rewrite.filter(|_| with_rewrite) })
    }

    /// Records the effects of a verdict. Effects of an earlier call are not repeated.
    fn record_effects(&mut self, source: VerdictSource<'_>, effects: Vec<Effect>) {
        let kept = &mut self.extras_mut().effects;
        for effect in effects {
            let known =
                |(ordinal, _, one): &(u32, HookId, Effect)| *ordinal == source.position.ordinal && *one == effect;
            if !source.repeated || !kept.iter().any(known) {
                kept.push((source.position.ordinal, source.hook.id.clone(), effect));
            }
        }
    }

    /// The data from hooks for the approver. If two hooks use one name, the later one wins.
    pub(crate) fn metadata(&self) -> Map<String, Value> {
        let mut effects: Vec<_> = self.extras.iter().flat_map(|aside| &aside.effects).collect();
        effects.sort_by_key(|(ordinal, _, _)| *ordinal);
        let facts = effects.into_iter().filter_map(|(_, _, effect)| match effect {
            Effect::Metadata(facts) => Some(facts),
            _ => None,
        });
        facts.flatten().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Records the failure of a hook that could not be called.
    pub(crate) fn record_uncalled(&mut self, source: VerdictSource<'_>, failure: Failure) {
        if source.shadow {
            let verdict = Verdict::failed(failure);
            self.extras_mut().shadow.push(ShadowVerdict { hook: source.hook.id.clone(), verdict });
        } else {
            self.record_failure(source, failure);
        }
    }

    /// Records the decision of a hook that was called with `event`, and returns the payload of its rewrite if it
    /// changes anything.
    #[inline]
    pub(crate) fn record_verdict(
        &mut self,
        source: VerdictSource<'_>,
        verdict: TargetedVerdict,
        event: &Event,
    ) -> Option<Payload> {
        if source.profile == Profile::ParallelUnanimous {
            self.record_unanimous(source, verdict);
            return None;
        }
        let (rewrite, said) = verdict.split();
        let Some(rewrite) = rewrite else {
            said.into_iter().for_each(|said| self.record_decision(source, said));
            return None;
        };
        let made = self.apply_rewrite(source, rewrite, event);
        said.into_iter()
            .filter(|said| decision_counts(said, made.as_ref()))
            .for_each(|said| self.record_decision(source, said));
        made.and_then(|made| made.value).map(Payload::new)
    }

    /// Records a decision.
    #[inline]
    pub(crate) fn record_decision(&mut self, source: VerdictSource<'_>, verdict_kind: VerdictKind) {
        match verdict_kind {
            // The caller applies the rewrite.
            VerdictKind::Pass | VerdictKind::Rewrite(_) => {}
            VerdictKind::Allow { reason } => self.record_vote(source, false, reason),
            VerdictKind::Ask { reason } => self.record_vote(source, true, reason),
            VerdictKind::Deny { reason } => self.record_denial(source, reason),
            VerdictKind::Failed(failure) => self.record_failure(source, failure),
        }
    }

    /// Everything but an allow of the unchanged payload denies; a hook that failed open is ignored.
    fn record_unanimous(&mut self, source: VerdictSource<'_>, verdict: TargetedVerdict) {
        let but = match verdict.split() {
            (None, Some(VerdictKind::Allow { reason })) => return self.record_vote(source, false, reason),
            // An untrusted hook can deny, but its allow is not required.
            (_, Some(VerdictKind::Pass)) if !source.hook.source_trust.is_trusted() => return,
            (_, Some(VerdictKind::Failed(failure))) => return self.record_failure(source, failure),
            (_, Some(VerdictKind::Deny { reason })) => return self.record_denial(source, reason),
            (_, Some(VerdictKind::Ask { reason })) => format!("asked for approval ({reason})"),
            (Some(_), _) => String::from("requested a rewrite"),
            (None, _) => String::from("had no opinion"),
        };
        self.record_denial(source, messages::not_unanimous(&untrusted::display_name(source.hook), &but));
    }

    /// Applies a rewrite, with a warning for each part that the event does not permit. An invalid rewrite changes
    /// nothing: it is recorded as a failure of the hook.
    pub(crate) fn apply_rewrite(
        &mut self,
        source: VerdictSource<'_>,
        rewrite: Rewrite,
        event: &Event,
    ) -> Option<RewriteResult> {
        match target::apply(&event.name, event.payload.value(), rewrite) {
            Ok(applied) => {
                let entirely = applied.ignored.is_empty();
                for message in applied.ignored {
                    self.add_warning(source, message);
                }
                Some(RewriteResult { value: applied.value, is_complete: entirely })
            }
            Err(reason) => {
                self.record_failure(source, Failure::new(FailureKind::BadOutput, reason));
                None
            }
        }
    }

    /// A hook that fails has not denied: its failure policy decides.
    fn record_failure(&mut self, source: VerdictSource<'_>, failure: Failure) {
        let policy = untrusted::failure_policy(source, &failure);
        let failure = untrusted::quote_failure(source.hook, failure);
        let text = (policy == FailurePolicy::Closed)
            .then(|| messages::failed_closed(&untrusted::display_name(source.hook), &failure));
        let report = FailureReport { hook: source.hook.id.clone(), failure, policy };
        let failures = &mut self.extras_mut().failures;
        if source.position.round == 0 || !failures.contains(&report) {
            failures.push(report);
        }
        if let Some(text) = text {
            self.record_denial(source, text);
        }
    }

    fn record_vote(&mut self, source: VerdictSource<'_>, asks: bool, text: String) {
        // An ask that is not approved is a deny of the same hook, with the same effect.
        let reason = if asks { build_reason(source, text) } else { OutcomeReason::new(source.hook.id.clone(), text) };
        self.votes.push(Vote { position: source.position, guard: source.hook.guard, is_ask: asks, reason });
    }

    fn record_denial(&mut self, source: VerdictSource<'_>, text: String) {
        let reason = build_reason(source, text);
        // Most denies are the only one; allocate no more.
        if self.denials.is_empty() {
            self.denials = vec![reason];
        } else {
            self.denials.push(reason);
        }
    }
}

/// The reason of a hook, with the effect of its deny.
fn build_reason(source: VerdictSource<'_>, text: String) -> OutcomeReason {
    let stops_run = source.hook.on_deny == DenyEffect::StopRun;
    OutcomeReason { stops_run, ..OutcomeReason::new(untrusted::display_name(source.hook), text) }
}
