//! What an agent says of one of its events, as data.

use std::borrow::Cow;

use pintle_contract::{DenyEffect, Event};
use serde_json::Value;

use super::EncodeContext;
use super::matcher::MatcherSyntax;
use crate::tools::ToolVocabulary;

/// What a matcher looks at.
pub type SubjectFn = fn(&EncodeContext<'_>) -> Option<Cow<'static, str>>;

/// One event of an agent.
#[derive(Debug, Clone, Copy)]
pub struct ClientEventDef {
    /// Its name there.
    pub name: &'static str,
    /// The event of the catalogue.
    pub canonical: &'static str,
    /// Other events of the catalogue that are the same event there.
    pub also_canonical: &'static [&'static str],
    /// Whether another row is the first of this event of the catalogue.
    pub is_alias: bool,
    /// How the payload is spelled.
    pub style: &'static PayloadStyle,
    /// The keys of the payload besides those of the voice.
    pub keys: &'static [&'static [ClientKey]],
    /// What a matcher looks at; without it a matcher is ignored.
    pub subject: Option<SubjectFn>,
    /// Whether it is about one tool call, so that permission rules can be written for it.
    pub is_tool: bool,
    /// Which of the catalogue's events are meant, where the agent's is narrower.
    pub event_filter: Option<fn(&Event) -> bool>,
    /// What a block does.
    pub block: BlockEffect,
    /// Whether a hook can decide in the person's place: allow, deny or ask.
    pub permission: bool,
    /// What exit status 2 does.
    pub exit_two: ExitTwoEffect,
    /// What a wish to stop does.
    pub stop: StopEffect,
    /// How a hook's input takes the place of the tool's.
    pub input: InputRewrite,
    /// Whether a hook can change the result.
    pub output: bool,
    /// Whether a hook's context reaches the model.
    pub context: bool,
    /// Who reads what is printed and is no JSON.
    pub text: PlainTextReader,
    /// Whether a failed hook denies, as the agent documents.
    pub fails_closed: bool,
    /// What a deny means to the host.
    pub on_deny: DenyEffect,
    /// The time-out where it is another than the handler's, in milliseconds.
    pub timeout_ms: Option<u64>,
}

/// How an agent spells its payloads.
#[derive(Debug)]
pub struct PayloadStyle {
    /// The keys that every payload begins with.
    pub base: &'static [ClientKey],
    /// How the tools are called.
    pub tools: &'static ToolVocabulary,
    /// How a matcher is read.
    pub matcher: MatcherSyntax,
    /// The result of a tool.
    pub response: fn(&EncodeContext<'_>) -> Value,
}

/// One key of a payload.
#[derive(Debug, Clone, Copy)]
pub struct ClientKey {
    /// Its name.
    pub name: &'static str,
    /// Its value; `None` leaves it out.
    pub value: fn(&EncodeContext<'_>) -> Option<Value>,
}

/// What a block does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockEffect {
    /// It denies in the sense of the catalogue's row.
    Deny,
    /// The reason goes to the model; what happened stands.
    NotifyModel,
    /// The reason takes the place of the tool's result, as an error.
    ReplaceResult,
    /// Nothing.
    Ignored,
}

/// What exit status 2 does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitTwoEffect {
    /// What a block does, with standard error as the reason.
    Block,
    /// Standard error goes to the model.
    NotifyModel,
    /// Standard error goes to the person.
    NotifyUser,
    /// The hook failed, as with any other status.
    Fail,
    /// Nothing.
    Ignored,
}

/// What a wish to stop does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopEffect {
    /// It denies.
    Deny,
    /// The agent may stop, whatever else is said.
    AllowStop,
    /// Nothing.
    Ignored,
}

/// How a hook's input takes the place of the tool's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputRewrite {
    /// It does not.
    Unchanged,
    /// As a whole.
    Replace,
    /// Its fields are laid over the tool's.
    Merge,
}

/// Who reads what is printed and is no JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainTextReader {
    /// Nobody.
    Discarded,
    /// The model.
    Model,
    /// The person.
    User,
}

impl ClientEventDef {
    /// An event that only tells.
    pub const fn observe_only(voice: &'static PayloadStyle) -> Self {
        Self {
            name: "",
            canonical: "",
            also_canonical: &[],
            is_alias: false,
            style: voice,
            keys: &[],
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
        }
    }

    /// Whether a hook on it can deny.
    #[must_use]
    pub fn can_deny(&self) -> bool {
        self.is_gate() || self.stop == StopEffect::Deny
    }

    /// Whether a hook on it can keep what it is about from happening. A wish to stop later does not.
    #[must_use]
    pub fn is_gate(&self) -> bool {
        self.permission || self.block == BlockEffect::Deny || self.fails_closed
    }

    /// The keys of its payload, in order.
    pub fn all_keys(&self) -> impl Iterator<Item = &'static ClientKey> + use<> {
        self.style.base.iter().chain(self.keys.iter().copied().flatten())
    }
}
