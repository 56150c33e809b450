//! The definition of a client's event, as data, in both directions: Pintle runs the client's hooks at it, and the client
//! runs Pintle at it.

use std::borrow::Cow;

use pintle_contract::{DenyEffect, Event, EventKind, EventName, FileContentKeys};
use serde_json::Value;

use pintle_tools::ToolVocabulary;

use crate::EncodeContext;
use crate::host::{
    ActionSupport, HostDecision, HostEvent, HostEventContext, HostEventData, HostEventKind, HostField, HostFields,
    HostPayloadError, HostResponse, HostSupport, ResponseContext,
};
use crate::matcher::MatcherSyntax;

/// Extracts the subject that a matcher is applied to.
pub type SubjectFn = fn(&EncodeContext<'_>) -> Option<Cow<'static, str>>;

/// One event of a client.
#[derive(Debug, Clone, Copy)]
pub struct ClientEventDef {
    /// The client's name of the event.
    pub name: &'static str,
    /// The catalogue's event for which the client's hooks run; `None` if the catalogue does not have it.
    pub canonical: Option<EventKind>,
    /// Other events of the catalogue that are the same event in the client.
    pub also_canonical: &'static [EventKind],
    /// Whether another definition is the first one of this catalogue event.
    pub is_alias: bool,
    /// The shape of the payload.
    pub style: &'static PayloadStyle,
    /// The keys of the payload, in addition to those of the style.
    pub keys: &'static [&'static [ClientKey]],
    /// The keys of the file that the call reads, if hooks are given its content.
    pub file_content: Option<FileContentKeys>,
    /// The subject that a matcher is applied to; without it a matcher is ignored.
    pub subject: Option<SubjectFn>,
    /// Whether it is about one tool call, so that permission rules apply to it.
    pub is_tool: bool,
    /// Selects the events of the catalogue that are meant, if the client's event is narrower.
    pub event_filter: Option<fn(&Event) -> bool>,
    /// The effect of a block.
    pub block: BlockEffect,
    /// Whether a hook can decide on the user's behalf: allow, deny or ask.
    pub permission: bool,
    /// The effect of exit status 2.
    pub exit_two: ExitTwoEffect,
    /// The effect of `continue: false`.
    pub stop: StopEffect,
    /// How a hook's input replaces the tool's.
    pub input: InputRewrite,
    /// Whether a hook can change the tool result.
    pub output: bool,
    /// Whether a hook's context reaches the model.
    pub context: bool,
    /// Who receives output that is not JSON.
    pub text: PlainTextReader,
    /// Whether a failed hook denies, as the client documents.
    pub fails_closed: bool,
    /// The effect of a deny on the host.
    pub on_deny: DenyEffect,
    /// The timeout in milliseconds, if it differs from the handler's.
    pub timeout_ms: Option<u64>,
    /// The catalogue's events that Pintle fires when the client reports the event, in order.
    pub fires: &'static [EventKind],
    /// The event `custom.*` that Pintle then fires, for an event that the catalogue does not have.
    pub custom: Option<&'static str>,
    /// What the payload is read as.
    pub kind: HostEventKind,
    /// Keys that are read and not written.
    pub read_keys: &'static [ClientKey],
    /// Changes what was read, where the keys do not say everything.
    pub adjust: AdjustFn,
    /// Whether the host waits for permission, so that a missing response means a denial.
    pub is_guard: bool,
    /// Whether the event is so frequent, or so rarely useful, that it is installed only if it is named.
    pub high_volume: bool,
    /// The tool vocabulary at this event, if it differs from the host's usual one.
    pub tools: Option<&'static ToolVocabulary>,
    /// The host's support for every decision.
    pub support: &'static HostSupport,
    /// Writes a decision, fitted to [`ClientEventDef::support`], as a host response.
    pub write_response: WriteResponseFn,
}

/// Changes what was read of a payload.
pub type AdjustFn = fn(payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError>;

/// Writes a decision as a response.
pub type WriteResponseFn = fn(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse;

/// The shape of a client's payloads.
#[derive(Debug)]
pub struct PayloadStyle {
    /// The keys at the start of every payload.
    pub base: &'static [ClientKey],
    /// The names of the client's tools.
    pub tools: &'static ToolVocabulary,
    /// The syntax of matchers.
    pub matcher: MatcherSyntax,
    /// Encodes the result of a tool.
    pub response: fn(&EncodeContext<'_>) -> Value,
    /// Keys that are read at every event, and written at some or none.
    pub read_keys: &'static [&'static [ClientKey]],
    /// Changes the session, turn and agent that were read, where the keys do not say everything.
    pub adjust_context: fn(&Value, &mut HostEventContext),
}

/// One key of a payload.
#[derive(Debug, Clone, Copy)]
pub struct ClientKey {
    /// The name of the key; with `/` it is a key of an object in the payload.
    pub name: &'static str,
    /// Encodes the value; `None` omits the key.
    pub value: fn(&EncodeContext<'_>) -> Option<Value>,
    /// The data that the key fills when the payload is read.
    pub field: Option<HostField>,
}

/// The effect of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockEffect {
    /// Denies, as the catalogue defines it for the event.
    Deny,
    /// The reason goes to the model; the action is not undone.
    NotifyModel,
    /// The reason replaces the tool result, as an error.
    ReplaceResult,
    /// No effect.
    Ignored,
}

/// The effect of exit status 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitTwoEffect {
    /// The same as a block, with standard error as the reason.
    Block,
    /// Standard error goes to the model.
    NotifyModel,
    /// Standard error goes to the user.
    NotifyUser,
    /// A failure, as with any other nonzero status.
    Fail,
    /// No effect.
    Ignored,
}

/// The effect of `continue: false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopEffect {
    /// Denies.
    Deny,
    /// The agent may stop, whatever other hooks say.
    AllowStop,
    /// No effect.
    Ignored,
}

/// How a hook's input replaces the tool's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputRewrite {
    /// The tool's input stays unchanged.
    Unchanged,
    /// The hook's input replaces it completely.
    Replace,
    /// The hook's fields are merged into the tool's.
    Merge,
}

/// Who receives output that is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainTextReader {
    /// No one; it is discarded.
    Discarded,
    /// The model.
    Model,
    /// The user.
    User,
}

/// An event of which a host knows only that it happened.
static UNSUPPORTED: HostSupport = HostSupport::OBSERVE_ONLY;

impl ClientEventDef {
    /// An event on which hooks can only observe.
    pub const fn observe_only(style: &'static PayloadStyle) -> Self {
        Self {
            name: "",
            canonical: None,
            also_canonical: &[],
            is_alias: false,
            style,
            keys: &[],
            file_content: None,
            subject: None,
            is_tool: false,
            event_filter: None,
            block: BlockEffect::Ignored,
            permission: false,
            exit_two: ExitTwoEffect::Ignored,
            stop: StopEffect::Ignored,
            input: InputRewrite::Unchanged,
            output: false,
            context: false,
            text: PlainTextReader::Discarded,
            fails_closed: false,
            on_deny: DenyEffect::DenyEvent,
            timeout_ms: None,
            fires: &[],
            custom: None,
            kind: HostEventKind::Other,
            read_keys: &[],
            adjust: |_payload, data| Ok(data),
            is_guard: false,
            high_volume: false,
            tools: None,
            support: &UNSUPPORTED,
            write_response: empty_response,
        }
    }

    /// An event that the catalogue does not have.
    pub const fn unmapped(
        style: &'static PayloadStyle,
        name: &'static str,
        custom: &'static str,
        support: &'static HostSupport,
        write_response: WriteResponseFn,
    ) -> Self {
        Self { name, custom: Some(custom), high_volume: true, support, write_response, ..Self::observe_only(style) }
    }

    /// Whether a deny makes an agent continue, with the reason as its next message, instead of preventing something.
    #[must_use]
    pub fn deny_continues(&self) -> bool {
        self.support.deny == ActionSupport::SUBAGENT_CONTINUES
            || self.fires.iter().any(|event| !event.def().deny_restricts)
    }

    /// The event with what the client supports when it runs Pintle, and the writer of its responses.
    #[must_use]
    pub const fn answered(self, support: &'static HostSupport, write_response: WriteResponseFn) -> Self {
        Self { support, write_response, ..self }
    }

    /// Every event that Pintle fires when the client reports the event, in order; none if the client never does.
    pub fn fired_events(&self) -> impl Iterator<Item = EventName> + use<> {
        let custom = self.custom.and_then(|name| EventName::parse(name).ok());
        self.fires.iter().copied().map(EventName::from).chain(custom)
    }

    /// Whether a hook on it can deny.
    #[must_use]
    pub fn can_deny(&self) -> bool {
        self.is_gate() || self.stop == StopEffect::Deny
    }

    /// Whether a hook on it can block the action itself. Stopping the agent later is not enough.
    #[must_use]
    pub fn is_gate(&self) -> bool {
        self.permission || self.block == BlockEffect::Deny || self.fails_closed
    }

    /// The keys of its payload, in order.
    pub fn all_keys(&self) -> impl Iterator<Item = &'static ClientKey> + use<> {
        self.style.base.iter().chain(self.keys.iter().copied().flatten())
    }

    /// The keys that are read and not written, in order.
    pub(crate) fn read_only_keys(&self) -> impl Iterator<Item = &'static ClientKey> + use<> {
        self.read_keys.iter().chain(self.style.read_keys.iter().copied().flatten())
    }

    /// Reads a payload as the client sends it.
    ///
    /// # Errors
    /// When the payload does not fit the event.
    pub fn read(&'static self, payload: &Value) -> Result<HostEvent, HostPayloadError> {
        let fields = HostFields::new(self, payload)?;
        let mut context = fields.context();
        (self.style.adjust_context)(payload, &mut context);
        Ok(HostEvent { context, data: (self.adjust)(payload, fields.data(self.kind)?)? })
    }
}

/// The context that was read, as it is.
pub fn unchanged_context(_payload: &Value, _context: &mut HostEventContext) {}

/// An event whose response is ignored.
#[must_use]
pub fn empty_response(_context: &ResponseContext<'_>, _decision: &HostDecision) -> HostResponse {
    HostResponse::empty()
}
