//! A hook that hears every call in its own words.

use std::sync::Arc;

use pintle_contract::{CallReads, Event, Handler, Hook, HookCall, MatchResult, Matcher, SubjectFilter, Verdict};

use super::hook_vocabulary::HookVocabulary;
use super::operations::with_worked_out;
use super::part_verdicts::PartVerdicts;
use super::translate::{HeardCall, HeardPart, hear, with_fields};

/// Makes a hook hear the calls of tool events in its own words.
///
/// A hook in the caller's words hears a call of several parts whole, and any other hook hears it part by part. One
/// refusal refuses the whole call; rewritten parts are merged back into it. Hooks of other events stay as they are.
/// `call_reads` says what the hook's text names of the `paths` and `operations` of a call, and `reads_call_text` whether it may
/// read the text of the arguments, or the call as its caller made it.
#[must_use]
pub fn translate_hook(hook: Hook, vocabulary: HookVocabulary, call_reads: CallReads, reads_call_text: bool) -> Hook {
    if !hook.event.def().is_about_tool_call() || hook.handler.hears_calls_as_made() {
        return hook;
    }
    let vocabulary = Arc::new(vocabulary);
    let written = hook.matcher.clone();
    let matcher = hook.matcher.map(|inner| -> Arc<dyn Matcher> {
        let subjects = caller_subjects(&*inner, &vocabulary);
        let vocabulary = Arc::clone(&vocabulary);
        Arc::new(TranslatedMatcher { inner, vocabulary, subjects, call_reads, reads_call_text })
    });
    let inner = hook.handler;
    let handler = Arc::new(TranslatedHandler { inner, matcher: written, vocabulary, call_reads, reads_call_text });
    Hook { matcher, handler, ..hook }
}

#[derive(Debug)]
struct TranslatedMatcher {
    inner: Arc<dyn Matcher>,
    vocabulary: Arc<HookVocabulary>,
    /// The subjects in the words of all callers. Each registration builds the set of hooks again, and this costs a
    /// look at every vocabulary.
    subjects: SubjectFilter,
    call_reads: CallReads,
    reads_call_text: bool,
}

/// The subjects that a matcher accepts, under the names of all callers.
fn caller_subjects(inner: &dyn Matcher, vocabulary: &HookVocabulary) -> SubjectFilter {
    let SubjectFilter::Only { certain, mut possible } = inner.subjects() else { return SubjectFilter::Any };
    let names: Vec<&str> = certain.iter().chain(&possible).map(String::as_str).collect();
    let mut callers = vocabulary.caller_names(&names);
    let certain = if vocabulary.keeps_names() { certain } else { Vec::new() };
    callers.retain(|name| !certain.contains(name));
    possible.extend(callers);
    possible.sort_unstable();
    possible.dedup();
    SubjectFilter::Only { certain, possible }
}

impl Matcher for TranslatedMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        let event = &*with_worked_out(event, self.call_reads, None);
        match hear(event, &self.vocabulary, self.reads_call_text) {
            HeardCall::AsFired => self.inner.matches(event),
            HeardCall::Translated(parts) => {
                let mut result = MatchResult::No;
                for part in parts {
                    match self.inner.matches(&part.to_event(event)) {
                        MatchResult::Yes => return MatchResult::Yes,
                        failed @ MatchResult::Failed(_) => result = failed,
                        MatchResult::No => {}
                    }
                }
                result
            }
        }
    }

    fn subjects(&self) -> SubjectFilter {
        self.subjects.clone()
    }

    fn written_subjects(&self) -> SubjectFilter {
        self.inner.written_subjects()
    }

    fn threshold_percent(&self) -> Option<f64> {
        self.inner.threshold_percent()
    }

    fn describe(&self) -> String {
        self.inner.describe()
    }
}

#[derive(Debug)]
struct TranslatedHandler {
    inner: Arc<dyn Handler>,
    /// The hook's own matcher, which decides for each part of a call of several.
    matcher: Option<Arc<dyn Matcher>>,
    vocabulary: Arc<HookVocabulary>,
    call_reads: CallReads,
    reads_call_text: bool,
}

impl TranslatedHandler {
    /// Asks the hook about each part, one after the other.
    fn call_parts(&self, call: &HookCall<'_>, parts: &[HeardPart]) -> Verdict {
        let mut verdicts = PartVerdicts::new(call.event, call.hook.on_failure);
        for part in parts {
            let event = with_fields(part.to_event(call.event), verdicts.fields());
            if parts.len() > 1 && !self.wants(&event) {
                verdicts.skip();
                continue;
            }
            let verdict = self.inner.call(&HookCall { event: &event, ..*call });
            if !verdicts.add(part, &event, verdict) {
                break;
            }
        }
        verdicts.combine()
    }

    /// Whether the hook wants a part. A matcher that fails wants it: the engine decides on failures before a call, so
    /// this one failed only for a part that another part hid.
    fn wants(&self, event: &Event) -> bool {
        self.matcher.as_ref().is_none_or(|matcher| !matches!(matcher.matches(event), MatchResult::No))
    }
}

impl Handler for TranslatedHandler {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn inner(&self) -> Option<&dyn Handler> {
        Some(&*self.inner)
    }

    fn written_tool_names(&self) -> &[String] {
        self.vocabulary.written_names()
    }

    fn call_reads(&self) -> CallReads {
        let mut reads = self.call_reads;
        reads |= self.inner.call_reads();
        reads
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        let event = with_worked_out(call.event, self.call_reads, Some(call));
        let call = &HookCall { event: &event, ..*call };
        match hear(call.event, &self.vocabulary, self.reads_call_text) {
            HeardCall::AsFired => self.inner.call(call),
            HeardCall::Translated(parts) => self.call_parts(call, &parts),
        }
    }
}
