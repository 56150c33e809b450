//! Remembers parts of tool calls that a provider wants back and that the conversation cannot store.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;

/// The maximum number of remembered calls; the oldest are dropped first.
const MOST_CALLS: usize = 4_096;

/// Tool calls as the provider made them, by conversation and Pintle's id of the call.
#[derive(Debug, Default)]
pub(super) struct ToolCallCache(Mutex<ConversationCalls>);

#[derive(Debug, Default)]
struct ConversationCalls {
    by_id: HashMap<(String, String), CachedToolCall>,
    order: VecDeque<(String, String)>,
}

/// The provider's data of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CachedToolCall {
    /// The id on the wire, which may not be unique.
    pub(super) wire_id: String,
    /// Signatures of the thoughts that led to the call, which Gemini wants back.
    pub(super) signatures: Option<Vec<String>>,
}

impl ToolCallCache {
    pub(super) fn insert(&self, conversation: &str, id: &str, call: CachedToolCall) {
        let mut calls = self.0.lock();
        let key = (conversation.to_owned(), id.to_owned());
        if calls.by_id.insert(key.clone(), call).is_none() {
            calls.order.push_back(key);
        }
        if calls.order.len() > MOST_CALLS
            && let Some(oldest) = calls.order.pop_front()
        {
            calls.by_id.remove(&oldest);
        }
    }

    pub(super) fn find(&self, conversation: &str, id: &str) -> Option<CachedToolCall> {
        let calls = self.0.lock();
        calls.by_id.get(&(conversation.to_owned(), id.to_owned())).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_calls_are_forgotten() {
        let kept = ToolCallCache::default();
        let call = |wire_id: usize| CachedToolCall { wire_id: wire_id.to_string(), signatures: None };
        for id in 0..=MOST_CALLS {
            kept.insert("s", &id.to_string(), call(id));
        }
        assert_eq!(kept.find("s", "0"), None);
        assert_eq!(kept.find("s", "1"), Some(call(1)));
        assert_eq!(kept.find("other", "1"), None);
    }
}
