//! Which messages are summed up, and which stay as they are.

use crate::model::{MessageRole, ModelMessage};
use crate::session::estimate_tokens;

/// The most tokens that stay, of the newest messages (docker-agent).
const KEPT_TOKENS: u64 = 20_000;

/// A conversation in two parts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConversationSplit {
    /// What is summed up, oldest first.
    pub(super) removed: Vec<ModelMessage>,
    /// What stays, oldest first.
    pub(super) retained: Vec<ModelMessage>,
}

/// Splits a conversation between what a person or the model said, so that no call is parted from its results.
///
/// The newest messages stay, up to a fifth of the model's window. When that is all of them, none stays: a conversation
/// that short is compacted because somebody wants it to be. `is_in_turn` says that the model still has to answer what the
/// person said last, which then stays in any case.
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

    /// A conversation as letters: `u`ser, `a`ssistant, `c`all, `t`ool result; a capital letter is a long message.
    fn parse_conversation(letters: &str) -> Vec<ModelMessage> {
        let call = ModelToolCall { id: String::from("1"), name: String::from("x"), arguments: String::new() };
        let message = |(at, letter): (usize, char)| {
            let text = format!("{letter}{at}{}", if letter.is_uppercase() { " ".repeat(400) } else { String::new() });
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
            // Letters, the model's window, whether a turn is at work, what is summed up, what stays.
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
