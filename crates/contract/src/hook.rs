//! Hooks as the engine runs them, and the chains that contain them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{CallLimits, EventName, FailurePolicy, Handler, Location, Matcher};

/// The name of a hook, for display. For files it is the file's stem; two hooks may have the same name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HookId(Arc<str>);

impl HookId {
    /// Creates an ID from a name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name in a sentence. A command line is the name of its hook if its author gave none; then it is the file name
    /// of the script in it, or of the program.
    #[must_use]
    pub fn label(&self) -> &str {
        const QUOTES: [char; 2] = ['"', '\''];
        let name = self.as_str();
        let is_path = name.starts_with(['.', '/', '~', '$', '"', '\'']);
        let is_command =
            is_path || (name.contains(' ') && name.contains(['/', '$', '"', '\'', '|', ';', '&', '`', '\n']));
        if !is_command {
            return name;
        }
        let mut files = name
            .split(|letter: char| letter.is_whitespace() || QUOTES.contains(&letter))
            .map(|word| word.rsplit('/').next().unwrap_or(word))
            .filter(|file| !file.is_empty());
        let is_script = |file: &&str| {
            file.rsplit_once('.').is_some_and(|(stem, ending)| {
                !stem.is_empty()
                    && (1..=4).contains(&ending.len())
                    && ending.bytes().all(|byte| byte.is_ascii_lowercase())
            })
        };
        let program = files.clone().next();
        files.find(is_script).or(program).unwrap_or(name)
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

/// A hook that is ready to run: event, matcher, handler and options.
#[derive(Debug, Clone)]
pub struct Hook {
    /// The hook's name.
    pub id: HookId,
    /// The canonical event that the hook runs on.
    pub event: EventName,
    /// The event alias: the event's name as the hook's author wrote it. Handlers receive this name.
    pub event_alias: Arc<str>,
    /// The author's number for ordering, kept for display. The order itself is the position in the [`Chain`].
    pub priority: i64,
    /// Decides whether the hook runs; `None` matches every dispatch.
    pub matcher: Option<Arc<dyn Matcher>>,
    /// Runs the hook.
    pub handler: Arc<dyn Handler>,
    /// What a deny of the hook does.
    pub on_deny: DenyEffect,
    /// The complete definition as text, for dialects in which a hook that is defined twice runs once; `None` for other
    /// dialects.
    pub definition: Option<Arc<str>>,
    /// Whether the hook can deny. Guards are rechecked if the payload changes after their verdict.
    pub guard: bool,
    /// What a failure of the hook means for the decision.
    pub on_failure: FailurePolicy,
    /// Whether an error in the *matcher's* own code is a failure of the hook (the author wrote `on_error: closed`)
    /// instead of a non-match with a warning. A matcher that is cut short always fails its hook.
    pub strict_matcher: bool,
    /// Whether the verdict is enforced.
    pub mode: EnforcementMode,
    /// Whether the user trusts the source of the hook. An untrusted hook can only deny or ask.
    pub source_trust: SourceTrust,
    /// The tools that the hook's script may call.
    pub tools: Vec<String>,
    /// The limits of one call.
    pub limits: CallLimits,
    /// Where the hook was declared.
    pub location: Location,
}

/// What a deny of a hook does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DenyEffect {
    /// The deny has the effect that the event's definition states.
    #[default]
    #[serde(rename = "default")]
    DenyEvent,
    /// The agent's run ends, but the event itself is not denied. In docker-agent, `post_tool_use` works this way.
    StopRun,
}

/// Whether a hook's verdict is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EnforcementMode {
    /// The verdict is enforced.
    #[default]
    Enforce,
    /// The hook is called and its verdict recorded, but not enforced.
    Shadow,
}

/// Whether the user trusts the source of a hook.
///
/// The loader sets it, and the engine enforces it for every event, verdict and effect: anything but a deny or an ask
/// from an untrusted hook becomes a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceTrust {
    /// The user named the source, trusted it, or owns it.
    #[default]
    Trusted,
    /// The source is a project that the user has not trusted, or that changed since. The hook may deny and ask. It may
    /// not allow, rewrite, add text for the model, fire events or store state.
    Untrusted,
}

impl SourceTrust {
    /// Whether the source is trusted.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        *self == Self::Trusted
    }
}

/// A configuration layer: who configured a hook. Earlier layers run first, and later ones can only restrict further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// The organisation, in managed settings.
    Managed,
    /// The user, in personal settings.
    User,
    /// The project, in its files.
    Project,
    /// One agent of the project.
    Agent,
    /// Code, while the session runs.
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

/// How the verdicts of one chain are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Profile {
    /// Hooks run in order, and each sees the rewrites so far. The first deny ends the chain.
    #[serde(rename = "sequential/first_deny")]
    SequentialFirstDeny,
    /// Hooks run in order, and each sees the rewrites so far. All of them run, and the most restrictive verdict wins.
    #[serde(rename = "sequential/run_all")]
    SequentialRunAll,
    /// Hooks run in parallel on the same payload. The most restrictive verdict wins; two different rewrites of one
    /// field deny.
    #[serde(rename = "parallel/strictest")]
    ParallelStrictest,
    /// Hooks run in parallel on the same payload. The most restrictive verdict wins; rewrites are merged in declared
    /// order. docker-agent worked this way before its rewrites became sequential.
    #[serde(rename = "parallel/merge")]
    ParallelMerge,
    /// Hooks run in parallel on the same payload. Anything but a unanimous allow denies.
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

/// The hooks of one source, in declared order, with the profile that combines their verdicts.
#[derive(Debug, Clone)]
pub struct Chain {
    /// The name of the source for display, such as a path.
    pub source: Arc<str>,
    /// The dialect that the source is written in.
    pub dialect: &'static str,
    /// The configuration layer of the source.
    pub layer: Layer,
    /// How the verdicts are combined.
    pub profile: Profile,
    /// The hooks of all events, in declared order.
    pub hooks: Vec<Arc<Hook>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_named_by_its_script_or_its_program() {
        for (name, label) in [
            ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/h.sh", "h.sh"),
            ("./hooks/block-git.sh --strict", "block-git.sh"),
            ("python3 -u \"$HOME/x/guard.py\"", "guard.py"),
            ("/opt/tools/guard", "guard"),
            ("echo '{\"decision\": \"block\"}'", "echo"),
            ("guard", "guard"),
            ("pack:shell", "pack:shell"),
            ("policy::ask_server", "policy::ask_server"),
            ("team/guard", "team/guard"),
            ("No force push", "No force push"),
            ("", ""),
        ] {
            assert_eq!(HookId::new(name).label(), label, "{name}");
        }
    }
}
