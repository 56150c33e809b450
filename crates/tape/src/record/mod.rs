//! The format of a tape, version 3.
//!
//! A tape is UTF-8 text, one JSON object a line, each line ended by `\n`. A line is written whole and handed to the
//! operating system before the host acts on what it says. So a killed program leaves whole records and at most one
//! torn last line. How much of it outlives the machine is said by [`crate::Durability`].
//!
//! # Spelling
//!
//! There is one spelling of a record, so that the same records make the same bytes: the fields of every record first, then
//! those of its kind, in the order in which they stand here; no white space; numbers as they were spelled; in texts `"`,
//! `\`, and the characters below U+0020 are escaped (`\b`, `\t`, `\n`, `\f`, `\r`, else `\u00` and two lower case hex
//! digits) and nothing else. Objects that somebody sent keep the order of their fields. Readers take any spelling.
//!
//! A field that has nothing to say is absent, not `null`; where `null` stands, it is a JSON value that somebody sent.
//! Durations end in `_us` (microseconds) or `_ms` (milliseconds), sizes in `_bytes`. A record of a kind that stands here
//! has the fields that stand here and no others.
//!
//! # Fields of every record
//!
//! | field | |
//! | --- | --- |
//! | `seq` | the record's number, from 0 without gaps |
//! | `at_ms` | when it was written, milliseconds since the Unix epoch |
//! | `prev` | SHA-256 in hex of the line before, without its `\n`; `null` in the header only |
//! | `kind` | which of the kinds below; readers keep kinds they do not know |
//! | `packed` | only where the record nests deeper than 100: all fields of its kind as JSON text |
//!
//! Where a hook takes secrets out (`redact_secrets`), they are taken out of the records too, before they are hashed and
//! written: `[REDACTED]` stands for each. Two versions of a payload that differed in a secret alone are then the same.
//!
//! # Large values
//!
//! In every record but the header, `blob` and those that are packed, from the inside out: a text whose JSON is 1,024 bytes
//! or longer, and an array or object whose JSON is 4,096 bytes or longer once what is large in it was replaced, are
//! replaced by `{"$blob": DIGEST}`, except the names of fields and the values of the fields `said` and `origin` as a whole.
//! DIGEST is the SHA-256 in hex of the value's JSON as it is then. The value stands in a `blob` record that comes before
//! the first record that refers to it, once in the tape.
//!
//! An object that somebody sent and whose only field is `$blob`, or that with more `$` before it, is written with one `$`
//! more, and read with one less.
//!
//! # Kinds: the tape itself
//!
//! `header`, first and once ([`HeaderRecord`]): `format` (this document is 4), `pintle` (the writer's version), `session`,
//! `started_ms`, `shadow` (whether nothing is enforced in the whole session).
//!
//! `blob` ([`BlobRecord`]): `digest`, `value`.
//!
//! `healed`, the tape went on after its program had died while it wrote ([`HealedRecord`]): `line` (the torn line, from 1, whose
//! place this record takes), `size_bytes` (how much of it was taken away).
//!
//! `closed`, the program that wrote the tape closed it, and nothing was going on any more ([`ClosedRecord`]): `records` (how many
//! stand before it), `digest` (SHA-256 of this line as it would be without that field). It is the last record of a tape that is
//! whole; when the tape is gone on with more follow, and another `closed` ends them.
//!
//! # Kinds: hooks
//!
//! `hooks`, hooks were loaded, before they are asked first ([`HooksRecord`]): `scope` (`runtime`, or `agent` for those of one
//! agent and the agents below it), `hooks`, in declared order: `[{entry, chain, id, event, spelling, source, dialect,
//! layer, profile, priority, mode, guard, on_failure, on_deny, strict_matcher, path, line, digest}]`. `entry` is the hook's
//! number and `chain` that of its chain, both from 0 over the whole tape; `spelling` is the event's name as its author
//! wrote it; `path` and `line` are absent for hooks that stand in no file; `digest` is the SHA-256 of the file's text.
//!
//! `event`, a dispatch begins ([`EventRecord`]): `dispatch` (its number, from 1 in the order of the tape), `parent` (the dispatch
//! around it on the same thread), `cause` (the call of a hook that emitted it), `event`, `origin` `{session, turn, agent,
//! depth, run, persona, step}`, `payload` (version 0 of the dispatch).
//!
//! `unmatched`, a hook's matcher failed ([`HookSkippedRecord`]): `dispatch`, `hook`, `entry`, `round`, `failure` `{kind, message,
//! path, line}`. A `warning` or an `unasked` follows.
//!
//! `unasked`, a hook that wants the event is not asked, because that failure counts or the host cancelled ([`HookSkippedRecord`]): as
//! `unmatched`.
//!
//! `hook_call`, a hook is about to be asked ([`HookCallRecord`]): `dispatch`, `call` (unique in the tape), `hook`, `entry`, `round`
//! (the one in which it is asked: 0, then 1 to 3 when guards are asked again), `payload` (the number of the version it
//! sees), `value` (that version, only where it appears for the first time).
//!
//! `effect`, a hook or tool reached outside itself ([`EffectRecord`]): `dispatch`, `call` (both absent for one that no hook
//! made), `by` (the hook or tool), `request` and one of `reply` and `error`. Requests and replies are spelled as in
//! [`pintle_contract::Request`] and [`pintle_contract::PendingReply`].
//!
//! `hook_returned`, a hook answered ([`HookReturnedRecord`]): `dispatch`, `call`, `hook`, `duration_us`, `said`: `{verdict, reason,
//! fields, whole, failure, effects, warnings}`. `verdict` is `pass`, `allow`, `rewrite`, `ask`, `deny` or `failed`.
//! `reason` comes with `allow`, `ask` and `deny`; a rewrite, and an `allow` or `ask` of a rewritten payload, has `fields`
//! (those that change) or `whole`; a failure has `kind`, `message` and, where known, `path` and `line`.
//!
//! `hook_vetoed`, right behind the `hook_returned` of an answer that blocks or, of `permission.ask`, allows or asks
//! ([`HookVetoedRecord`]): `dispatch`, `call`, `hook`, `reason`, `decision` (`deny`, `allow`, `ask`). Whether the hook's veto counts,
//! the outcome says: a hook in shadow mode vetoes nothing.
//!
//! `warning` ([`WarningRecord`]): `dispatch`, `hook`, `message`.
//!
//! `approval`, an ask was answered ([`ApprovalRecord`]): `dispatch` (absent where the host itself asked; then `origin` and `id`,
//! the tool call, say about what), `digest` (of the payload that the answer is bound to), `reasons`, `answer` (`approved`,
//! `granted_tool`, `granted_session`, `refused`, `deferred`, `nobody`), `by`.
//!
//! `outcome`, the dispatch is over ([`OutcomeRecord`]): `dispatch`, `event`, `decision` (`allow`, `ask`, `deny`), `approved`,
//! `rewritten`, `payload` (the number of the final version), `value` (as in `hook_call`), `reasons` `[{hook, text,
//! stops_run}]` (`stops_run` only where the hook's deny ends the run and leaves what the event is about), `effects`
//! `[{hook, effect}]`, `failures` `[{hook, failure, policy}]`, `warnings`, `shadow` `[{hook, said}]`, `approval`
//! `{digest, by}`, `asked`. Empty lists are absent.
//!
//! # Kinds: the host
//!
//! Each has `origin`, and is written before the host acts or as soon as it knows ([`host`]):
//!
//! | kind | fields |
//! | --- | --- |
//! | `session`, `resumed` | `opened`: what is needed to open the session again, the host's own object |
//! | `said` | `source` (`prompt`, `steer`, `follow_up`, `resume`), `text` |
//! | `turn` | `stage` (`start`, `end`), `ended` (`done`, or why not), `usage` |
//! | `model_request` | `conversation`, `request` (its number, from 1), `model`, `payload` or `same_as` (the dispatch of `completion.pre` whose final payload is sent) |
//! | `model_reply` | `request`, `duration_us`, `reply` or `error` `{kind, message}` |
//! | `tool_call` | `id`, `name`, `args`: the tool runs now |
//! | `tool_result` | `id`, `name`, `content`, `is_error`, `result`: what it gave, before hooks saw it |
//! | `message` | `conversation`, `message`: it was added |
//! | `messages` | `conversation`, `why` (`compact`, `clear`, `resume`), `messages`: these are all from here on |
//! | `reminder` | `what` (`injected`, `deduped`, `rendered`, `expired`, `kept`, `inherited`, `dropped`), `reminder` |
//!
//! Any other kind is a note of the host ([`NoteRecord`]) with one field, `data`. A record of an unknown kind with other fields
//! is kept as it is ([`RecordBody::Unknown`]).
//!
//! # Order
//!
//! Records stand in the order in which things happened, under one lock for all threads of a program. Sessions, agents and
//! calls that run at once are told apart by what every record says of itself: `dispatch` and `call` for hooks, `origin`
//! (its `session`, and its `run` for a delegated agent) and the call's `id` for the host. What has one dispatch, one call or one
//! run is in its own order. A dispatch that a hook causes stands within the one that caused it. Hooks that are asked at
//! once are announced in declared order before the first of them runs, and their answers stand in declared order behind,
//! whichever came first; only their effects stand as they happened, those of one call in their own order.
//!
//! Where a program died, what was going on has no end. The next record is then `healed` or `resumed`, or the tape ends.
//!
//! # Older formats
//!
//! Format 3 has no `closed` record, so that nothing on such a tape tells whether its end is missing, and `at_ms` may go back
//! where the machine's clock was set back. In format 4 it never does.
//!
//! Format 2 differs besides in one thing: in its `hook_call`, `round` is 0 where the hook is asked for the first time in the dispatch,
//! in whatever round that is. It is read, enacted and gone on with as it is.
//!
//! # Example
//!
//! ```json
//! {"seq":0,"at_ms":1750000000000,"prev":null,"kind":"header","format":4,"pintle":"0.1.0","session":"s1","started_ms":1750000000000,"shadow":false}
//! {"seq":1,"at_ms":1750000000001,"prev":"e2b8…","kind":"hooks","scope":"runtime","hooks":[{"entry":0,"chain":0,"id":"command_guard","event":"tool.pre","spelling":"tool.pre","source":"hooks","dialect":"ai_harness","layer":"project","profile":"sequential/first_deny","priority":10,"mode":"enforce","guard":true,"on_failure":"closed","on_deny":"default","strict_matcher":false,"path":"hooks/command_guard.md","line":5,"digest":"9f86…"}]}
//! {"seq":2,"at_ms":1750000000002,"prev":"5f0e…","kind":"event","dispatch":1,"event":"tool.pre","origin":{"session":"s1","turn":1,"agent":"root","depth":0},"payload":{"id":"call_1","name":"run_command","arguments":"{\"command\":\"mkfs\"}","args":{"command":"mkfs"}}}
//! {"seq":3,"at_ms":1750000000002,"prev":"a41c…","kind":"hook_call","dispatch":1,"call":1,"hook":"command_guard","entry":0,"round":0,"payload":0}
//! {"seq":4,"at_ms":1750000000002,"prev":"77d0…","kind":"effect","dispatch":1,"call":1,"by":"command_guard","request":{"metric_incr":{"name":"audit.policy.deny","by":1}},"reply":{"int":1}}
//! {"seq":5,"at_ms":1750000000002,"prev":"0b3d…","kind":"hook_returned","dispatch":1,"call":1,"hook":"command_guard","duration_us":41,"said":{"verdict":"deny","reason":"`mkfs` is not for agents"}}
//! {"seq":6,"at_ms":1750000000002,"prev":"c9e1…","kind":"hook_vetoed","dispatch":1,"call":1,"hook":"command_guard","reason":"`mkfs` is not for agents","decision":"deny"}
//! {"seq":7,"at_ms":1750000000002,"prev":"1d07…","kind":"outcome","dispatch":1,"event":"tool.pre","decision":"deny","approved":false,"rewritten":false,"payload":0,"reasons":[{"hook":"command_guard","text":"`mkfs` is not for agents"}],"asked":1}
//! {"seq":8,"at_ms":1750000000003,"prev":"31aa…","kind":"message","origin":{"session":"s1","turn":1,"agent":"root","depth":0},"conversation":"","message":{"role":"tool","content":"blocked","tool_call_id":"call_1"}}
//! ```

pub mod host;

mod dispatch;
mod header;
mod hook;
mod maintenance;
mod verdict;

use std::borrow::Cow;

use serde_json::{Map, Value};

pub use dispatch::{
    ApprovalRecord, ApprovalResult, EffectRecord, EventRecord, FailureEntry, HookEffect, OutcomeRecord, ShadowEntry,
    WarningRecord,
};
pub use header::{HeaderRecord, HookScope, HooksRecord, LoadedHook};
pub use hook::{HookCallRecord, HookReturnedRecord, HookSkippedRecord, HookVetoedRecord};
pub use host::HostRecord;
pub use maintenance::{BlobRecord, ClosedRecord, HealedRecord};
pub use verdict::{RecordedFailure, RecordedVerdict, VerdictLabel};

/// The version of the format, the only one that is written and read.
pub const FORMAT: u32 = 4;

/// The kinds that have a meaning of their own, so that no note may be called that.
pub(crate) const RESERVED: [&str; 27] = [
    "header",
    "hooks",
    "event",
    "unmatched",
    "unasked",
    "hook_call",
    "effect",
    "hook_returned",
    "hook_vetoed",
    "warning",
    "approval",
    "outcome",
    "session",
    "resumed",
    "said",
    "model_request",
    "model_reply",
    "tool_call",
    "tool_result",
    "message",
    "messages",
    "reminder",
    "turn",
    "blob",
    "healed",
    "closed",
    "redacted",
];

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
    pub body: RecordBody<'a>,
}

/// What a record records.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordBody<'a> {
    /// The tape begins.
    Header(HeaderRecord),
    /// Hooks were loaded.
    Hooks(HooksRecord),
    /// A dispatch begins.
    Event(EventRecord<'a>),
    /// A hook's matcher failed.
    MatcherFailed(HookSkippedRecord<'a>),
    /// A hook is not asked although it wants the event.
    NotCalled(HookSkippedRecord<'a>),
    /// A hook is asked.
    HookCall(HookCallRecord<'a>),
    /// A hook or tool reached outside itself.
    Effect(EffectRecord<'a>),
    /// A hook answered.
    HookReturned(HookReturnedRecord<'a>),
    /// Its answer blocks, or decides a permission.
    HookVetoed(HookVetoedRecord<'a>),
    /// Something worth telling that is no verdict.
    Warning(WarningRecord<'a>),
    /// An ask was answered.
    Approval(ApprovalRecord<'a>),
    /// A dispatch is over.
    Outcome(OutcomeRecord<'a>),
    /// The host did something.
    Host(HostRecord<'a>),
    /// A value that later records refer to.
    Blob(BlobRecord<'a>),
    /// The torn end of the tape was taken away.
    Healed(HealedRecord),
    /// The tape was closed.
    Closed(ClosedRecord<'a>),
    /// A note of the host.
    Note(NoteRecord<'a>),
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
pub struct NoteRecord<'a> {
    /// What it is about. None of the kinds above.
    pub kind: Cow<'a, str>,
    /// What the host wants to keep.
    pub data: Cow<'a, Value>,
}

impl RecordBody<'_> {
    /// The record's kind as it is written.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Header(_) => "header",
            Self::Hooks(_) => "hooks",
            Self::Event(_) => "event",
            Self::MatcherFailed(_) => "unmatched",
            Self::NotCalled(_) => "unasked",
            Self::HookCall(_) => "hook_call",
            Self::Effect(_) => "effect",
            Self::HookReturned(_) => "hook_returned",
            Self::HookVetoed(_) => "hook_vetoed",
            Self::Warning(_) => "warning",
            Self::Approval(_) => "approval",
            Self::Outcome(_) => "outcome",
            Self::Host(host) => host.kind(),
            Self::Blob(_) => "blob",
            Self::Healed(_) => "healed",
            Self::Closed(_) => "closed",
            Self::Note(note) => &note.kind,
            Self::Unknown { kind, .. } => kind,
        }
    }

    /// The number of the dispatch the record belongs to.
    #[must_use]
    pub fn dispatch(&self) -> Option<u64> {
        match self {
            Self::Event(fired) => Some(fired.dispatch),
            Self::MatcherFailed(passed) | Self::NotCalled(passed) => Some(passed.dispatch),
            Self::HookCall(asked) => Some(asked.dispatch),
            Self::Effect(effected) => effected.dispatch,
            Self::HookReturned(answered) => Some(answered.dispatch),
            Self::HookVetoed(vetoed) => Some(vetoed.dispatch),
            Self::Warning(warned) => warned.dispatch,
            Self::Approval(resolved) => resolved.dispatch,
            Self::Outcome(decided) => Some(decided.dispatch),
            Self::Header(_)
            | Self::Hooks(_)
            | Self::Host(_)
            | Self::Blob(_)
            | Self::Healed(_)
            | Self::Closed(_)
            | Self::Note(_)
            | Self::Unknown { .. } => None,
        }
    }
}
