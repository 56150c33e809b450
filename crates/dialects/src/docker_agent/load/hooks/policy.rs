//! Reads what happens if a hook fails.

use pintle_contract::{FailurePolicy, did_you_mean};

use crate::docker_agent::{DockerAgentVersion, DockerEventDef};
use crate::document::FieldReader;

/// The author's policy for failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnErrorPolicy {
    Warn,
    Ignore,
    Block,
}

const WORDS: &[(&str, OnErrorPolicy)] =
    &[("warn", OnErrorPolicy::Warn), ("ignore", OnErrorPolicy::Ignore), ("block", OnErrorPolicy::Block)];

/// The default policy.
pub(super) fn default(def: &DockerEventDef, version: DockerAgentVersion) -> FailurePolicy {
    match version {
        _ if def.fails_closed => FailurePolicy::Closed,
        DockerAgentVersion::Newest => FailurePolicy::Open,
        // The first version only logs the failure.
        DockerAgentVersion::G1 => FailurePolicy::Ignored,
    }
}

/// Reads `on_error`. `None` if it is absent or has no effect.
pub(super) fn read(
    fields: &mut FieldReader<'_>,
    def: &DockerEventDef,
    version: DockerAgentVersion,
) -> Option<FailurePolicy> {
    let node = fields.node("on_error")?;
    let text = fields.text("on_error")?;
    let chosen = WORDS.iter().find(|(word, _)| *word == text).map(|(_, chosen)| *chosen);
    let chosen = match (chosen, version) {
        (Some(chosen), _) => chosen,
        (None, DockerAgentVersion::Newest) => {
            let help = did_you_mean(&text, WORDS.iter().map(|(word, _)| *word));
            let message = format!("on_error must be warn, ignore, or block, not `{text}`");
            fields.report_fault("bad_value", message, node.span, help);
            return None;
        }
        (None, DockerAgentVersion::G1) => {
            let message = format!("{}: unknown value `{text}` for `on_error`", fields.path());
            let help = "`compat: g1` treats it as warn; write warn, ignore, or block";
            fields.report().warning("bad_value", message, node.span, help);
            OnErrorPolicy::Warn
        }
    };
    if def.fails_closed {
        if chosen != OnErrorPolicy::Block {
            let message = format!("{}: a failed hook of {} always blocks the call", fields.path(), def.name);
            fields.report().warning("no_effect", message, node.span, "remove `on_error`");
        }
        return None;
    }
    match (chosen, version) {
        (OnErrorPolicy::Block, _) if def.can_block => Some(FailurePolicy::Closed),
        (OnErrorPolicy::Block, DockerAgentVersion::Newest) => {
            let help = "write `on_error: warn`, or omit it";
            let message = format!("hooks.{}: on_error block is not supported by this event", def.name);
            fields.report().error("bad_value", message, node.span, help);
            None
        }
        (OnErrorPolicy::Ignore, _) => Some(FailurePolicy::Ignored),
        (OnErrorPolicy::Warn, DockerAgentVersion::Newest) => Some(FailurePolicy::Open),
        (OnErrorPolicy::Warn | OnErrorPolicy::Block, DockerAgentVersion::G1) => Some(FailurePolicy::Ignored),
    }
}
