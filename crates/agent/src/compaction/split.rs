//! Splits a conversation into the messages to summarize and those to keep.

use crate::conversation::estimate_tokens;
use crate::model::{MessageRole, ModelMessage};

/// The maximum number of tokens of recent messages to keep, as in docker-agent.
const KEPT_TOKENS: u64 = 20_000;

/// A conversation split in two.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConversationSplit {
    /// The messages to summarize, oldest first.
    pub(super) removed: Vec<ModelMessage>,
    /// The messages to keep, oldest first.
    pub(super) retained: Vec<ModelMessage>,
}

/// Splits a conversation before a message of the user or the model, so that no call is separated from its results.
///
/// Keeps the newest messages, up to a fifth of the model's window. If that would keep all of them, none is kept: a
/// conversation that short is only compacted on request. With `is_in_turn` the model still has to answer the last user
/// message, which is then always kept.
pub(super) fn split_conversation(messages: &[ModelMessage], limit: u64, is_in_turn: bool) -> ConversationSplit {
    let most = if limit == 0 { KEPT_TOKENS } else { KEPT_TOKENS.min(limit / 5) };
    let mut at = messages.len();
    let mut tokens = 0;
    let mut fits = true;
    for (index, message) in messages.iter().enumerate().rev() {
        tokens += estimate_tokens(message) as u64;
        if tokens > most {
            fits = false;
            break;
        }
        if message.role != MessageRole::Tool {
            at = index;
        }
    }
    if fits {
        at = messages.len();
    }
    let (removed, kept) = messages.split_at_checked(at).unwrap_or((messages, &[]));
    let mut split = ConversationSplit { removed: removed.to_vec(), retained: kept.to_vec() };
    let task = removed.iter().rposition(|message| message.role == MessageRole::User);
    let has_task = kept.iter().any(|message| message.role == MessageRole::User);
    if let Some(task) = task.filter(|_| is_in_turn && !has_task) {
        split.retained.insert(0, split.removed.remove(task));
    }
    split
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelToolCall;

    /// Builds a conversation from letters: `u`ser, `a`ssistant, `c`all, `t`ool result; a capital letter is a long
    /// message.
    fn parse_conversation(letters: &str) -> Vec<ModelMessage> {
        let call = ModelToolCall { id: String::from("1"), name: String::from("x"), arguments: String::new() };
        let message = |(index, letter): (usize, char)| {
            let text =
                format!("{letter}{index}{}", if letter.is_uppercase() { " ".repeat(400) } else { String::new() });
            match letter.to_ascii_lowercase() {
                'u' => ModelMessage::user(text),
                'a' => ModelMessage::assistant(text, Vec::new()),
                'c' => ModelMessage::assistant(text, vec![call.clone()]),
                _ => ModelMessage::tool(&call, text),
            }
        };
        letters.chars().enumerate().map(message).collect()
    }

    #[test]
    fn the_newest_messages_stay_and_no_call_loses_its_results() {
        let cases = [
            // Letters, the model's window, whether a turn is running, the removed messages, the kept ones.
            ("UAua", 400, false, "U0 A1", "u2 a3"),
            ("uaua", 400, false, "u0 a1 u2 a3", ""),
            ("uaua", 0, false, "u0 a1 u2 a3", ""),
            ("uAct", 400, false, "u0 A1", "c2 t3"),
            ("uCtt", 400, false, "u0 C1 t2 t3", ""),
            ("uCtt", 400, true, "C1 t2 t3", "u0"),
            ("UAcT", 400, true, "A1 c2 T3", "U0"),
            ("UAu", 400, true, "U0 A1", "u2"),
            ("u", 400, true, "", "u0"),
            ("", 400, false, "", ""),
        ];
        for (letters, limit, is_in_turn, removed, kept) in cases {
            let split = split_conversation(&parse_conversation(letters), limit, is_in_turn);
            let shown = |messages: &[ModelMessage]| {
                messages.iter().map(|message| message.content.trim()).collect::<Vec<_>>().join(" ")
            };
            assert_eq!(
                (shown(&split.removed), shown(&split.retained)),
                (removed.to_owned(), kept.to_owned()),
                "{letters}"
            );
        }
    }
}
