//! Which hooks would run, in which order, and why the others would not. No handler is called.

use std::fmt;
use std::sync::Arc;

use pintle_contract::{
    Chain, EnforcementMode, Event, EventName, Failure, Hook, HookId, Layer, Location, MatchResult, Profile,
    SubjectFilter,
};

use crate::HookSet;
use crate::select::{is_duplicate, match_hook};

/// What would become of one hook of a set.
#[derive(Debug, Clone)]
pub struct HookExplanation {
    /// The hook.
    pub hook: HookId,
    /// The source it comes from, such as a path.
    pub source: Arc<str>,
    /// Who put it there.
    pub layer: Layer,
    /// How its chain composes.
    pub profile: Profile,
    /// The event it listens to.
    pub event: EventName,
    /// The author's number for ordering.
    pub priority: i64,
    /// Whether its verdict would be enforced.
    pub mode: EnforcementMode,
    /// Whether it can deny.
    pub guard: bool,
    /// Where it was declared.
    pub location: Location,
    /// Whether it would run.
    pub prediction: RunPrediction,
}

/// Whether a hook would run. Displays as one line.
#[derive(Debug, Clone, PartialEq)]
pub enum RunPrediction {
    /// It would be asked.
    Yes,
    /// An earlier hook is the same word for word, and is asked for both.
    Duplicate {
        /// The earlier hook.
        hook: HookId,
        /// The source it comes from.
        source: Arc<str>,
    },
    /// It listens to another event.
    OtherEvent {
        /// The event it listens to.
        event: EventName,
    },
    /// It is for other subjects, such as other tools.
    OtherSubject {
        /// What the subject is called in the payload, such as `name`.
        field: &'static str,
        /// The subject of this event.
        subject: String,
        /// The subjects the hook is for.
        names: Vec<String>,
        /// The matcher as its author wrote it.
        matcher: String,
    },
    /// Its matcher says no.
    NoMatch {
        /// The matcher as its author wrote it.
        matcher: String,
    },
    /// Its matcher fails; the hook is passed over with a warning.
    MatcherFailed {
        /// The matcher as its author wrote it.
        matcher: String,
        /// Why.
        failure: Failure,
    },
    /// Its matcher fails, which is a failure of the hook: its author said so, or a limit ended the matcher.
    HookFailed {
        /// The matcher as its author wrote it.
        matcher: String,
        /// Why.
        failure: Failure,
    },
}

impl RunPrediction {
    /// Whether the hook would be asked.
    #[must_use]
    pub fn is_yes(&self) -> bool {
        *self == Self::Yes
    }
}

impl fmt::Display for RunPrediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Yes => f.write_str("runs"),
            Self::Duplicate { hook, source } => {
                write!(f, "does not run again: `{hook}` of {source} is the same, word for word")
            }
            Self::OtherEvent { event } => write!(f, "does not run: it listens to `{event}`"),
            Self::OtherSubject { field, subject, names, .. } => {
                let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                write!(f, "does not run: `{field}` is `{subject}`, and the hook is for {names} only")
            }
            Self::NoMatch { matcher } => write!(f, "does not run: `{matcher}` is false"),
            Self::MatcherFailed { matcher, failure } => {
                write!(f, "does not run: `{matcher}` failed: {failure}")
            }
            Self::HookFailed { matcher, failure } => {
                write!(f, "does not run and counts as failed: `{matcher}` failed: {failure}")
            }
        }
    }
}

/// Says of every hook of a set, in the order they are asked, whether it would run for an event and why not.
///
/// The event is taken as it is fired: what a hook would rewrite is not known before it is called, so a hook after a
/// rewrite, or after a deny, may be asked or not in spite of what is said here.
#[must_use]
pub fn explain(set: &HookSet, event: &Event) -> Vec<HookExplanation> {
    let same_before = |number: usize, chain: &Chain, hook: &Hook| {
        let before = set.hooks().take(number).filter(|(_, one)| one.event == hook.event);
        let twins = before
            .filter(|(its, one)| is_duplicate((its.dialect, its.profile, one), (chain.dialect, chain.profile, hook)));
        let mut twins = twins;
        twins.find(|(_, one)| matches!(match_hook(one, event), MatchResult::Yes))
    };
    set.hooks()
        .enumerate()
        .map(|(number, (chain, hook))| HookExplanation {
            hook: hook.id.clone(),
            source: Arc::clone(&chain.source),
            layer: chain.layer,
            profile: chain.profile,
            event: hook.event.clone(),
            priority: hook.priority,
            mode: hook.mode,
            guard: hook.guard,
            location: hook.location.clone(),
            prediction: match predict_run(hook, event) {
                RunPrediction::Yes => same_before(number, chain, hook).map_or(RunPrediction::Yes, |(its, one)| {
                    RunPrediction::Duplicate { hook: one.id.clone(), source: Arc::clone(&its.source) }
                }),
                other => other,
            },
        })
        .collect()
}

fn predict_run(hook: &Hook, event: &Event) -> RunPrediction {
    if hook.event != event.name {
        return RunPrediction::OtherEvent { event: hook.event.clone() };
    }
    let Some(matcher) = &hook.matcher else {
        return RunPrediction::Yes;
    };
    let field = event.name.def().subject;
    if let (Some(field), Some(subject), SubjectFilter::Only { names, sufficient }) =
        (field, event.subject(), matcher.subjects())
    {
        if !names.iter().any(|name| name == subject) {
            return RunPrediction::OtherSubject {
                field,
                subject: subject.to_owned(),
                names,
                matcher: matcher.describe(),
            };
        }
        if sufficient {
            return RunPrediction::Yes;
        }
    }
    match match_hook(hook, event) {
        MatchResult::Yes => RunPrediction::Yes,
        MatchResult::No => RunPrediction::NoMatch { matcher: matcher.describe() },
        MatchResult::Failed(failure) if hook.strict_matcher || failure.kind.is_cut_short() => {
            RunPrediction::HookFailed { matcher: matcher.describe(), failure }
        }
        MatchResult::Failed(failure) => RunPrediction::MatcherFailed { matcher: matcher.describe(), failure },
    }
}
