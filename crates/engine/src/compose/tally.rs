//! What the hooks said so far.

use pintle_contract::{
    Effect, Event, Failure, FailureKind, FailurePolicy, FailureReport, Hook, HookId, OnDeny, Payload, Profile, Reason,
    Rewrite, Said, ShadowVerdict, Verdict, Warning,
};

use super::{target, words};

/// The verdicts of a dispatch, taken one by one.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Why this is denied; empty while it is not.
    pub(super) denials: Vec<Reason>,
    /// Asks and explicit allows.
    pub(super) votes: Vec<Vote>,
    pub(super) effects: Vec<(u32, HookId, Effect)>,
    pub(super) failures: Vec<FailureReport>,
    pub(super) warnings: Vec<Warning>,
    pub(super) shadow: Vec<ShadowVerdict>,
    pub(super) asked: u32,
}

/// An ask or an explicit allow.
#[derive(Debug)]
pub(super) struct Vote {
    pub(super) position: Position,
    pub(super) guard: bool,
    pub(super) asks: bool,
    pub(super) reason: Reason,
}

/// A hook's turn in a dispatch. Later turns are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// 0 for the chains, then one for each time that guards are asked again.
    pub(crate) round: u8,
    /// The hook's number among the hooks of its event.
    pub(crate) ordinal: u32,
}

/// Whose verdict it is, and at which point of the dispatch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Voter<'h> {
    pub(crate) hook: &'h Hook,
    pub(crate) position: Position,
    pub(crate) profile: Profile,
    /// Whether the hook was asked before in this dispatch; then nothing but its answer counts.
    pub(crate) repeated: bool,
    /// Whether the verdict is recorded and not enforced.
    pub(crate) shadow: bool,
}

/// What a hook answered: a decision, and the other target that it is about, if any.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) said: Said,
    pub(crate) rewrite: Option<Rewrite>,
}

/// What a verdict did to the dispatch.
#[derive(Debug)]
pub(crate) enum Step {
    /// Nothing that the next hook could notice.
    Nothing,
    /// There is a new payload.
    Changed(Payload),
    /// It is denied.
    Denied,
}

impl Tally {
    /// Whether it is denied, whatever else is said.
    pub(crate) fn is_denied(&self) -> bool {
        !self.denials.is_empty()
    }

    /// The warnings so far.
    pub(crate) fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Adds a warning. A later round does not repeat what was said before.
    pub(crate) fn warn(&mut self, voter: Voter<'_>, message: String) {
        let warning = Warning { hook: voter.hook.id.clone(), message };
        if voter.position.round == 0 || !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Adds a denial that is no single hook's verdict.
    pub(crate) fn deny(&mut self, reasons: impl IntoIterator<Item = Reason>) {
        self.denials.extend(reasons);
    }

    /// Takes what comes with a verdict and gives its answer, or nothing for a verdict that is not enforced.
    #[inline]
    pub(crate) fn open(&mut self, voter: Voter<'_>, verdict: Verdict) -> Option<Answered> {
        if !voter.repeated {
            self.asked += 1;
        }
        if voter.shadow {
            self.shadow.push(ShadowVerdict { hook: voter.hook.id.clone(), verdict });
            return None;
        }
        for message in verdict.warnings {
            self.warn(voter, message);
        }
        if !voter.repeated {
            let id = &voter.hook.id;
            self.effects.extend(verdict.effects.into_iter().map(|effect| (voter.position.ordinal, id.clone(), effect)));
        }
        // The last judgement of a hook replaces the ones before.
        if voter.repeated {
            self.votes.retain(|vote| vote.position.ordinal != voter.position.ordinal);
        }
        let with_rewrite = matches!(verdict.said, Said::Allow { .. } | Said::Ask { .. });
        Some(Answered { said: verdict.said, rewrite: verdict.rewrite.filter(|_| with_rewrite) })
    }

    /// How many hooks gave no answer so far.
    pub(crate) fn failed(&self) -> usize {
        self.failures.len()
    }

    /// Takes a failure of a hook that could not even be asked.
    pub(crate) fn unasked(&mut self, voter: Voter<'_>, failure: Failure) -> Step {
        if voter.shadow {
            self.shadow.push(ShadowVerdict { hook: voter.hook.id.clone(), verdict: Verdict::failed(failure) });
            return Step::Nothing;
        }
        self.fail(voter, failure)
    }

    /// Takes the answer of a hook that saw `event`.
    #[inline]
    pub(crate) fn take(&mut self, voter: Voter<'_>, said: Said, event: &Event) -> Step {
        if voter.profile == Profile::ParallelUnanimous {
            return self.take_unanimous(voter, said);
        }
        match said {
            Said::Pass => Step::Nothing,
            Said::Allow { reason } => self.vote(voter, false, reason),
            Said::Ask { reason } => self.vote(voter, true, reason),
            Said::Deny { reason } => self.refuse(voter, reason),
            Said::Failed(failure) => self.fail(voter, failure),
            Said::Rewrite(rewrite) => match self.rewritten(voter, rewrite, event) {
                Ok(Some(value)) => Step::Changed(Payload::new(value)),
                Ok(None) => Step::Nothing,
                Err(denied) => denied,
            },
        }
    }

    /// Anything but an allow denies; a hook that failed open is not counted.
    fn take_unanimous(&mut self, voter: Voter<'_>, said: Said) -> Step {
        let but = match said {
            Said::Allow { reason } => return self.vote(voter, false, reason),
            Said::Failed(failure) => return self.fail(voter, failure),
            Said::Deny { reason } => return self.refuse(voter, reason),
            Said::Pass => String::from("had no opinion"),
            Said::Rewrite(_) => String::from("wanted a rewrite"),
            Said::Ask { reason } => format!("wanted a person to look ({reason})"),
        };
        self.refuse(voter, words::not_unanimous(&voter.hook.id, &but))
    }

    /// What a rewrite makes of the payload, with a warning for each part of it that the event does not allow.
    pub(crate) fn rewritten(
        &mut self,
        voter: Voter<'_>,
        rewrite: Rewrite,
        event: &Event,
    ) -> Result<Option<serde_json::Value>, Step> {
        match target::apply(&event.name, event.payload.value(), rewrite) {
            Ok(applied) => {
                for message in applied.ignored {
                    self.warn(voter, message);
                }
                Ok(applied.value)
            }
            Err(why) => Err(self.fail(voter, Failure::new(FailureKind::BadOutput, why))),
        }
    }

    /// A failed hook is not a refusing hook: its policy says what follows.
    fn fail(&mut self, voter: Voter<'_>, failure: Failure) -> Step {
        let policy = voter.hook.on_failure;
        let text = (policy == FailurePolicy::Closed).then(|| words::failed_closed(&voter.hook.id, &failure));
        let report = FailureReport { hook: voter.hook.id.clone(), failure, policy };
        if voter.position.round == 0 || !self.failures.contains(&report) {
            self.failures.push(report);
        }
        match text {
            Some(text) => self.refuse(voter, text),
            None => Step::Nothing,
        }
    }

    fn vote(&mut self, voter: Voter<'_>, asks: bool, text: String) -> Step {
        self.votes.push(Vote {
            position: voter.position,
            guard: voter.hook.guard,
            asks,
            reason: Reason::new(voter.hook.id.clone(), text),
        });
        Step::Nothing
    }

    fn refuse(&mut self, voter: Voter<'_>, text: String) -> Step {
        let stops_run = voter.hook.on_deny == OnDeny::StopRun;
        self.denials.push(Reason { stops_run, ..Reason::new(voter.hook.id.clone(), text) });
        Step::Denied
    }
}
