//! Predicts which hooks would run, in which order, and why others would not. No handler is called.

use std::fmt;
use std::sync::Arc;

use pintle_contract::{
    Chain, EnforcementMode, Event, EventName, Failure, Hook, HookId, Layer, Location, MatchResult, Profile,
    SubjectFilter,
};

use crate::HookSet;
use crate::select::{is_duplicate, is_hook_failure, match_hook};

/// The prediction for one hook of a set.
#[derive(Debug, Clone)]
pub struct HookExplanation {
    /// The hook.
    pub hook: HookId,
    /// The source of the hook, such as a path.
    pub source: Arc<str>,
    /// The configuration layer of the hook.
    pub layer: Layer,
    /// How its chain combines verdicts.
    pub profile: Profile,
    /// The event of the hook.
    pub event: EventName,
    /// The author's number for ordering.
    pub priority: i64,
    /// Whether its verdict would be enforced.
    pub mode: EnforcementMode,
    /// Whether the hook can deny.
    pub guard: bool,
    /// Where it was declared.
    pub location: Location,
    /// Whether the hook would run.
    pub prediction: RunPrediction,
}

/// Whether a hook would run. It displays as one line.
#[derive(Debug, Clone, PartialEq)]
pub enum RunPrediction {
    /// The hook would be called.
    Yes,
    /// An earlier hook has the same definition and is called instead.
    Duplicate {
        /// The earlier hook.
        hook: HookId,
        /// The source of the earlier hook.
        source: Arc<str>,
    },
    /// The hook is for another event.
    OtherEvent {
        /// The event of the hook.
        event: EventName,
    },
    /// The hook is for other subjects, such as other tools.
    OtherSubject {
        /// The payload field with the subject, such as `name`.
        field: &'static str,
        /// The subject of this event.
        subject: String,
        /// The subjects that the hook matches.
        names: Vec<String>,
        /// The matcher as its author wrote it.
        matcher: String,
    },
    /// The matcher returns false.
    NoMatch {
        /// The matcher as its author wrote it.
        matcher: String,
    },
    /// The matcher fails; the hook is skipped with a warning.
    MatcherFailed {
        /// The matcher as its author wrote it.
        matcher: String,
        /// The failure of the matcher.
        failure: Failure,
    },
    /// The matcher fails, and this is a failure of the hook: its author said so, or a limit ended the matcher.
    HookFailed {
        /// The matcher as its author wrote it.
        matcher: String,
        /// The failure of the matcher.
        failure: Failure,
    },
}

impl RunPrediction {
    /// Whether the hook would be called.
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
                write!(f, "does not run again: it duplicates `{hook}` of {source}")
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
                write!(f, "does not run and fails: `{matcher}` failed: {failure}")
            }
        }
    }
}

/// Predicts for every hook of a set, in calling order, whether it would run for an event, and why not.
///
/// The prediction uses the event as it is fired. The effect of a rewrite or deny is only known during the call, so a
/// later hook may run or not despite the prediction.
#[must_use]
pub fn explain(set: &HookSet, event: &Event) -> Vec<HookExplanation> {
    let same_before = |number: usize, chain: &Chain, hook: &Hook| {
        let before = set.hooks().take(number).filter(|(_, one)| one.event == hook.event);
        let duplicates = before
            .filter(|(its, one)| is_duplicate((its.dialect, its.profile, one), (chain.dialect, chain.profile, hook)));
        let mut duplicates = duplicates;
        duplicates.find(|(_, one)| matches!(match_hook(one, event), MatchResult::Yes))
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
    if let (Some(field), Some(subject), SubjectFilter::Only { certain, possible }) =
        (field, event.subject(), matcher.subjects())
    {
        if certain.iter().any(|name| name == subject) {
            return RunPrediction::Yes;
        }
        if !possible.iter().any(|name| name == subject) {
            let written = matcher.written_subjects();
            let names = written.names().into_iter().flatten().map(str::to_owned).collect();
            return RunPrediction::OtherSubject {
                field,
                subject: subject.to_owned(),
                names,
                matcher: matcher.describe(),
            };
        }
    }
    match match_hook(hook, event) {
        MatchResult::Yes => RunPrediction::Yes,
        MatchResult::No => RunPrediction::NoMatch { matcher: matcher.describe() },
        MatchResult::Failed(failure) if is_hook_failure(hook, event, &failure) => {
            RunPrediction::HookFailed { matcher: matcher.describe(), failure }
        }
        MatchResult::Failed(failure) => RunPrediction::MatcherFailed { matcher: matcher.describe(), failure },
    }
}
