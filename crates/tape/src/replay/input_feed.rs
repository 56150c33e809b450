//! Feeds recorded inputs to the stub hooks while one dispatch is replayed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle_contract::{
    ApprovalRequest, ApprovalResponse, Approver, CallId, CancelToken, Clock, Event, Failure, Handler, HookCall, HookId,
    JournalEntry, MatchResult, Matcher, Verdict, VerdictKind,
};

/// The recorded inputs of one dispatch: what the engine does not decide.
#[derive(Debug, Default)]
pub(super) struct DispatchInputs {
    /// The hooks that matched the event, in the order in which the engine matched them.
    pub(super) matched_hooks: Vec<MatchedHook>,
    /// The calls, in the order in which they started.
    pub(super) calls: Vec<RecordedReturn>,
    /// The number of calls that returned.
    pub(super) returned_count: usize,
    /// The approval response, if the outcome needed approval and the tape has the response.
    pub(super) approval_response: Option<ApprovalResponse>,
    /// The guards that the engine stopped rechecking, from the reasons of the outcome.
    pub(super) unsettled_guards: Vec<HookId>,
}

impl DispatchInputs {
    /// Whether the outcome depends on the payload. It does only if a hook rewrote it or returned `ask`.
    pub(super) fn needs_payload(&self) -> bool {
        let depends =
            |verdict: &Verdict| matches!(verdict.kind, VerdictKind::Ask { .. }) || verdict.target_rewrite().is_some();
        self.approval_response.is_some() || self.calls.iter().filter_map(|call| call.verdict.as_ref()).any(depends)
    }
}

/// The recorded match of one hook.
#[derive(Debug)]
pub(super) struct MatchedHook {
    /// The hook's number on the tape.
    pub(super) entry: u64,
    /// The number of calls that had returned before.
    pub(super) returned_before: usize,
    pub(super) result: MatchedHookResult,
}

/// The recorded result of matching one hook.
#[derive(Debug)]
pub(super) enum MatchedHookResult {
    Called,
    MatcherFailed(Failure),
    /// The hook was not called because the host had cancelled the dispatch.
    Cancelled,
}

/// The recorded result of one hook call.
#[derive(Debug)]
pub(super) struct RecordedReturn {
    /// The call's number on the tape.
    pub(super) call: u64,
    pub(super) duration_us: u64,
    /// `None` if the tape ends before the call returned.
    pub(super) verdict: Option<Verdict>,
}

/// The inputs of the dispatch that is being replayed, shared by all stub hooks of a set.
#[derive(Debug, Default)]
pub(super) struct InputFeed(Mutex<InputCursor>);

#[derive(Debug, Default)]
struct InputCursor {
    inputs: DispatchInputs,
    next_match: usize,
    next_call: usize,
    /// The number of calls that have returned so far.
    answered_count: usize,
    now_us: u64,
    cancel: CancelToken,
    /// The calls whose return is not on the tape.
    unfinished_calls: Vec<u64>,
    /// Whether the engine requested an approval whose response is not on the tape.
    is_unresolved: bool,
}

impl InputFeed {
    /// Starts the next dispatch. Returns the token that is cancelled where the host cancelled the recorded dispatch.
    pub(super) fn load(&self, inputs: DispatchInputs) -> CancelToken {
        let mut cursor = self.lock_cursor();
        *cursor = InputCursor { inputs, ..InputCursor::default() };
        cursor.cancel.clone()
    }

    /// Whether the tape ends before it has the input that a journal entry is made from.
    pub(super) fn is_missing(&self, entry: &JournalEntry<'_>) -> bool {
        let cursor = self.lock_cursor();
        match entry {
            JournalEntry::Return { id, .. } => cursor.unfinished_calls.contains(&id.0),
            JournalEntry::ApprovalAnswered { .. } => cursor.is_unresolved,
            _ => false,
        }
    }

    /// The recorded number of the next call; 0 if the tape has no further call.
    pub(super) fn next_call(&self) -> CallId {
        let mut cursor = self.lock_cursor();
        let index = cursor.next_call;
        cursor.next_call += 1;
        match cursor.inputs.calls.get(index) {
            Some(returned) => CallId(returned.call),
            None => CallId(0),
        }
    }

    /// The recorded result of matching a hook now.
    fn match_next(&self, entry: u64, id: &HookId) -> MatchResult {
        let mut cursor = self.lock_cursor();
        let InputCursor { inputs, next_match, answered_count, cancel, .. } = &mut *cursor;
        // The engine matches a hook after every call that is before the match on the tape. So the next match on the
        // tape is either that of this hook in this round, or that of another hook.
        let Some(matched) = inputs.matched_hooks.get_mut(*next_match) else {
            // The engine stops rechecking guards after everything else, without a call.
            return if inputs.unsettled_guards.contains(id) { MatchResult::Yes } else { MatchResult::No };
        };
        // Concurrent hooks are all matched before the first of them returns. If one of them matched after a return, it
        // did so in a later round, when guards were rechecked. A sequential hook is matched after all returns before
        // it, and is matched once for what it sees. So the number of returns determines the round.
        if matched.entry != entry || matched.returned_before > *answered_count {
            return MatchResult::No;
        }
        *next_match += 1;
        match std::mem::replace(&mut matched.result, MatchedHookResult::Called) {
            MatchedHookResult::Called => MatchResult::Yes,
            MatchedHookResult::MatcherFailed(failure) => MatchResult::Failed(failure),
            MatchedHookResult::Cancelled => {
                cancel.cancel();
                MatchResult::Yes
            }
        }
    }

    /// The recorded verdict of a call. If the tape does not have it, the call is noted as unfinished.
    fn next_verdict(&self, id: CallId) -> Verdict {
        let mut cursor = self.lock_cursor();
        let InputCursor { inputs, now_us, unfinished_calls, answered_count, .. } = &mut *cursor;
        *answered_count += 1;
        match inputs.calls.iter_mut().find(|returned| returned.call == id.0) {
            Some(RecordedReturn { duration_us, verdict: verdict @ Some(_), .. }) => {
                *now_us = now_us.saturating_add(*duration_us);
                verdict.take().unwrap_or_else(Verdict::pass)
            }
            _ => {
                unfinished_calls.push(id.0);
                Verdict::pass()
            }
        }
    }

    fn lock_cursor(&self) -> MutexGuard<'_, InputCursor> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The recorded time, which passes only while a hook runs.
impl Clock for InputFeed {
    fn unix_ms(&self) -> u64 {
        self.lock_cursor().now_us / 1_000
    }

    fn monotonic_us(&self) -> u64 {
        self.lock_cursor().now_us
    }
}

/// Returns the recorded approval response.
impl Approver for InputFeed {
    fn request_approval(&self, _request: &ApprovalRequest<'_>) -> ApprovalResponse {
        let mut cursor = self.lock_cursor();
        match cursor.inputs.approval_response.take() {
            Some(response) => response,
            None => {
                cursor.is_unresolved = true;
                ApprovalResponse::Unavailable
            }
        }
    }
}

/// The matcher and handler of a stub hook.
#[derive(Debug)]
pub(super) struct StubHandler {
    pub(super) feed: Arc<InputFeed>,
    /// The hook's number on the tape.
    pub(super) entry: u64,
    pub(super) id: HookId,
}

impl Matcher for StubHandler {
    fn matches(&self, _event: &Event) -> MatchResult {
        self.feed.match_next(self.entry, &self.id)
    }

    fn describe(&self) -> String {
        String::from("as recorded on the tape")
    }
}

impl Handler for StubHandler {
    fn kind(&self) -> &'static str {
        "none"
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        self.feed.next_verdict(call.id)
    }
}
