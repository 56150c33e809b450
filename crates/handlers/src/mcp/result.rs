//! Converts tool results to text.

use serde_json::Value;

use super::McpError;

/// Reads a result of `tools/call`. A result with `isError` becomes an error.
pub(super) fn decode_result(answer: &Value, most_bytes: usize) -> Result<String, McpError> {
    let Some(blocks) = answer.get("content").and_then(Value::as_array) else {
        return match answer.get("structuredContent") {
            Some(structured) => Ok(truncate_text(structured.to_string(), most_bytes)),
            None => Err(McpError::InvalidResult),
        };
    };
    let mut text = blocks.iter().map(block_text).collect::<Vec<_>>().join("\n");
    if text.is_empty()
        && let Some(structured) = answer.get("structuredContent")
    {
        text = structured.to_string();
    }
    let text = truncate_text(text, most_bytes);
    if answer.get("isError").and_then(Value::as_bool) == Some(true) {
        Err(McpError::ToolFailed { text })
    } else {
        Ok(text)
    }
}

/// The text of one content block. Other content is described, not included.
fn block_text(block: &Value) -> String {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match block.get("type").and_then(Value::as_str).unwrap_or_default() {
        "text" => text(block, "text"),
        kind @ ("image" | "audio") => {
            // Four base64 characters are three bytes.
            let bytes = text(block, "data").len() / 4 * 3;
            format!("[{kind} {}, about {bytes} bytes, not shown]", text(block, "mimeType"))
        }
        "resource" => {
            let resource = block.get("resource").unwrap_or(&Value::Null);
            match resource.get("text").and_then(Value::as_str) {
                Some(content) => content.to_owned(),
                None => format!("[resource {} {}, not shown]", text(resource, "uri"), text(resource, "mimeType")),
            }
        }
        "resource_link" => format!("[resource {} {}]", text(block, "uri"), text(block, "name")),
        kind => format!("[content of the unknown kind `{kind}`]"),
    }
}

fn truncate_text(mut text: String, most_bytes: usize) -> String {
    if text.len() > most_bytes {
        let whole = text.len();
        text.truncate(text.floor_char_boundary(most_bytes));
        text.push_str(&format!("\n\n[truncated: the result has {whole} bytes, more than {most_bytes}]"));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_of_content_becomes_text() {
        let cases = [
            (json!({"content": []}), Ok("")),
            (json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), Ok("a\nb")),
            (json!({"content": [{"type": "text", "text": "no"}], "isError": true}), Err("no")),
            (json!({"content": [], "structuredContent": {"n": 0.5}}), Ok("{\"n\":0.5}")),
            (json!({"structuredContent": [1]}), Ok("[1]")),
            (json!({"content": [{"type": "text", "text": "a", "annotations": {"priority": 0.5}}]}), Ok("a")),
            (
                json!({"content": [{"type": "image", "data": "AAAABBBB", "mimeType": "image/png"}]}),
                Ok("[image image/png, about 6 bytes, not shown]"),
            ),
            (json!({"content": [{"type": "resource", "resource": {"uri": "x:y", "text": "t"}}]}), Ok("t")),
            (
                json!({"content": [{"type": "resource", "resource": {"uri": "x:y", "blob": "AA"}}]}),
                Ok("[resource x:y , not shown]"),
            ),
            (json!({"content": [{"type": "resource_link", "uri": "x:y", "name": "n"}]}), Ok("[resource x:y n]")),
            (json!({"content": [{"type": "smell"}]}), Ok("[content of the unknown kind `smell`]")),
            (json!({"tools": []}), Err("the server's response is not a tool result")),
        ];
        for (answer, expected) in cases {
            let told = decode_result(&answer, 1_000).map_err(|error| error.to_string());
            assert_eq!(told.as_deref().map_err(String::as_str), expected, "{answer}");
        }
    }

    #[test]
    fn a_long_result_is_cut_between_characters_and_marked() {
        let answer = json!({"content": [{"type": "text", "text": "ä".repeat(10)}]});
        assert_eq!(decode_result(&answer, 5).unwrap(), "ää\n\n[truncated: the result has 20 bytes, more than 5]");
    }
}
