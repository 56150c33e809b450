//! The table of record kinds.
//!
//! The enums, the kinds that no note can have, and the way between a record and its line are derived from it. To add a
//! kind, add its struct, a row here, its entry in the document of the format ([`super`]) and a line in
//! `examples.jsonl`. The compiler then names the matches of `show` and `verify` that have to decide about it.

use std::borrow::Cow;

use pintle_contract::Origin;
use serde::Serialize;
use serde_json::{Map, Value};

use super::host::{
    MessageRecord, MessagesRecord, ModelReplyRecord, ModelRequestRecord, ReminderRecord, SessionRecord, ToolCallRecord,
    ToolResultRecord, TurnRecord, UserMessageRecord,
};
use super::{
    ARGUMENTS, ApprovalRecord, CheckpointRecord, ClosedRecord, EffectRecord, EventRecord, HeaderRecord, HookCallRecord,
    HookReturnedRecord, HookSkippedRecord, HookVetoedRecord, HooksRecord, OutcomeRecord, PassedCall, RecordedVerdict,
    RepairedRecord, WarningRecord, restore_args_text,
};
use crate::line::FieldSource;

/// What replaced a record that observers must not see. No record on a tape has this kind.
pub(crate) const REDACTED: &str = "redacted";

/// A row is the kind on the tape, the variant with its struct, and the fields that number something within the tape.
/// Records of the host also have an `origin`.
macro_rules! records {
    (
        tape { $($(#[$doc:meta])* $kind:literal = $variant:ident($record:ty)
            $(, numbers [$($number:ident),*])?;)* }
        host { $($(#[$host_doc:meta])* $host_kind:literal = $host_variant:ident($host_record:ty);)* }
    ) => {
        /// The kind of a record, with the fields of that kind.
        #[derive(Debug, Clone, PartialEq)]
        pub enum RecordBody<'a> {
            $($(#[$doc])* $variant($record),)*
            /// An action or a result of the host.
            Host(HostRecord<'a>),
            /// A note of the host.
            Note(NoteRecord<'a>),
            /// A record of a kind that this version does not know, unchanged.
            Unknown {
                kind: String,
                /// The fields of the record, without those that every record has.
                fields: Map<String, Value>,
            },
        }

        /// One record of the host.
        #[derive(Debug, Clone, PartialEq)]
        pub enum HostRecord<'a> {
            $($(#[$host_doc])* $host_variant($host_record),)*
        }

        /// Every kind with a struct of its own.
        pub(crate) const KINDS: &[&str] = &[$($kind,)* $($host_kind),*];

        /// Whether records of a kind have an origin, which is written only if it is not that of the record before.
        pub(crate) fn has_origin(kind: &str) -> bool {
            matches!(kind, "event" $(| $host_kind)*)
        }

        impl RecordBody<'_> {
            /// The value of `kind` on the tape.
            #[must_use]
            pub fn kind(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $kind,)*
                    Self::Host(host) => host.kind(),
                    Self::Note(note) => &note.kind,
                    Self::Unknown { kind, .. } => kind,
                }
            }

            /// What the record numbers within its tape.
            #[expect(unused_variables, reason = "some kinds number nothing")]
            pub(crate) fn numbers(&self) -> RecordNumbers<u64> {
                match self {
                    $(Self::$variant(record) => RecordNumbers {
                        $($($number: Option::from(record.$number),)*)?
                        ..RecordNumbers::NONE
                    },)*
                    Self::Host(_) | Self::Note(_) | Self::Unknown { .. } => RecordNumbers::NONE,
                }
            }

            /// What the record numbers within its tape, to number it again.
            #[expect(unused_variables, reason = "some kinds number nothing")]
            pub(crate) fn numbers_mut(&mut self) -> RecordNumbers<&mut u64> {
                match self {
                    $(Self::$variant(record) => RecordNumbers {
                        $($($number: Option::from(&mut record.$number),)*)?
                        ..RecordNumbers::NONE
                    },)*
                    Self::Host(_) | Self::Note(_) | Self::Unknown { .. } => RecordNumbers::NONE,
                }
            }

            /// Appends the fields of the record without its origin as a JSON object.
            pub(crate) fn push_fields(&self, text: &mut Vec<u8>) -> Result<(), serde_json::Error> {
                match self {
                    $(Self::$variant(record) => serde_json::to_writer(text, record),)*
                    $(Self::Host(HostRecord::$host_variant(record)) => serde_json::to_writer(text, record),)*
                    Self::Note(note) => serde_json::to_writer(text, note),
                    Self::Unknown { fields, .. } => serde_json::to_writer(text, fields),
                }
            }
        }

        impl RecordBody<'static> {
            /// Reads the fields of a kind that has a struct of its own, as they are written. Returns them unchanged for
            /// any other kind.
            fn parse_fields<F: FieldSource>(
                kind: &str,
                fields: F,
            ) -> Result<Result<Self, serde_json::Error>, F> {
                Ok(match kind {
                    $($kind => fields.deserialize_fields().map(Self::$variant),)*
                    $($host_kind => fields.deserialize_fields().map(HostRecord::$host_variant).map(Self::Host),)*
                    _ => return Err(fields),
                })
            }
        }

        impl HostRecord<'_> {
            /// The value of `kind` on the tape.
            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$host_variant(_) => $host_kind,)*
                }
            }

            /// The session, turn and agent that the record is about.
            #[must_use]
            pub fn origin(&self) -> &Origin {
                match self {
                    $(Self::$host_variant(record) => &record.origin,)*
                }
            }
        }
    };
}

records! {
    tape {
        /// The tape starts.
        "header" = Header(HeaderRecord);
        /// Hooks were loaded.
        "hooks" = Hooks(HooksRecord);
        /// A dispatch starts.
        "event" = Event(EventRecord<'a>), numbers [dispatch, parent, cause];
        /// A hook's matcher failed.
        "matcher_failed" = MatcherFailed(HookSkippedRecord<'a>), numbers [dispatch, entry];
        /// A hook matches the event but is not called.
        "not_called" = NotCalled(HookSkippedRecord<'a>), numbers [dispatch, entry];
        /// A hook is about to be called.
        "hook_call" = HookCall(HookCallRecord<'a>), numbers [dispatch, call, entry];
        /// A hook or a tool made an effect request.
        "effect" = Effect(EffectRecord<'a>), numbers [dispatch, call];
        /// A hook returned.
        "hook_returned" = HookReturned(HookReturnedRecord<'a>), numbers [dispatch, call];
        /// The verdict before this record denies, or decides a permission.
        "hook_vetoed" = HookVetoed(HookVetoedRecord<'a>), numbers [dispatch, call];
        /// A warning about a hook.
        "warning" = Warning(WarningRecord<'a>), numbers [dispatch];
        /// An approval request got a response.
        "approval" = Approval(ApprovalRecord<'a>), numbers [dispatch];
        /// A dispatch ended.
        "outcome" = Outcome(OutcomeRecord<'a>), numbers [dispatch];
        /// A torn record at the end of the tape was removed.
        "repaired" = Repaired(RepairedRecord);
        /// The records before this one were signed.
        "checkpoint" = Checkpoint(CheckpointRecord<'a>);
        /// The tape was closed.
        "closed" = Closed(ClosedRecord<'a>);
    }
    host {
        /// A session was opened.
        "session" = Session(SessionRecord<'a>);
        /// A session is resumed from its tape.
        "resumed" = Resumed(SessionRecord<'a>);
        /// The user, or a program on the user's behalf, sent a message.
        "user_message" = UserMessage(UserMessageRecord<'a>);
        /// The model is about to be called.
        "model_request" = ModelRequest(ModelRequestRecord<'a>);
        /// The model replied or failed.
        "model_reply" = ModelReply(ModelReplyRecord<'a>);
        /// A tool is about to run.
        "tool_call" = ToolCall(ToolCallRecord<'a>);
        /// A tool ran.
        "tool_result" = ToolResult(ToolResultRecord<'a>);
        /// A message was added to a conversation.
        "message" = Message(MessageRecord<'a>);
        /// The messages of a conversation were replaced.
        "messages" = Messages(MessagesRecord<'a>);
        /// Something happened to a reminder.
        "reminder" = Reminder(ReminderRecord<'a>);
        /// A turn begins or ends.
        "turn" = Turn(TurnRecord<'a>);
    }
}

impl RecordBody<'static> {
    /// Reads the fields of a kind that has a struct of its own. Returns them unchanged for any other kind.
    pub(crate) fn from_fields<F: FieldSource>(kind: &str, fields: F) -> Result<Result<Self, serde_json::Error>, F> {
        let mut body = Self::parse_fields(kind, fields)?;
        let payload = match &mut body {
            Ok(Self::Event(EventRecord { args_text: true, payload, .. })) => Some(payload),
            Ok(Self::HookCall(HookCallRecord { args_text: true, value, .. })) => value.as_mut(),
            Ok(Self::Outcome(OutcomeRecord { args_text: true, value, .. })) => value.as_mut(),
            _ => None,
        };
        if let Some(payload) = payload {
            restore_args_text(payload.to_mut());
        }
        Ok(body)
    }
}

/// A note of the host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoteRecord<'a> {
    /// The kind of the note; not one of the reserved kinds.
    #[serde(skip)]
    pub kind: Cow<'a, str>,
    /// The content of the note.
    pub data: Cow<'a, Value>,
}

/// The fields of a record that number something within its tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordNumbers<N> {
    pub(crate) dispatch: Option<N>,
    /// The dispatch that caused this one.
    pub(crate) parent: Option<N>,
    pub(crate) call: Option<N>,
    /// The call that caused the dispatch.
    pub(crate) cause: Option<N>,
    /// The hook.
    pub(crate) entry: Option<N>,
}

impl<N> RecordNumbers<N> {
    const NONE: Self = Self { dispatch: None, parent: None, call: None, cause: None, entry: None };
}

impl EventRecord<'_> {
    /// The records of the calls that it has itself.
    pub fn hook_records(&self) -> impl Iterator<Item = RecordBody<'_>> {
        let dispatch = self.dispatch;
        self.passed.iter().flat_map(move |PassedCall { call, hook, entry, duration_us }| {
            let (call, entry, duration_us) = (*call, *entry, *duration_us);
            let (hook, verdict) = (Cow::Borrowed(&**hook), RecordedVerdict::passing());
            let called = HookCallRecord {
                dispatch,
                call,
                hook: hook.clone(),
                entry,
                round: 0,
                payload: 0,
                args_text: false,
                value: None,
            };
            let returned = HookReturnedRecord { dispatch, call, hook, duration_us, verdict };
            [RecordBody::HookCall(called), RecordBody::HookReturned(returned)]
        })
    }
}

impl RecordBody<'_> {
    /// The session, turn and agent of an event or of a record of the host.
    pub(crate) fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Event(fired) => Some(&fired.origin),
            Self::Host(record) => Some(record.origin()),
            _ => None,
        }
    }

    /// Whether a field of its payload is not on the tape, because a reader computes it.
    pub(crate) fn computes(&self, field: &str) -> bool {
        let args_text = match self {
            Self::Event(fired) => fired.args_text,
            Self::HookCall(call) => call.args_text,
            Self::Outcome(outcome) => outcome.args_text,
            _ => false,
        };
        args_text && field == ARGUMENTS
    }

    /// The number of the dispatch that the record belongs to.
    #[must_use]
    pub fn dispatch(&self) -> Option<u64> {
        self.numbers().dispatch
    }

    /// The numbers of the hooks that the record is about, other than loaded ones.
    pub(crate) fn hook_entries(&self) -> impl Iterator<Item = u64> {
        let passed = match self {
            Self::Event(fired) => fired.passed.as_slice(),
            _ => &[],
        };
        self.numbers().entry.into_iter().chain(passed.iter().map(|passed| passed.entry))
    }

    /// The outcome that the record has, or that it implies because no hook was called for its event.
    #[must_use]
    pub fn outcome(&self) -> Option<Cow<'_, OutcomeRecord<'_>>> {
        match self {
            Self::Event(fired) => fired.outcome().map(Cow::Owned),
            Self::Outcome(outcome) => Some(Cow::Borrowed(outcome)),
            _ => None,
        }
    }
}

/// Whether a kind has a meaning of its own, so that no note can have it.
pub(crate) fn is_reserved(kind: &str) -> bool {
    kind == REDACTED || KINDS.contains(&kind)
}
