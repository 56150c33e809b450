//! What a failure of a hook means (docker-agent behaviour, section 3.4).

use pintle_contract::FailurePolicy;

use super::strict::Strict;
use super::warn;
use crate::docker_agent::{Compat, Row};

/// What the author wants to follow from a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnError {
    Warn,
    Ignore,
    Block,
}

const WORDS: &[(&str, OnError)] = &[("warn", OnError::Warn), ("ignore", OnError::Ignore), ("block", OnError::Block)];

/// What follows when the author says nothing.
pub(super) fn default(row: &Row, compat: Compat) -> FailurePolicy {
    match compat {
        _ if row.fails_closed => FailurePolicy::Closed,
        Compat::Newest => FailurePolicy::Open,
        // The first version only writes to its log.
        Compat::G1 => FailurePolicy::Ignored,
    }
}

/// Reads `on_error`. Nothing when it is absent, or changes nothing.
pub(super) fn read(fields: &mut Strict<'_>, row: &Row, compat: Compat) -> Option<FailurePolicy> {
    let node = fields.node("on_error")?;
    let chosen = match compat {
        Compat::Newest => fields.choice("on_error", WORDS, "on_error must be warn, ignore, or block")?,
        Compat::G1 => {
            let text = fields.text("on_error")?;
            let chosen = WORDS.iter().find(|(word, _)| *word == text).map(|(_, chosen)| *chosen);
            if chosen.is_none() {
                let message = format!("{}: on_error `{text}` is no word that means anything", fields.path);
                let help = Some(String::from("under `compat: g1` it counts as warn; write warn, ignore, or block"));
                warn(fields.report, "bad_value", message, node.span, help);
            }
            chosen.unwrap_or(OnError::Warn)
        }
    };
    if row.fails_closed {
        if chosen != OnError::Block {
            let message = format!("{}: a failed hook of {} always blocks the call", fields.path, row.name);
            warn(fields.report, "no_effect", message, node.span, Some(String::from("remove `on_error`")));
        }
        return None;
    }
    match (chosen, compat) {
        (OnError::Block, _) if row.blocks => Some(FailurePolicy::Closed),
        (OnError::Block, Compat::Newest) => {
            let help = Some(String::from("write `on_error: warn`, or leave it out"));
            let message = format!("hooks.{}: on_error block is not supported by this event", row.name);
            fields.report.error("bad_value", &message, node.span, help);
            None
        }
        (OnError::Ignore, _) => Some(FailurePolicy::Ignored),
        (OnError::Warn, Compat::Newest) => Some(FailurePolicy::Open),
        (OnError::Warn | OnError::Block, Compat::G1) => Some(FailurePolicy::Ignored),
    }
}
