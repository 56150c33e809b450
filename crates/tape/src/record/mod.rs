//! The format of a tape.
//!
//! A tape is UTF-8 text, one JSON object a line, each line ended by `\n`. A line is written whole and handed to the
//! operating system before the host acts on what it says. So a killed program leaves whole records and at most one
//! torn last line. The tape is not synced to the disk record by record: it survives the program, not the machine.
//!
//! # Fields of every record
//!
//! | field | |
//! | --- | --- |
//! | `seq` | the record's number, from 0 without gaps |
//! | `at_ms` | when it was written, milliseconds since the Unix epoch |
//! | `prev` | SHA-256 in hex of the line before, without its `\n`; `null` in the header only |
//! | `kind` | which of the kinds below; readers keep kinds they do not know |
//! | `packed` | only where the record nests deeper than JSON readers follow: all other fields as JSON text |
//!
//! Where a hook takes secrets out (`redact_secrets`), they are taken out of the records too, before they are hashed and
//! written: `[REDACTED]` stands for each. Two versions of a payload that differed in a secret alone are then the same.
//!
//! Numbers keep their spelling. A field that has nothing to say is absent, not `null`; where `null` stands, it is a
//! JSON value that somebody sent. Durations end in `_us` (microseconds) or `_ms` (milliseconds).
//!
//! # Kinds
//!
//! `header`, first and once ([`Header`]):
//! `format` (this document is 1), `pintle` (the writer's version), `session`, `started_ms`, `shadow` (whether
//! nothing is enforced in the whole session).
//!
//! `hooks`, hooks were loaded, before the first event and whenever more come ([`Loaded`]): `hooks`, in declared order:
//! `[{id, event, source, dialect, layer, profile, priority, mode, guard, on_failure, path, line, digest}]`. `path`
//! and `line` are absent for hooks that stand in no file; `digest` is the SHA-256 of the file's text.
//!
//! `event`, a dispatch begins ([`Fired`]): `dispatch` (its number, from 1), `parent` (the dispatch that caused it,
//! absent for none and where calls ran at once), `event`, `origin` `{session, turn, agent, depth}`, `payload` (version 0 of the dispatch).
//!
//! `call`, a hook is asked ([`Asked`]): `dispatch`, `call` (unique in the tape), `hook`, `round` (0, then 1 to 3 when
//! guards are asked again), `payload` (the number of the version it sees), `value` (that version, only where it
//! appears for the first time).
//!
//! `effect`, a hook reached outside itself ([`Effected`]): `dispatch`, `call` (both absent for one that no hook
//! made), `by` (the hook or tool), `request` and one of `reply` and `error`. Requests and replies are spelled as in
//! [`pintle_contract::Request`] and [`pintle_contract::Reply`].
//!
//! `return`, a hook answered ([`Answered`]): `dispatch`, `call`, `hook`, `duration_us`, `said`: `{verdict, reason,
//! fields, whole, failure, effects, warnings}`. `verdict` is `pass`, `allow`, `rewrite`, `ask`, `deny` or `failed`.
//! `reason` comes with `allow`, `ask` and `deny`; a rewrite, and an `allow` or `ask` of a rewritten payload, has `fields`
//! (those that change) or `whole`; a failure has `kind`, `message` and, where known, `path` and `line`.
//!
//! `warning` ([`Warned`]): `dispatch`, `hook`, `message`.
//!
//! `outcome`, the dispatch is over ([`Decided`]): `dispatch`, `event`, `decision` (`allow`, `ask`, `deny`), `approved`,
//! `rewritten`, `payload` (the number of the final version), `value` (as in `call`), `reasons` `[{hook, text,
//! stops_run}]` (`stops_run` only where the hook's deny ends the run and leaves what the event is about), `effects`
//! `[{hook, effect}]`, `failures` `[{hook, failure, policy}]`, `warnings`, `shadow` `[{hook, said}]`, `approval`
//! `{digest, by}`, `asked`. Empty lists are absent.
//!
//! Any other kind is a note of the host ([`Noted`]), such as `turn`, `message` or `tool`, with one field, `data`.
//! A record of an unknown kind with other fields is kept as it is ([`Body::Unknown`]).
//!
//! Dispatches of one session may overlap, and calls of one dispatch may run at once: `dispatch` and `call` tell whose a
//! record is. Effects stand in the order in which they happened; those of one call are always in its own order.
//!
//! # Example
//!
//! ```json
//! {"seq":0,"at_ms":1750000000000,"prev":null,"kind":"header","format":1,"pintle":"0.1.0","session":"s1","started_ms":1750000000000,"shadow":false}
//! {"seq":1,"at_ms":1750000000001,"prev":"e2b8…","kind":"hooks","hooks":[{"id":"command_guard","event":"tool.pre","source":"hooks","dialect":"ai_harness","layer":"project","profile":"sequential/first_deny","priority":10,"mode":"enforce","guard":true,"on_failure":"closed","path":"hooks/command_guard.md","line":5,"digest":"9f86…"}]}
//! {"seq":2,"at_ms":1750000000002,"prev":"5f0e…","kind":"event","dispatch":1,"event":"tool.pre","origin":{"session":"s1","turn":1,"agent":"root","depth":0},"payload":{"id":"call_1","name":"run_command","arguments":"{\"command\":\"mkfs\"}","args":{"command":"mkfs"}}}
//! {"seq":3,"at_ms":1750000000002,"prev":"a41c…","kind":"call","dispatch":1,"call":1,"hook":"command_guard","round":0,"payload":0}
//! {"seq":4,"at_ms":1750000000002,"prev":"77d0…","kind":"effect","dispatch":1,"call":1,"by":"command_guard","request":{"metric_incr":{"name":"audit.policy.deny","by":1}},"reply":{"int":1}}
//! {"seq":5,"at_ms":1750000000002,"prev":"0b3d…","kind":"return","dispatch":1,"call":1,"hook":"command_guard","duration_us":41,"said":{"verdict":"deny","reason":"`mkfs` is not for agents"}}
//! {"seq":6,"at_ms":1750000000002,"prev":"c9e1…","kind":"outcome","dispatch":1,"event":"tool.pre","decision":"deny","approved":false,"rewritten":false,"payload":0,"reasons":[{"hook":"command_guard","text":"`mkfs` is not for agents"}],"asked":1}
//! {"seq":7,"at_ms":1750000000003,"prev":"31aa…","kind":"message","data":{"role":"assistant","text":"I cannot do that."}}
//! ```

mod dispatch;
mod header;
mod said;

use std::borrow::Cow;

use serde_json::{Map, Value};

pub use dispatch::{Answered, Asked, Decided, Effected, FailureNote, Fired, HookEffect, ShadowNote, Warned};
pub use header::{Header, HookEntry, Loaded};
pub use said::{FailureText, SaidText, Word};

/// The version of the format that is written, and the newest that is read.
pub const FORMAT: u32 = 1;

/// The kinds that have a meaning of their own, so that no note may be called that.
pub(crate) const RESERVED: [&str; 8] = ["header", "hooks", "event", "call", "effect", "return", "warning", "outcome"];

/// One record: one line of a tape.
///
/// The writer borrows what it records; what a reader gives is a `Record<'static>`.
#[derive(Debug, Clone, PartialEq)]
pub struct Record<'a> {
    /// The record's number, from 0.
    pub seq: u64,
    /// When it was written, milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// The digest of the line before; `None` in the header.
    pub prev: Option<String>,
    /// What it records.
    pub body: Body<'a>,
}

/// What a record records.
#[derive(Debug, Clone, PartialEq)]
pub enum Body<'a> {
    /// The tape begins.
    Header(Header),
    /// Hooks were loaded.
    Hooks(Loaded),
    /// A dispatch begins.
    Event(Fired<'a>),
    /// A hook is asked.
    Call(Asked<'a>),
    /// A hook reached outside itself.
    Effect(Effected<'a>),
    /// A hook answered.
    Return(Answered<'a>),
    /// Something worth telling that is no verdict.
    Warning(Warned<'a>),
    /// A dispatch is over.
    Outcome(Decided<'a>),
    /// A note of the host.
    Note(Noted<'a>),
    /// A record of a kind this program does not know, as it stands.
    Unknown {
        /// Its kind.
        kind: String,
        /// Its fields, without those every record has.
        fields: Map<String, Value>,
    },
}

/// A note of the host.
#[derive(Debug, Clone, PartialEq)]
pub struct Noted<'a> {
    /// What it is about, such as `turn`, `message` or `tool`. None of the kinds above.
    pub kind: Cow<'a, str>,
    /// What the host wants to keep.
    pub data: Cow<'a, Value>,
}

impl Body<'_> {
    /// The record's kind as it is written.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Header(_) => "header",
            Self::Hooks(_) => "hooks",
            Self::Event(_) => "event",
            Self::Call(_) => "call",
            Self::Effect(_) => "effect",
            Self::Return(_) => "return",
            Self::Warning(_) => "warning",
            Self::Outcome(_) => "outcome",
            Self::Note(note) => &note.kind,
            Self::Unknown { kind, .. } => kind,
        }
    }

    /// The number of the dispatch the record belongs to.
    #[must_use]
    pub fn dispatch(&self) -> Option<u64> {
        match self {
            Self::Event(fired) => Some(fired.dispatch),
            Self::Call(asked) => Some(asked.dispatch),
            Self::Effect(effected) => effected.dispatch,
            Self::Return(answered) => Some(answered.dispatch),
            Self::Warning(warned) => warned.dispatch,
            Self::Outcome(decided) => Some(decided.dispatch),
            Self::Header(_) | Self::Hooks(_) | Self::Note(_) | Self::Unknown { .. } => None,
        }
    }
}
