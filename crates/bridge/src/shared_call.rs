//! Decides once on a call that several installed entries report, because Pintle is installed in several scopes.
//!
//! The agent runs every entry, often at the same time, and sends each the same payload. The first one decides; the others
//! wait and repeat what restrains the agent. Entries whose hooks differ are never the same question. Without a decision
//! to repeat, each decides itself: if the first one was killed or failed, and whenever anything is in doubt.

use std::io;
use std::path::{Path, PathBuf};

use pintle_host::contract::to_hex;
use pintle_host::tape::shared_call::{SharedAnswer, SharedCall};
use pintle_host::{Decision, Redactor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{HostCall, HostDecision, HostEvent, HostEventData, HostEventDef};

/// The directory in that of a host. No session has such a name.
const FOLDER: &str = ".calls";

/// The installed entry that reports a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallingEntry {
    /// Its command line, in which the entries of different scopes differ.
    pub line: String,
    /// Everything that decides which hooks are asked, and how. Only entries with the same are asked once.
    pub question: String,
}

/// The directory of the shared calls in that of a host.
pub(crate) fn shared_calls_dir(host_dir: &Path) -> PathBuf {
    host_dir.join(FOLDER)
}

/// Which entry decides a call.
pub(crate) enum CallDecider {
    /// Another one did: its decision, without what must not be said twice.
    Other(Box<HostDecision>),
    /// This one does, and lets the others know.
    This(SharedCall),
}

/// The part of a decision that restrains the agent, and does the same if it is said twice.
#[derive(Debug, Serialize, Deserialize)]
struct RepeatedDecision {
    decision: Decision,
    reason: String,
    is_approved: bool,
    input: Option<Value>,
    output: Option<Value>,
    stop: Option<String>,
}

impl RepeatedDecision {
    fn new(host_decision: &HostDecision, event: &HostEvent) -> Self {
        // A denied end makes the agent continue with the reason as its input, which is said once.
        let is_end = matches!(event.data, HostEventData::Stop { .. } | HostEventData::SubagentStop { .. });
        let host_decision = if is_end {
            HostDecision { stop: host_decision.stop.clone(), ..HostDecision::pass() }
        } else {
            host_decision.clone()
        };
        let HostDecision { decision, reason, is_approved, input, output, stop, .. } = host_decision;
        Self { decision, reason, is_approved, input, output, stop }
    }

    fn into_decision(self) -> HostDecision {
        let Self { decision, reason, is_approved, input, output, stop } = self;
        HostDecision { decision, reason, is_approved, input, output, stop, ..HostDecision::pass() }
    }
}

impl CallDecider {
    /// Waits for the decision of another entry on the same call, if there is one. `None` if other entries are not known of,
    /// or the records of calls cannot be used: then the call is decided whatever other entries do.
    pub(crate) fn find(host_call: &HostCall<'_>, def: &HostEventDef, host_dir: &Path) -> Option<Self> {
        let entry = host_call.entry?;
        let project = host_call.project.as_deref().unwrap_or(Path::new("")).as_os_str().as_encoded_bytes();
        let call = digest_hex([
            env!("CARGO_PKG_VERSION").as_bytes(),
            host_call.host.name.as_bytes(),
            def.name.as_bytes(),
            project,
            &[u8::from(host_call.shadow)],
            entry.question.as_bytes(),
            host_call.payload,
        ]);
        let reporter = digest_hex([entry.line.as_bytes()]);
        match SharedAnswer::take(&shared_calls_dir(host_dir), &call, &reporter).ok()? {
            SharedAnswer::Known(answer) => {
                let made: RepeatedDecision = serde_json::from_value(answer).ok()?;
                Some(Self::Other(Box::new(made.into_decision())))
            }
            SharedAnswer::Own(call) => Some(Self::This(call)),
        }
    }
}

/// Lets the other entries know the decision. One with a secret that is redacted elsewhere is not written: then they
/// decide themselves.
///
/// # Errors
/// When it cannot be written; then they decide themselves, too.
pub(crate) fn share_decision(
    call: SharedCall,
    decision: &HostDecision,
    event: &HostEvent,
    redactor: Option<&dyn Redactor>,
) -> io::Result<()> {
    let answer = serde_json::to_value(RepeatedDecision::new(decision, event))?;
    if redactor.is_some_and(|redactor| redactor.redact_value(&answer).is_some()) {
        return Ok(());
    }
    call.answer(answer)
}

fn digest_hex<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part.len().to_le_bytes());
        digest.update(part);
    }
    to_hex(&digest.finalize())
}
