//! The tape of a build without the feature `tape`: there is none, so the compiler removes what would use it.

use std::path::Path;
use std::sync::Arc;

use pintle_contract::{
    CallId, Chain, DispatchId, EffectCaller, EffectError, EffectReply, EffectRequest, Event, EventCause, Journal,
    JournalEntry, Redactor,
};

/// A type without values.
#[derive(Debug)]
pub enum Tape {}

impl Tape {
    pub(crate) fn path(&self) -> Option<&Path> {
        match *self {}
    }

    pub(crate) fn set_redactor(&self, _secrets: Arc<dyn Redactor>) {
        match *self {}
    }

    pub(crate) fn record_hooks<'a>(&self, _chains: impl IntoIterator<Item = &'a Chain>) {
        match *self {}
    }

    pub(crate) fn record_effect(
        &self,
        _caller: EffectCaller<'_>,
        _request: &EffectRequest,
        _reply: &Result<EffectReply, EffectError>,
    ) {
        match *self {}
    }

    pub(crate) fn error_text(&self) -> Option<&str> {
        match *self {}
    }

    pub(crate) fn check_file(&self) -> Option<&str> {
        match *self {}
    }
}

impl Journal for Tape {
    fn begin_dispatch(&self, _event: &JournalEntry<'_>) -> DispatchId {
        match *self {}
    }

    fn record(&self, _dispatch: DispatchId, _entry: &JournalEntry<'_>) {
        match *self {}
    }

    fn record_without_hooks(&self, _event: &Event, _cause: EventCause) -> DispatchId {
        match *self {}
    }

    fn next_call(&self) -> CallId {
        match *self {}
    }
}
