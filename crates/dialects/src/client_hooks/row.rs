//! What an agent says of one of its events, as data.

use std::borrow::Cow;

use pintle_contract::{DenyEffect, Event};
use serde_json::Value;

use super::Given;
use super::matcher::Rule;
use crate::tools::Vocabulary;

/// What a matcher looks at.
pub type Subject = fn(&Given<'_>) -> Option<Cow<'static, str>>;

/// One event of an agent.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its name there.
    pub name: &'static str,
    /// The event of the catalogue.
    pub canonical: &'static str,
    /// Other events of the catalogue that are the same event there.
    pub also: &'static [&'static str],
    /// Whether another row is the first of this event of the catalogue.
    pub is_alias: bool,
    /// How the payload is spelled.
    pub voice: &'static Voice,
    /// The keys of the payload besides those of the voice.
    pub keys: &'static [&'static [Key]],
    /// What a matcher looks at; without it a matcher is ignored.
    pub subject: Option<Subject>,
    /// Whether it is about one tool call, so that permission rules can be written for it.
    pub is_tool: bool,
    /// Which of the catalogue's events are meant, where the agent's is narrower.
    pub narrow: Option<fn(&Event) -> bool>,
    /// What a block does.
    pub block: Block,
    /// Whether a hook can decide in the person's place: allow, deny or ask.
    pub permission: bool,
    /// What exit status 2 does.
    pub exit_two: ExitTwo,
    /// What a wish to stop does.
    pub stop: Stop,
    /// How a hook's input takes the place of the tool's.
    pub input: Input,
    /// Whether a hook can change the result.
    pub output: bool,
    /// Whether a hook's context reaches the model.
    pub context: bool,
    /// Who reads what is printed and is no JSON.
    pub text: Text,
    /// Whether a failed hook denies, as the agent documents.
    pub fails_closed: bool,
    /// What a deny means to the host.
    pub on_deny: DenyEffect,
    /// The time-out where it is another than the handler's, in milliseconds.
    pub timeout_ms: Option<u64>,
}

/// How an agent spells its payloads.
#[derive(Debug)]
pub struct Voice {
    /// The keys that every payload begins with.
    pub base: &'static [Key],
    /// How the tools are called.
    pub tools: &'static Vocabulary,
    /// How a matcher is read.
    pub matcher: Rule,
    /// The result of a tool.
    pub response: fn(&Given<'_>) -> Value,
}

/// One key of a payload.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Its value; `None` leaves it out.
    pub made: fn(&Given<'_>) -> Option<Value>,
}

/// What a block does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// It denies in the sense of the catalogue's row.
    Denies,
    /// The reason goes to the model; what happened stands.
    Tells,
    /// The reason takes the place of the tool's result, as an error.
    Replaces,
    /// Nothing.
    Nothing,
}

/// What exit status 2 does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitTwo {
    /// What a block does, with standard error as the reason.
    Blocks,
    /// Standard error goes to the model.
    Model,
    /// Standard error goes to the person.
    Person,
    /// The hook failed, as with any other status.
    Fails,
    /// Nothing.
    Nothing,
}

/// What a wish to stop does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It denies.
    Denies,
    /// The agent may stop, whatever else is said.
    Stops,
    /// Nothing.
    Nothing,
}

/// How a hook's input takes the place of the tool's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// It does not.
    Stays,
    /// As a whole.
    Replaced,
    /// Its fields are laid over the tool's.
    Merged,
}

/// Who reads what is printed and is no JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// Nobody.
    Nobody,
    /// The model.
    Model,
    /// The person.
    Person,
}

impl Row {
    /// An event that only tells.
    pub const fn tells(voice: &'static Voice) -> Self {
        Self {
            name: "",
            canonical: "",
            also: &[],
            is_alias: false,
            voice,
            keys: &[],
            subject: None,
            is_tool: false,
            narrow: None,
            block: Block::Nothing,
            permission: false,
            exit_two: ExitTwo::Nothing,
            stop: Stop::Nothing,
            input: Input::Stays,
            output: false,
            context: false,
            text: Text::Nobody,
            fails_closed: false,
            on_deny: DenyEffect::DenyEvent,
            timeout_ms: None,
        }
    }

    /// Whether a hook on it can deny.
    #[must_use]
    pub fn guards(&self) -> bool {
        self.is_gate() || self.stop == Stop::Denies
    }

    /// Whether a hook on it can keep what it is about from happening. A wish to stop later does not.
    #[must_use]
    pub fn is_gate(&self) -> bool {
        self.permission || self.block == Block::Denies || self.fails_closed
    }

    /// The keys of its payload, in order.
    pub fn all_keys(&self) -> impl Iterator<Item = &'static Key> + use<> {
        self.voice.base.iter().chain(self.keys.iter().copied().flatten())
    }
}
