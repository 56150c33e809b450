//! Compares the messages of a request with the outcome of `completion.pre`, and a reply with that of `completion.post`.

use serde_json::Value;

/// Whether `request` contains the messages of `left`. The context of the same hooks (`contexts`) must be appended to the
/// first message if that is a system message, or otherwise be in a system message before all others.
///
/// A hook may write a message in another form than the host, so only the content is compared.
pub(super) fn is_sent(request: &Value, left: &Value, contexts: &[String]) -> bool {
    let (sent, left) = (parse_messages(request), parse_messages(left));
    let note = contexts.join("\n\n");
    let (first, rest) = match left.split_first() {
        _ if note.is_empty() => (None, left.as_slice()),
        Some((first, rest)) if first.role == SYSTEM => {
            let content = format!("{}\n\n{note}", first.content);
            (Some(MessageContent { content, ..first.clone() }), rest)
        }
        _ => (Some(MessageContent { role: SYSTEM, content: note, ..MessageContent::default() }), left.as_slice()),
    };
    sent.iter().eq(first.iter().chain(rest))
}

/// Whether a message of a conversation contains the answer in an outcome of `completion.post`.
pub(super) fn is_reply(message: &Value, left: &Value) -> bool {
    left.pointer("/choices/0/message").is_some_and(|left| is_same_message(message, left))
}

/// Whether a message in the host's form has the same content as one in an event.
pub(super) fn is_same_message(message: &Value, shown: &Value) -> bool {
    let left = parse_message(shown);
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    let calls: Vec<_> =
        calls.map(|call| [text_at(call, "/id"), text_at(call, "/name"), text_at(call, "/arguments")]).collect();
    parse_message(message).content == left.content && calls == left.calls
}

const SYSTEM: &str = "system";

/// The content of a message.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct MessageContent<'m> {
    role: &'m str,
    content: String,
    /// The call that it is the result of.
    call_id: &'m str,
    /// Its calls: the id, name and arguments of each.
    calls: Vec<[&'m str; 3]>,
}

fn parse_messages(payload: &Value) -> Vec<MessageContent<'_>> {
    payload.get("messages").and_then(Value::as_array).into_iter().flatten().map(parse_message).collect()
}

fn parse_message(message: &Value) -> MessageContent<'_> {
    let text = |value: &'_ Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let content = match message.get("content") {
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n"),
        _ => text(message, "content").unwrap_or_default(),
    };
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    let call = |call| [text_at(call, "/id"), text_at(call, "/function/name"), text_at(call, "/function/arguments")];
    let role = match text_at(message, "/role") {
        "developer" => SYSTEM,
        role => role,
    };
    MessageContent { role, content, call_id: text_at(message, "/tool_call_id"), calls: calls.map(call).collect() }
}

fn text_at<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hook_context_is_sent_with_the_payload_and_nothing_else() {
        let user = json!({"role": "user", "content": "hi"});
        let system = |content: &str| json!({"role": "system", "content": content});
        let calls = |id: &str| {
            json!({"role": "assistant", "content": null,
                "tool_calls": [{"id": id, "function": {"name": "ls", "arguments": "{}"}}]})
        };
        let parts =
            json!({"role": "developer", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]});
        let cases = [
            (json!([user]), json!([user]), vec![], true),
            (json!([user]), json!([user, user]), vec![], false),
            (json!([user, user]), json!([user]), vec![], false),
            (json!([user]), json!([system("mind"), user]), vec!["mind"], true),
            (json!([user]), json!([user]), vec!["mind"], false),
            (json!([user]), json!([system("mind"), user]), vec![], false),
            (json!([user]), json!([system("else"), user]), vec!["mind"], false),
            (json!([]), json!([system("mind")]), vec!["mind"], true),
            (
                json!([system("be brief"), user]),
                json!([system("be brief\n\none\n\ntwo"), user]),
                vec!["one", "two"],
                true,
            ),
            (json!([system("be brief"), user]), json!([system("one\n\ntwo"), user]), vec!["one", "two"], false),
            (json!([parts, user]), json!([system("a\nb"), user]), vec![], true),
            (json!([parts, user]), json!([system("a\nb\n\nmind"), user]), vec!["mind"], true),
            (json!([calls("c1")]), json!([calls("c1")]), vec![], true),
            (json!([calls("c1")]), json!([calls("c2")]), vec![], false),
        ];
        for (left, sent, told, expected) in cases {
            let told: Vec<String> = told.into_iter().map(str::to_owned).collect();
            let whole = |messages: &Value| json!({"messages": messages});
            assert_eq!(is_sent(&whole(&sent), &whole(&left), &told), expected, "{left} {sent} {told:?}");
        }
    }
}
