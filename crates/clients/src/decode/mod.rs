//! Decodes hook output into verdicts.
//!
//! Output means what the client documents, with one exception: a deny that the client would ignore, because it follows
//! a log line, contains a typo or comes with another exit status, denies here.

mod process;
mod reply;
mod verdict;

use pintle_contract::{Codec, Event, Failure, FailureKind, HandlerOutput, JsonError, Verdict, read_json};
use serde_json::{Map, Value};

use crate::codec::ClientCodec;
use crate::event_def::ClientEventDef;
use crate::refusal;
use crate::refusal::refuses;

/// The event and codec of the hook whose output is decoded.
#[derive(Debug, Clone, Copy)]
struct ClientDecodeContext<'a> {
    codec: &'a ClientCodec,
    event: &'a Event,
    def: &'static ClientEventDef,
}

/// Decodes the output of a hook.
pub(super) fn decode(codec: &ClientCodec, event: &Event, event_alias: &str, answer: HandlerOutput) -> Verdict {
    let Some(row) = codec.client.event_def(event_alias) else {
        return bad_output(format!("{} has no event `{event_alias}`", codec.client.title));
    };
    let asked = ClientDecodeContext { codec, event, def: row };
    match answer {
        HandlerOutput::Process(answer) => process::decode(&asked, &answer),
        HandlerOutput::Text(reply) => decode_model_reply(&asked, &reply),
        HandlerOutput::Script(_) | HandlerOutput::Returned(_) => {
            bad_output("only commands, HTTP servers and models can be hooks in this dialect")
        }
    }
}

impl ClientDecodeContext<'_> {
    /// Whether the client has a field of this name.
    fn is_field(&self, name: &str) -> bool {
        self.codec.client.output_fields.iter().any(|field| field.name == name)
    }

    /// Whether an object that denies only repeats what the hook was given.
    fn is_echo(&self, object: &Map<String, Value>) -> bool {
        refusal::is_echo(object, || self.codec.encode(self.event, self.def.name), |name| self.is_field(name))
    }
}

fn bad_output(message: impl Into<String>) -> Verdict {
    Verdict::failed(Failure::new(FailureKind::BadOutput, message))
}

/// Handles ambiguous output. If the hook can block the event, it denies, whatever the failure policy is: only its
/// author can know that it was not meant to deny.
fn decode_ambiguous(context: &ClientDecodeContext<'_>, error: &JsonError) -> Verdict {
    let message = format!("the hook's output is ambiguous: {error}");
    if context.def.is_gate() { Verdict::deny(message) } else { bad_output(message) }
}

/// Decodes a model's reply: `{"ok": .., "reason": ".."}`. A code fence and text around the object are ignored.
fn decode_model_reply(context: &ClientDecodeContext<'_>, reply: &str) -> Verdict {
    let object = match (reply.find('{'), reply.rfind('}')) {
        (Some(first), Some(last)) => reply.get(first..=last),
        _ => None,
    };
    let fields: Map<String, Value> = match object.map(read_json) {
        Some(Ok(fields)) => fields,
        Some(Err(error)) if error.is_repeated_key() => return decode_ambiguous(context, &error),
        Some(Err(_)) | None => return bad_output("the model's reply contains no JSON object"),
    };
    let reason = fields.get("reason").and_then(Value::as_str).unwrap_or_default();
    let mut others = fields.iter().filter(|(name, _)| !matches!(name.as_str(), "ok" | "reason"));
    match fields.get("ok").and_then(Value::as_bool) {
        Some(true) if context.def.is_gate() && others.any(|(name, value)| refuses(name, value)) => {
            verdict::deny_with_reason(context, reason)
                .with_warning("the model's reply says `ok`, but another of its fields denies")
        }
        Some(true) => Verdict::pass(),
        Some(false) => verdict::deny_with_reason(context, reason),
        None => bad_output("the model's reply has no boolean field `ok`"),
    }
}

/// One field of a hook's output.
#[derive(Debug, Clone, Copy)]
pub struct OutputField {
    /// The key of the field.
    pub name: &'static str,
    /// Whether the field is inside the event-specific object, `hookSpecificOutput`.
    pub is_nested: bool,
    /// What the field's value means.
    pub meaning: FieldMeaning,
}

/// What a field's value means.
#[derive(Debug, Clone, Copy)]
pub enum FieldMeaning {
    /// The event-specific object.
    Specific,
    /// The event's name.
    EventName,
    /// Whether the agent may continue.
    Continue,
    /// Why the agent may not continue.
    StopReason,
    /// A block decision, by its values.
    Decision(&'static [(&'static str, FieldChoice)]),
    /// The reason of a block.
    Reason,
    /// The reason of a block; a notice for the user if nothing is blocked.
    ReasonOrNotice,
    /// A permission decision on the user's behalf, by its values.
    Permission(&'static [(&'static str, FieldChoice)]),
    /// The reason of a permission decision.
    PermissionReason,
    /// An object with a permission decision: `behavior`, `message`, `updatedInput`.
    Behavior,
    /// Context for the model.
    Context,
    /// A notice for the user.
    Notice,
    /// The tool input.
    Input,
    /// The tool result; if it is an object, the text is in this field.
    Output(Option<&'static str>),
    /// Whether the action must be cancelled.
    Cancel,
    /// Whether the user should be asked.
    Review,
    /// A message with which the agent continues instead of stopping.
    Followup,
    /// Known but not supported, and why; empty if no warning is needed.
    NotCarriedOver(&'static str),
}

/// The decision that a value stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldChoice {
    /// Allowed without asking.
    Allow,
    /// Allowed without asking if a new input comes with it; no opinion otherwise.
    AllowInput,
    /// No opinion.
    Pass,
    /// The user is asked.
    Ask,
    /// Denied.
    Deny,
}

impl OutputField {
    /// A field at the top level.
    #[must_use]
    pub const fn top_level(name: &'static str, means: FieldMeaning) -> Self {
        Self { name, is_nested: false, meaning: means }
    }

    /// A field inside the event-specific object.
    #[must_use]
    pub const fn nested(name: &'static str, means: FieldMeaning) -> Self {
        Self { name, is_nested: true, meaning: means }
    }

    /// Whether the field can deny or ask.
    fn can_restrict(&self) -> bool {
        matches!(
            self.meaning,
            FieldMeaning::Specific
                | FieldMeaning::Continue
                | FieldMeaning::Decision(_)
                | FieldMeaning::Permission(_)
                | FieldMeaning::Behavior
                | FieldMeaning::Cancel
                | FieldMeaning::Review
        )
    }
}
