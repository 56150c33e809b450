//! The tape format, version 8.
//!
//! A tape is UTF-8 text. Each line is one record: a JSON object that ends with `\n`. The writer hands the complete line
//! to the operating system before the host acts on the record. A killed program therefore leaves complete records and
//! at most one torn record, which is the last line. [`crate::Durability`] decides how much survives a power failure.
//!
//! Version 8 is the only version. A tape of another version is refused with an error that names the version of Pintle
//! that wrote it.
//!
//! # Encoding
//!
//! Each record has exactly one encoding, so equal records have equal bytes:
//!
//! - The fields of every record come first, then the fields of its kind, in the order in which this document lists
//!   them.
//! - Tokens are not separated by white space, and numbers keep their original notation.
//! - Strings escape `"`, `\` and the characters below U+0020 (`\b`, `\t`, `\n`, `\f` and `\r`, the others as `\u00` and
//!   two lower case hex digits), and nothing else.
//! - JSON objects from outside keep the order of their fields.
//!
//! Readers accept any valid JSON, but no escapes in a reference to a large value.
//!
//! A field without a value is absent, not `null`. A `null` is a JSON value from outside. Durations end in `_us`
//! (microseconds) or `_ms` (milliseconds), and sizes end in `_bytes`. A record of a kind below has no fields other than
//! those listed for it.
//!
//! # Fields of every record
//!
//! | field | |
//! | --- | --- |
//! | `seq` | the number of the record, from 0 without gaps |
//! | `at_ms` | when the record was written, in milliseconds since the Unix epoch; never less than in the record before |
//! | `prev` | the SHA-256 of the line before, in hex and without its `\n`; `null` only in the header |
//! | `origin` | of an event and of the records of the host: `{session, turn, agent, depth, run, persona, step, deny_continues}`; absent if it is that of the last record before that is of such a kind |
//! | `blobs` | the large values that the record is the first one to need; absent if there are none |
//! | `kind` | one of the kinds below; readers keep records of unknown kinds |
//! | `packed` | only if the record nests deeper than 100 levels: all fields of its kind as JSON text |
//!
//! If a hook redacts secrets (`redact_secrets`), the writer redacts them in the records too, before it computes digests
//! and writes. `[REDACTED]` replaces each secret. Two versions of a payload that differ only in a secret are then equal
//! on the tape.
//!
//! # Large values
//!
//! A large value is replaced by `{"$blob": NAME}`. Large is a string whose JSON has 1,024 bytes or more, an object whose
//! JSON has 4,096 bytes or more, and an array whose JSON has 4,096 bytes or more, or 1,024 bytes or more if it has at
//! least four elements; each after the large values within it are replaced. The value itself is in `blobs` of the first
//! record that needs it. Each value is on the tape once. `blobs` is an array in which each value may refer to those before
//! it, and each is needed: the record refers to it, or a later one of the same line does.
//!
//! The NAME is the first 32 hex digits of the value's digest. The writer stops if another value on the tape has the same
//! name; the lines are covered by their whole digests. The digest of a string or an object is the SHA-256 of its JSON at
//! that point. That of an array covers its elements one after the other: it starts with the SHA-256 of `[]`, and for each
//! element becomes the SHA-256 of itself and the SHA-256 of the element's JSON (64 bytes). So it depends on the elements
//! alone, and an array that grows does not have to be read again for it. A value that was changed has another name, so
//! what refers to it finds nothing.
//!
//! A string or an object is in `blobs` as `{"value": VALUE}`. An array is `{"parts": [..]}`: each part is an array of
//! elements, or `{"of": NAME, "from": N, "to": N}`, the elements from one index to before another of an earlier array. The
//! writer takes elements from the arrays that it wrote last, so the messages of a conversation that is sent again and again
//! cost what is new in them, also if hooks rewrite some or old ones are left out. Which parts it chooses is not part of the
//! format.
//!
//! A string may also be `{"of": NAME, "lines": [..]}`, with the name of an earlier string that has a `value`: each of the
//! lines is a string, or `[N, N]`, the lines of that earlier string from one index to before another. A line ends with its
//! `\n`. Together they are the string. Which parts the writer chooses is not part of the format.
//!
//! Not replaced are field names, the fields `verdict` and `origin`, and values in the header and in packed records.
//!
//! An object from outside whose only field is `$blob`, with or without more `$` before it, is written with one `$`
//! more. Readers remove that `$`.
//!
//! # Kinds: the tape itself
//!
//! `header` is the first record, and the only one of its kind ([`HeaderRecord`]): `format` (8), `pintle` (the version
//! that wrote the tape), `session`, `started_ms`, `shadow` (whether the whole session runs in shadow mode).
//!
//! `repaired` replaces a torn record when the tape is continued ([`RepairedRecord`]): `line` (the line of the torn record,
//! from 1, which is now the line of this record), `size_bytes` (the number of bytes that were removed). If the program
//! died between two records, `size_bytes` is 0. What was open before this record has no end.
//!
//! `checkpoint` has what a machine signed about all records before it ([`CheckpointRecord`]): `note`. Not every tape has
//! checkpoints; see below.
//!
//! `closed` is written when the program closes the tape and nothing is unfinished ([`ClosedRecord`]): `records` (the
//! number of records before this one), `digest` (the SHA-256 of this line without that field). It is the last record of
//! a complete tape. If the session is resumed, more records follow, and another `closed` ends them.
//!
//! # Kinds: hooks
//!
//! `hooks` is written when hooks were loaded, before the first of them is called ([`HooksRecord`]):
//!
//! - `scope`: `runtime`, or `agent` for the hooks of one agent and its child agents.
//! - `hooks`, in declared order: `[{entry, chain, id, event, event_alias, source, dialect, layer, profile, priority, mode,
//!   source_trust, guard, on_failure, on_deny, strict_matcher, path, line, digest}]`. `entry` is the number of the hook and
//!   `chain` that of its chain, both from 0 over the whole tape. `event_alias` is the event alias that the hook's author
//!   wrote. `source_trust` is `untrusted` if the user does not trust the hook's source, otherwise absent. `path` and `line`
//!   are absent if no file declares the hook. `digest` is the SHA-256 of the file's text.
//!
//! `event` starts a dispatch ([`EventRecord`]): `dispatch` (its number, from 1 in the order of the tape), `parent` (the
//! dispatch on the same thread that this one is inside of), `cause` (the hook call that emitted the event), `event`,
//! `origin` (before the kind), `no_hooks` (`true` if no hook matches the event; otherwise absent), `passed` `[{call, hook,
//! entry, duration_us}]` (the calls of its hooks, if all of them are built-in hooks that start no program, all of them
//! passed without effects and warnings, and the tape has nothing between them; otherwise absent), `args_text` (`true` if the
//! payload's `arguments` have 1,024 bytes or more and are the compact JSON text of its `args`; they are then `null` on the tape,
//! and readers compute them; otherwise absent), `payload` (version 0 of the payload in this dispatch). With `no_hooks` or `passed` this record
//! is the whole dispatch: the event is allowed with this payload, and there is no `outcome`. The record is written when the
//! first hook is called or skipped, or when no hook has matched. That of an event which only built-in hooks hear is written
//! when they have returned.
//!
//! `matcher_failed` means that a hook's matcher failed ([`HookSkippedRecord`]): `dispatch`, `hook`, `entry`, `round` (0, or
//! 1 to 4 in a recheck round), `failure` `{kind, message, path, line}`. A `warning` or an `not_called` follows.
//!
//! `not_called` means that a hook matches the event but is not called, because the failure of its matcher is its own
//! failure or because the host cancelled the dispatch ([`HookSkippedRecord`]): the fields of `matcher_failed`.
//!
//! `hook_call` is written before a hook is called ([`HookCallRecord`]): `dispatch`, `call` (unique on the tape),
//! `hook`, `entry`, `round` (0, or 1 to 3 in a recheck round), `payload` (the number of the payload version that the
//! hook sees), `args_text` (as in `event`, for `value`), `value` (that version, only in the first record that has it).
//!
//! `effect` is an effect request of a hook or a tool, with its reply ([`EffectRecord`]): `dispatch` and `call` (absent
//! if no hook made the request), `caller` (the hook or tool), `layer` (the configuration layer whose state the request
//! uses; absent for the project's), `request`, and either `reply` or `error`. Their JSON is that of
//! [`EffectRequest`](pintle_contract::EffectRequest) and [`EffectReply`](pintle_contract::EffectReply).
//!
//! `hook_returned` is written after a hook returned ([`HookReturnedRecord`]): `dispatch`, `call`, `hook`,
//! `duration_us`, `verdict` `{kind, reason, fields, whole_payload, failure, effects, warnings}`:
//!
//! - `kind` is `pass`, `allow`, `rewrite`, `ask`, `deny` or `failed`.
//! - `reason` is present with `allow`, `ask` and `deny`.
//! - `fields` (the fields that change) or `whole_payload` (the complete payload) is present with a rewrite, and with an `allow`
//!   or `ask` of a rewritten payload.
//! - `failure` has `kind`, `message` and, if known, `path` and `line`.
//!
//! `hook_vetoed` directly follows the `hook_returned` of a verdict that denies, and for `permission.ask` also one that
//! allows or asks ([`HookVetoedRecord`]): `dispatch`, `call`, `hook`, `reason`, `decision` (`deny`, `allow`, `ask`).
//! The outcome tells whether the veto is enforced; one of a hook in shadow mode is not.
//!
//! `warning` is a warning about a hook ([`WarningRecord`]): `dispatch`, `hook`, `message`.
//!
//! `approval` is the response to an approval request ([`ApprovalRecord`]): `dispatch` (absent if the host itself
//! requested the approval; then `origin` and `id`, the tool call, are present), `digest` (of the payload that the
//! response is bound to), `reasons`, `answer` (`approved`, `granted_tool`, `granted_session`, `refused`, `deferred`,
//! `unavailable`), `approver`.
//!
//! `outcome` ends a dispatch ([`OutcomeRecord`]): `dispatch`, `event`, `decision` (`allow`, `ask`, `deny`), `approved`,
//! `rewritten`, `payload` (the number of the final version), `reasons` `[{hook, text, stops_run, unsettled_guard}]`,
//! `effects` `[{hook, effect}]`, `failures` `[{hook, failure, policy}]`, `warnings`, `shadow` `[{hook, verdict}]`, `approval`
//! `{digest, approved_by}`, `hooks_called` (the number of hooks that were called), `args_text`, `value` (both for the version, as in `hook_call`). Empty lists
//! are absent. A reason has `stops_run` only if the deny ends the agent's run and does not undo what the event is
//! about. It has `unsettled_guard` only if the engine denied because that guard did not check the final payload.
//!
//! # Kinds: the host
//!
//! Each has `origin`, before the kind. It is written before the host acts, or as soon as the host has the result ([`host`]):
//!
//! | kind | fields |
//! | --- | --- |
//! | `session`, `resumed` | `reopen_data`: the host's own object with what it needs to reopen the session |
//! | `user_message` | `source` (`prompt`, `steer`, `follow_up`, `resume`), `text` |
//! | `turn` | `phase` (`start`, `end`), `end_reason` (`done`, or the reason why not), `usage` |
//! | `model_request` | `conversation`, `request` (its number, from 1), `model`, and `same_as` (the dispatch of `completion.pre` whose final payload is sent) or `payload` |
//! | `model_reply` | `request`, `duration_us`, and `reply` or `error` `{kind, message}` |
//! | `tool_call` | `id`, `name`, `args`; written before the tool runs |
//! | `tool_result` | `id`, `name`, `content`, `is_error`, `result`: the tool's own result, before hooks see it |
//! | `message` | `conversation`, `message`; the message was added |
//! | `messages` | `conversation`, `replaced_by` (`compact`, `clear`, `resume`), `messages`; these replace all earlier messages |
//! | `reminder` | `transition` (`injected`, `deduped`, `rendered`, `expired`, `retained`, `inherited`, `dropped`), `reminder` |
//!
//! Any other kind is a note of the host ([`NoteRecord`]) with one field, `data`. A record of an unknown kind with other
//! fields is kept unchanged ([`RecordBody::Unknown`]).
//!
//! # Checkpoints
//!
//! The lines of a tape are the leaves of a Merkle tree, as RFC 6962 defines it, with SHA-256: the hash of a leaf is that of
//! a zero byte and the 32 bytes of the line's digest, and that of a node is that of a one byte and the hashes of its two
//! subtrees. The left subtree has the largest power of two that is less than the number of leaves.
//!
//! A checkpoint is a note in the form of [c2sp.org/tlog-checkpoint](https://c2sp.org/tlog-checkpoint), signed as
//! [c2sp.org/signed-note](https://c2sp.org/signed-note) says:
//!
//! ```text
//! pintle.tape/HEADER
//! SIZE
//! ROOT
//!
//! — NAME SIGNATURE
//! ```
//!
//! HEADER is the digest of the tape's first line in hex, SIZE the number of records before the checkpoint, which is its own
//! `seq`, and ROOT the root of the tree over their lines in base64. In the checkpoint directly before `closed`, a line with
//! `end` follows the ROOT. The text is the lines before the empty one, each with its `\n`.
//! SIGNATURE is the base64 of 4 bytes that name the key and an Ed25519 signature of the text. The 4 bytes are the start of
//! the SHA-256 of NAME, `\n`, a one byte and the 32 bytes of the public key. Checkpoints are leaves of later ones.
//!
//! Programs that have a key write a checkpoint when a turn of the session ends, directly before `closed`, and at the latest
//! when an outcome follows 256 other records. A replay computes the text again and copies the signatures, because it has no
//! key. A branch has no checkpoints. If a program should write one and cannot sign, the tape says why in a note of the kind
//! `unsigned`, with `data` `{reason}`, once.
//!
//! # Order
//!
//! Records have the order in which things happened. All threads of a program write under one lock. Records of
//! concurrent sessions, agents and calls are distinguished by their own fields: `dispatch` and `call` for hooks,
//! `origin` (its `session`, and its `run` for a child agent) and the `id` of the call for the host. The records of one
//! dispatch, one call or one run are in their own order.
//!
//! A dispatch that a hook causes is inside the dispatch that caused it. Concurrent hooks have their `hook_call` records
//! in declared order before the first of them runs. Their `hook_returned` records follow in declared order, whichever
//! returned first. Only their `effect` records have the order in which they happened, those of one call in their own
//! order.
//!
//! Programs that run at the same time, such as calls of one session of another agent, each write a branch in a file of
//! its own. A branch becomes part of the tape in one piece, when its program ends. `at_ms` of its records is then never
//! less than in the record before.
//!
//! If the program died, what it was doing has no end on the tape. The next record is then `repaired` or `resumed`, or the
//! tape ends.
//!
//! # Example
//!
//! ```json
//! {"seq":0,"at_ms":1750000000000,"prev":null,"kind":"header","format":8,"pintle":"0.1.0","session":"s1","started_ms":1750000000000,"shadow":false}
//! {"seq":1,"at_ms":1750000000001,"prev":"e2b8…","kind":"hooks","scope":"runtime","hooks":[{"entry":0,"chain":0,"id":"command_guard","event":"tool.pre","event_alias":"tool.pre","source":"hooks","dialect":"ai_harness","layer":"project","profile":"sequential/first_deny","priority":10,"mode":"enforce","guard":true,"on_failure":"closed","on_deny":"default","strict_matcher":false,"path":"hooks/command_guard.md","line":5,"digest":"9f86…"}]}
//! {"seq":2,"at_ms":1750000000002,"prev":"5f0e…","origin":{"session":"s1","turn":1,"agent":"root","depth":0},"kind":"event","dispatch":1,"event":"tool.pre","payload":{"id":"call_1","name":"run_command","arguments":"{\"command\":\"mkfs\"}","args":{"command":"mkfs"}}}
//! {"seq":3,"at_ms":1750000000002,"prev":"a41c…","kind":"hook_call","dispatch":1,"call":1,"hook":"command_guard","entry":0,"round":0,"payload":0}
//! {"seq":4,"at_ms":1750000000002,"prev":"77d0…","kind":"effect","dispatch":1,"call":1,"caller":"command_guard","request":{"metric_incr":{"name":"audit.policy.deny","amount":1}},"reply":{"int":1}}
//! {"seq":5,"at_ms":1750000000002,"prev":"0b3d…","kind":"hook_returned","dispatch":1,"call":1,"hook":"command_guard","duration_us":41,"verdict":{"kind":"deny","reason":"`mkfs` is not for agents"}}
//! {"seq":6,"at_ms":1750000000002,"prev":"c9e1…","kind":"hook_vetoed","dispatch":1,"call":1,"hook":"command_guard","reason":"`mkfs` is not for agents","decision":"deny"}
//! {"seq":7,"at_ms":1750000000002,"prev":"1d07…","kind":"outcome","dispatch":1,"event":"tool.pre","decision":"deny","approved":false,"rewritten":false,"payload":0,"reasons":[{"hook":"command_guard","text":"`mkfs` is not for agents"}],"hooks_called":1}
//! {"seq":8,"at_ms":1750000000003,"prev":"31aa…","kind":"message","conversation":"","message":{"role":"tool","content":"blocked","tool_call_id":"call_1"}}
//! ```

pub mod host;

mod dispatch;
mod header;
mod hook;
mod kinds;
mod maintenance;
mod verdict;

pub(crate) use dispatch::{ARGUMENTS, restore_args_text};
pub use dispatch::{
    ApprovalRecord, ApprovalResult, EffectRecord, EventRecord, FailureEntry, HookEffect, OutcomeRecord, PassedCall,
    ShadowEntry, WarningRecord,
};
pub use header::{HeaderRecord, HookScope, HooksRecord, LoadedHook};
pub use hook::{HookCallRecord, HookReturnedRecord, HookSkippedRecord, HookVetoedRecord};
pub use kinds::{HostRecord, NoteRecord, RecordBody};
pub(crate) use kinds::{REDACTED, RecordNumbers, has_origin, is_reserved};
pub use maintenance::{CheckpointRecord, ClosedRecord, RepairedRecord};
pub use verdict::{RecordedFailure, RecordedVerdict, VerdictLabel};

/// The version of the format, and the only one that Pintle writes and reads.
pub const FORMAT: u32 = 8;

/// One line of a tape.
///
/// The writer borrows what it records; a reader returns a `Record<'static>`.
#[derive(Debug, Clone, PartialEq)]
pub struct Record<'a> {
    /// The number of the record, from 0.
    pub seq: u64,
    /// When the record was written, in milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// The digest of the previous line; `None` in the header.
    pub prev: Option<String>,
    pub body: RecordBody<'a>,
}

#[cfg(test)]
mod tests;
