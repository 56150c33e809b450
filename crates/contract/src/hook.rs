//! Hooks as the engine runs them, and the chains they stand in.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{CallLimits, EventName, FailurePolicy, Handler, Location, Matcher};

/// A hook's name, unique enough for people: for files it is the file's stem.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HookId(Arc<str>);

impl HookId {
    /// Makes an id from a name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

/// A compiled hook: event, matcher, handler and options.
#[derive(Debug, Clone)]
pub struct Hook {
    /// The hook's name.
    pub id: HookId,
    /// The canonical event it listens to.
    pub event: EventName,
    /// The event's name as the hook's author wrote it; handlers are told this one.
    pub event_alias: Arc<str>,
    /// The author's number for ordering, kept for people. The order itself is the position in the [`Chain`].
    pub priority: i64,
    /// Whether the hook wants an event; `None` matches every dispatch.
    pub matcher: Option<Arc<dyn Matcher>>,
    /// What runs.
    pub handler: Arc<dyn Handler>,
    /// What a deny of this hook means.
    pub on_deny: DenyEffect,
    /// The whole definition as text, for dialects in which a hook that is defined twice runs once.
    pub definition: Option<Arc<str>>,
    /// Whether the hook can deny. Guards are asked again when the target changes after they judged it.
    pub guard: bool,
    /// What a failure of this hook means.
    pub on_failure: FailurePolicy,
    /// Whether an error of the *matcher's* own code counts as a failure of the hook (`on_error: closed` written by the
    /// author) rather than as a non-match with a warning. A matcher that is cut short always fails its hook.
    pub strict_matcher: bool,
    /// Whether the verdict is enforced.
    pub mode: EnforcementMode,
    /// Whether the user trusts its source. An untrusted hook can only restrict.
    pub source_trust: SourceTrust,
    /// The tools that its script may call.
    pub tools: Vec<String>,
    /// What one call may use.
    pub limits: CallLimits,
    /// Where the hook was declared.
    pub location: Location,
}

/// What a deny of a hook means to the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DenyEffect {
    /// What the event's row of the catalogue says.
    #[default]
    #[serde(rename = "default")]
    DenyEvent,
    /// The agent's run ends; what the event is about stands (docker-agent, `post_tool_use`).
    StopRun,
}

/// Whether a hook's verdict is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EnforcementMode {
    /// The verdict counts.
    #[default]
    Enforce,
    /// The hook is asked and its verdict recorded, and nothing follows from it.
    Shadow,
}

/// Whether the user trusts the source of a hook.
///
/// Set by whoever loads the hook, and held by the engine for every event, verdict and effect: what an untrusted hook says
/// beyond a deny or an ask counts as no opinion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceTrust {
    /// The user named the source, agreed to it, or owns it.
    #[default]
    Trusted,
    /// It comes with a project that the user did not agree to, or not as it is now. It may deny and ask; it may not allow,
    /// rewrite, give text to the model, cause events or leave state behind.
    Untrusted,
}

impl SourceTrust {
    /// Whether it is the default.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        *self == Self::Trusted
    }
}

/// Who put a hook there. Earlier layers come first, and later ones can only narrow (design, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// The organisation.
    Managed,
    /// The person.
    User,
    /// The project.
    Project,
    /// One agent of the project.
    Agent,
    /// Registered while running.
    Runtime,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
            Self::Agent => "agent",
            Self::Runtime => "runtime",
        })
    }
}

/// How the verdicts of one chain compose (design, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Profile {
    /// Calls in order, each sees the rewrites so far; the first deny ends the chain.
    #[serde(rename = "sequential/first_deny")]
    SequentialFirstDeny,
    /// Calls in order, each sees the rewrites so far; all run and the severest wins.
    #[serde(rename = "sequential/run_all")]
    SequentialRunAll,
    /// All see the same payload; the severest wins; two different rewrites of one field deny.
    #[serde(rename = "parallel/strictest")]
    ParallelStrictest,
    /// All see the same payload; the severest wins; rewrites are laid over each other in declared order (docker-agent
    /// before its rewrites became sequential).
    #[serde(rename = "parallel/merge")]
    ParallelMerge,
    /// All see the same payload; anything but unanimous allow denies.
    #[serde(rename = "parallel/unanimous")]
    ParallelUnanimous,
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SequentialFirstDeny => "sequential/first_deny",
            Self::SequentialRunAll => "sequential/run_all",
            Self::ParallelStrictest => "parallel/strictest",
            Self::ParallelMerge => "parallel/merge",
            Self::ParallelUnanimous => "parallel/unanimous",
        })
    }
}

/// The hooks of one source, in declared order, and how they compose.
#[derive(Debug, Clone)]
pub struct Chain {
    /// The source's name for people, such as a path.
    pub source: Arc<str>,
    /// The dialect the source is written in.
    pub dialect: &'static str,
    /// Who put it there.
    pub layer: Layer,
    /// How its verdicts compose.
    pub profile: Profile,
    /// The hooks, in declared order, of any events.
    pub hooks: Vec<Arc<Hook>>,
}
