//! A conversation, and the window of it that is sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pintle_host::contract::{HistorySpec, ListPrefix};
use pintle_host::event::TokenUsage;
use pintle_host::tape::record::host::MessagesReplacedBy;
use serde_json::Value;

use crate::completion::to_event_message;
use crate::model::{MessageRole, ModelMessage, ModelToolCall};
use crate::recording;
use crate::reminders::ConversationReminders;
use crate::turn_context::{Agent, TurnContext};

/// The prefix of the message that replaces the summarized messages.
pub(crate) const SUMMARY: &str = "Session Summary: ";

/// One agent's conversation with its model.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// The conversation's id, unique in the session.
    pub(crate) id: String,
    /// All messages, without the system prompt.
    pub(crate) messages: Vec<ModelMessage>,
    /// Context from hooks for the rest of the session.
    pub(crate) notes: Vec<String>,
    /// Reminders from hooks.
    pub(crate) reminders: Arc<ConversationReminders>,
    /// The number of answered model calls.
    pub(crate) calls: u32,
    /// The tokens of all its model calls.
    pub(crate) usage: TokenUsage,
    /// The length of the conversation, as far as it is known.
    pub(crate) length: ConversationLength,
    /// The agent that answered last, if any.
    pub(crate) speaker: Option<Arc<Agent>>,
    /// The last request that had all messages.
    sent: Option<SentConversation>,
    /// Where the user's last message is, if it is known.
    last_user: Option<usize>,
}

/// A request that had all messages of a conversation.
#[derive(Debug)]
struct SentConversation {
    /// The number of the list of its messages in the program.
    list: u64,
    system: Option<String>,
    message_count: usize,
    /// What was sent, for the next request; empty if it was not given back.
    messages: RequestMessages,
}

/// The messages of a request to the model.
#[derive(Debug, Default)]
pub(crate) struct RequestMessages {
    pub(crate) messages: Vec<ModelMessage>,
    /// The first of them as hooks and the tape get them.
    values: Vec<Value>,
    /// How they begin, compared with the request before; `None` if they are not all messages.
    pub(crate) prefix: Option<ListPrefix>,
}

impl RequestMessages {
    /// Takes the messages out as hooks and the tape get them.
    pub(crate) fn take_values(&mut self) -> Vec<Value> {
        let mut values = std::mem::take(&mut self.values);
        values.extend(self.messages.iter().skip(values.len()).map(to_value));
        values
    }

    /// Puts back what [`RequestMessages::take_values`] took out.
    pub(crate) fn put_back(&mut self, values: Vec<Value>) {
        self.values = values;
    }

    /// Replaces the first message.
    fn set_first(&mut self, message: ModelMessage) {
        self.values.first_mut().into_iter().for_each(|value| *value = to_value(&message));
        self.messages.first_mut().into_iter().for_each(|first| first.clone_from(&message));
    }
}

/// The length of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ConversationLength {
    /// The input and output tokens of the last model call, as the provider counted them.
    pub(crate) counted_tokens: u64,
    /// The number of messages that these tokens cover.
    pub(crate) counted_messages: usize,
    /// The approximate number of tokens after the last compaction.
    pub(crate) compacted_tokens: u64,
}

impl Conversation {
    pub(crate) fn new(id: String) -> Self {
        Self { id, ..Self::default() }
    }

    /// Adds the context from `session.start` hooks, without duplicates.
    pub(crate) fn add_notes(&mut self, notes: Vec<String>) {
        for note in notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Records a message and then adds it.
    pub(crate) fn push(&mut self, turn: &TurnContext, message: ModelMessage) {
        recording::record_message(turn, &self.id, &message);
        turn.state.transcript.push(&message);
        if message.role == MessageRole::User {
            self.last_user = Some(self.messages.len());
        }
        self.messages.push(message);
    }

    /// The messages of the next request, the system prompt first. They are made from those of the last request, if
    /// both have all messages.
    pub(crate) fn next_request(&mut self, system: Option<String>, spec: HistorySpec) -> RequestMessages {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let (last, message_count) = (self.sent.take(), self.messages.len());
        let window = if self.fits(spec) { None } else { Some(self.window(spec)) };
        if let Some(window) = window.filter(|window| window.len() != message_count) {
            let messages = system.map(ModelMessage::system).into_iter().chain(window).collect();
            return RequestMessages { messages, ..RequestMessages::default() };
        }
        let system_count = usize::from(system.is_some());
        let mut request = RequestMessages::default();
        let mut list = None;
        if let Some(last) = last.filter(|last| last.system.is_some() == system.is_some()) {
            let shared_count = system_count + last.message_count;
            request = last.messages;
            if last.system == system {
                list = Some((last.list, shared_count));
            } else if let Some(system) = &system {
                request.set_first(ModelMessage::system(system.as_str()));
            }
        }
        if request.messages.is_empty() {
            request.messages.extend(system.as_deref().map(ModelMessage::system));
        }
        let known_count = request.messages.len().saturating_sub(system_count);
        request.messages.extend(self.messages.iter().skip(known_count).cloned());
        let (list, count) = list.unwrap_or_else(|| (LAST.fetch_add(1, Ordering::Relaxed) + 1, 0));
        request.prefix = Some(ListPrefix { list, count });
        self.sent = Some(SentConversation { list, system, message_count, messages: RequestMessages::default() });
        request
    }

    /// Takes back the messages of the last request, which may have more at its end and in its system prompt.
    pub(crate) fn take_back(&mut self, mut request: RequestMessages) {
        let Some(sent) = &mut self.sent else { return };
        let first = request.messages.first_mut().filter(|first| first.role == MessageRole::System);
        match (&sent.system, first) {
            (Some(system), Some(first)) if first.content.starts_with(system.as_str()) => {
                first.content.truncate(system.len())
            }
            (None, None) => {}
            _ => return,
        }
        let count = usize::from(sent.system.is_some()) + sent.message_count;
        request.messages.truncate(count);
        request.values.truncate(count);
        sent.messages = request;
    }

    /// Records that other messages replace all messages, and then replaces them.
    pub(crate) fn replace(&mut self, turn: &TurnContext, reason: MessagesReplacedBy, messages: Vec<ModelMessage>) {
        recording::record_messages(turn, &self.id, reason, &messages);
        turn.state.transcript.replace(&messages);
        self.messages = messages;
        (self.sent, self.last_user) = (None, None);
        self.length = ConversationLength::default();
    }

    /// The user's last message.
    pub(crate) fn last_user_message(&self) -> Option<&ModelMessage> {
        let known = self.last_user.and_then(|index| self.messages.get(index));
        known.or_else(|| self.messages.iter().rev().find(|message| message.role == MessageRole::User))
    }

    /// Whether all messages are sent, as far as that is known without counting their tokens.
    fn fits(&self, spec: HistorySpec) -> bool {
        let is_whole = self.messages.first().is_none_or(|first| first.role != MessageRole::Tool);
        is_whole && spec.max_tokens == usize::MAX && self.messages.len() <= spec.max_messages
    }

    /// The newest messages that fit, oldest first.
    ///
    /// A tool call and its results stay together or are left out together. The window begins with a message of the
    /// user. If none fits, the user's newest message is sent nevertheless, because it is the task.
    pub(crate) fn window(&self, spec: HistorySpec) -> Vec<ModelMessage> {
        let mut start = self.messages.len();
        let (mut count, mut tokens) = (0, 0);
        for (index, message) in self.messages.iter().enumerate().rev() {
            count += 1;
            tokens += estimate_tokens(message);
            let is_first = start == self.messages.len();
            // The newest group is sent whatever its size: without it there is nothing to answer.
            if !is_first && (count > spec.max_messages || tokens > spec.max_tokens) {
                break;
            }
            // A tool's result cannot be the first message, because its call would be missing.
            if message.role != MessageRole::Tool {
                start = index;
            }
        }
        let sent = self.messages.get(start..).unwrap_or_default();
        let mut window = Vec::with_capacity(sent.len() + 2);
        // The summary of a compaction is never cut off.
        let summary = self.messages.first().filter(|first| start > 0 && first.content.starts_with(SUMMARY));
        window.extend(summary.cloned());
        if sent.first().is_some_and(|first| first.role != MessageRole::User) {
            let before = self.messages.get(..start).unwrap_or_default();
            let before = before.get(window.len()..).unwrap_or_default();
            window.extend(before.iter().rev().find(|message| message.role == MessageRole::User).cloned());
        }
        window.extend_from_slice(sent);
        window
    }
}

/// A message as hooks and the tape get it.
fn to_value(message: &ModelMessage) -> Value {
    serde_json::to_value(to_event_message(message)).unwrap_or_default()
}

/// The tool calls without a result.
pub(crate) fn unanswered_calls(messages: &[ModelMessage]) -> impl Iterator<Item = &ModelToolCall> {
    let is_open = |call: &&ModelToolCall| {
        let mut results = messages.iter().filter(|message| message.role == MessageRole::Tool);
        !results.any(|result| result.tool_call_id.as_deref() == Some(call.id.as_str()))
    };
    // A call and its results are adjacent, so only the last message with calls can lack results.
    let calls = messages.iter().rev().find(|message| !message.tool_calls.is_empty());
    calls.into_iter().flat_map(|message| &message.tool_calls).filter(is_open)
}

/// The approximate number of tokens of a message: a quarter of its bytes, plus a few for its frame.
pub(crate) fn estimate_tokens(message: &ModelMessage) -> usize {
    let calls: usize =
        message.tool_calls.iter().map(|call| call.name.len() + call.arguments.len() + call.id.len()).sum();
    4 + (message.content.len() + calls) / 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelToolCall;

    /// Builds a conversation from letters: `u`ser, `a`ssistant, `c`all, `t`ool result.
    fn parse_conversation(letters: &str) -> Conversation {
        let call = ModelToolCall { id: String::from("1"), name: String::from("x"), arguments: String::new() };
        let message = |(index, letter): (usize, char)| match letter {
            'u' => ModelMessage::user(format!("u{index}")),
            'a' => ModelMessage::assistant(format!("a{index}"), Vec::new()),
            'c' => ModelMessage::assistant(format!("c{index}"), vec![call.clone()]),
            _ => ModelMessage { content: format!("t{index}"), ..ModelMessage::tool(&call, "") },
        };
        Conversation { messages: letters.chars().enumerate().map(message).collect(), ..Conversation::default() }
    }

    #[test]
    fn a_window_is_the_newest_part_and_never_splits_a_call_from_its_results() {
        let cases = [
            ("uaua", 50, "u0 a1 u2 a3"),
            ("uauau", 3, "u2 a3 u4"),
            ("uauau", 2, "u2 a3 u4"),
            ("ucttu", 3, "u4"),
            ("ucttu", 4, "u0 c1 t2 t3 u4"),
            ("uctct", 2, "u0 c3 t4"),
            ("uctt", 1, "u0 c1 t2 t3"),
            ("", 5, ""),
        ];
        for (letters, max_messages, expected) in cases {
            let window = parse_conversation(letters).window(HistorySpec { max_messages, max_tokens: 100_000 });
            let shown: Vec<String> = window.into_iter().map(|message| message.content).collect();
            assert_eq!(shown.join(" "), expected, "{letters} within {max_messages}");
        }
    }

    #[test]
    fn a_request_is_made_of_the_last_one() {
        let everything = HistorySpec { max_messages: usize::MAX, max_tokens: usize::MAX };
        let system = |text: &str| Some(text.to_owned());
        let mut talk = parse_conversation("ua");
        let mut request = talk.next_request(system("be brief"), everything);
        let first = request.prefix.unwrap();
        assert_eq!((request.messages.len(), request.take_values().len(), first.count), (3, 3, 0));
        // A mark shows that a message is not copied again. Context and reminders of one request are left out.
        request.messages[1].content.push('!');
        request.messages[0].content.push_str(", and now");
        request.messages.push(ModelMessage::system("a reminder"));
        talk.take_back(request);
        talk.messages.push(ModelMessage::user("more"));
        let request = talk.next_request(system("be brief"), everything);
        let texts = |request: &RequestMessages| {
            request.messages.iter().map(|message| message.content.clone()).collect::<Vec<_>>().join(" | ")
        };
        assert_eq!(texts(&request), "be brief | u0! | a1 | more");
        assert_eq!(request.prefix, Some(ListPrefix { list: first.list, count: 3 }));
        // Another system prompt makes another list of the same messages.
        talk.take_back(request);
        let request = talk.next_request(system("be careful"), everything);
        assert_eq!(texts(&request), "be careful | u0! | a1 | more");
        let second = request.prefix.unwrap();
        assert!(second.list != first.list && second.count == 0);
        // What is not given back is copied again, and so is everything without the prompt.
        let request = talk.next_request(system("be careful"), everything);
        assert_eq!((texts(&request).as_str(), request.prefix.unwrap().count), ("be careful | u0 | a1 | more", 4));
        assert_eq!(texts(&talk.next_request(None, everything)), "u0 | a1 | more");
        let window = talk.next_request(None, HistorySpec { max_messages: 1, max_tokens: usize::MAX });
        assert_eq!((texts(&window).as_str(), window.prefix), ("more", None));
    }

    #[test]
    fn tokens_bound_a_window_too() {
        let mut talk = parse_conversation("uau");
        talk.messages[0].content = "x".repeat(4_000);
        let window = talk.window(HistorySpec { max_messages: 50, max_tokens: 500 });
        assert_eq!(window.len(), 3, "the user's last message comes before the answer that fits");
        talk.messages[1].role = MessageRole::User;
        assert_eq!(talk.window(HistorySpec { max_messages: 50, max_tokens: 500 }).len(), 2);
    }
}
