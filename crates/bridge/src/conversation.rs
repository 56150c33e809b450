//! The conversation of a host, read from its own transcript.

use std::io::ErrorKind;
use std::path::PathBuf;

use pintle_host::AgentConversation;
use pintle_host::clients::transcript::{ClientTranscript, TranscriptReader};
use pintle_host::contract::HandlerSpec;
use pintle_host::event::ChatMessage;
use pintle_host::files::{MAX_TEXT_BYTES, read_tail};
use serde_json::Value;

use crate::session::HostSessionState;
use crate::{HostDef, HostEvent, HostEventData};

/// How much of the end of a transcript is read first, in bytes; four times as much each time that it is not enough.
const FIRST_BYTES: u64 = 256 * 1024;

/// A transcript in a host's own format: JSON values, one a line.
#[derive(Debug)]
pub(crate) struct HostConversation {
    title: &'static str,
    transcript: Option<TranscriptReader>,
    path: Option<PathBuf>,
    /// Whether the session has just begun, so that there may be no transcript yet.
    is_new: bool,
}

impl HostConversation {
    /// The conversation that an event belongs to.
    pub(crate) fn new(host: &HostDef, event: &HostEvent, state: &HostSessionState) -> Self {
        let is_new = match &event.data {
            HostEventData::SessionStart { source } => source != "resume",
            HostEventData::Prompt { .. } => state.turn <= 1,
            _ => false,
        };
        Self { title: host.title, transcript: host.transcript, path: transcript_path(event), is_new }
    }
}

/// The host's transcript of the session, if it is known where it is.
pub(crate) fn transcript_path(event: &HostEvent) -> Option<PathBuf> {
    event.context.transcript_path.as_ref().map(PathBuf::from)
}

/// Whether a script says that it looks back at the conversation.
pub(crate) fn looks_back(handler: &HandlerSpec) -> bool {
    mentions(handler, &["transcript.messages", "unsettled_state"])
}

/// Whether a script can look back at the conversation: under another name, or in a module that it loads.
pub(crate) fn may_look_back(handler: &HandlerSpec) -> bool {
    mentions(handler, &["transcript", "unsettled_state", "load("])
}

fn mentions(handler: &HandlerSpec, words: &[&str]) -> bool {
    let text = match handler {
        HandlerSpec::Script(source) => &source.text,
        HandlerSpec::Function(function) => &function.module.text,
        _ => return false,
    };
    words.iter().any(|word| text.contains(word))
}

impl AgentConversation for HostConversation {
    fn newest_messages(&self, last: usize) -> Result<Vec<ChatMessage>, String> {
        let title = self.title;
        let Some(read) = self.transcript else {
            return Err(format!("{title} does not show its conversation in a form that Pintle reads"));
        };
        let path = match &self.path {
            Some(path) => path,
            None if self.is_new => return Ok(Vec::new()),
            None => return Err(format!("{title} did not say where its transcript is")),
        };
        let mut wanted = FIRST_BYTES;
        loop {
            let (bytes, is_whole) = match read_tail(path, wanted) {
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::NotFound && self.is_new => return Ok(Vec::new()),
                Err(error) => return Err(format!("cannot read the transcript `{}`: {error}", path.display())),
            };
            let text = String::from_utf8_lossy(&bytes);
            // The first line is cut, unless it is the first of the file; the last one may not be written to its end.
            let text = if is_whole { &*text } else { text.split_once('\n').map_or("", |(_, rest)| rest) };
            let lines = text.rsplit_once('\n').map_or("", |(lines, _)| lines);
            let mut transcript = ClientTranscript::default();
            for line in lines.lines().filter(|line| !line.trim().is_empty()) {
                let line: Value = serde_json::from_str(line)
                    .map_err(|error| format!("a line of `{}` is not JSON: {error}", path.display()))?;
                read(&line, &mut transcript);
            }
            let count = transcript.message_count();
            if count >= last || is_whole {
                return Ok(transcript.into_messages().skip(count.saturating_sub(last)).collect());
            }
            if wanted >= MAX_TEXT_BYTES {
                let most = MAX_TEXT_BYTES >> 20;
                return Err(format!("the last {most} MiB of the transcript have only {count} messages; ask for fewer"));
            }
            wanted *= 4;
        }
    }
}
