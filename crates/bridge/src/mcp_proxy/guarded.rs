//! The requests of MCP that hooks decide about, as calls of tools, and what hooks see of their results.

use serde_json::{Map, Value, json};

use super::message::{RpcAnswer, RpcProblem};

/// The fields of results that hooks do not see: encoded files, and words of the protocol.
const UNREAD: [&str; 5] = ["data", "blob", "type", "mimeType", "role"];

/// The field of a result for programs.
const STRUCTURED: &str = "structuredContent";

/// A request that hooks decide about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GuardedMethod {
    CallTool,
    ReadResource,
    GetPrompt,
}

/// What hooks left of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReviewedText {
    pub(super) text: String,
    pub(super) is_error: bool,
}

impl GuardedMethod {
    pub(super) fn find(method: &str) -> Option<Self> {
        match method {
            "tools/call" => Some(Self::CallTool),
            "resources/read" => Some(Self::ReadResource),
            "prompts/get" => Some(Self::GetPrompt),
            _ => None,
        }
    }

    /// The name of the tool after the server's, and the arguments. What is not a tool has the name of its method.
    pub(super) fn read_call(self, params: &Map<String, Value>) -> Result<(String, Map<String, Value>), RpcProblem> {
        let text = |field: &str| {
            let value = params.get(field).and_then(Value::as_str);
            value.map(str::to_owned).ok_or_else(|| RpcProblem::invalid_params(format!("`{field}` is not a text")))
        };
        match self {
            Self::CallTool => Ok((text("name")?, read_arguments(params)?)),
            Self::ReadResource => {
                Ok((String::from("resources_read"), Map::from_iter([(String::from("uri"), text("uri")?.into())])))
            }
            Self::GetPrompt => {
                let mut args = Map::from_iter([(String::from("name"), Value::from(text("name")?))]);
                args.insert(String::from("arguments"), Value::Object(read_arguments(params)?));
                Ok((String::from("prompts_get"), args))
            }
        }
    }

    /// Writes a call that hooks changed into the parameters. `None` if it is not one of this kind.
    pub(super) fn write_call(self, params: &mut Map<String, Value>, tool: &str, args: &Value) -> Option<()> {
        let args = args.as_object()?;
        match self {
            Self::CallTool => {
                params.insert(String::from("name"), Value::from(tool));
                params.insert(String::from("arguments"), Value::Object(args.clone()));
            }
            Self::ReadResource => {
                let uri = args.get("uri")?.as_str().filter(|_| tool == "resources_read" && args.len() == 1)?;
                params.insert(String::from("uri"), Value::from(uri));
            }
            Self::GetPrompt => {
                let name = args.get("name")?.as_str().filter(|_| tool == "prompts_get" && args.len() == 2)?;
                let arguments = args.get("arguments")?.as_object()?;
                params.insert(String::from("name"), Value::from(name));
                params.insert(String::from("arguments"), Value::Object(arguments.clone()));
            }
        }
        Some(())
    }

    /// The answer for a call that does not run. The model reads that of a tool.
    pub(super) fn refuse(self, reason: String) -> RpcAnswer {
        match self {
            Self::CallTool => RpcAnswer::Result(json!({"content": [text_block(&reason)], "isError": true})),
            Self::ReadResource | Self::GetPrompt => RpcAnswer::Error(RpcProblem::refused(reason)),
        }
    }

    /// The answer with another text, and with what hooks add for the model. Of the server's own answer only pictures and
    /// sounds stay, and those only if hooks did not withhold it.
    pub(super) fn replace_answer(
        self,
        fields: &Map<String, Value>,
        reviewed: &ReviewedText,
        context: &[String],
    ) -> RpcAnswer {
        let result = fields.get("result").unwrap_or(&Value::Null);
        let texts = || std::iter::once(&reviewed.text).chain(context);
        match self {
            Self::CallTool => {
                let mut content: Vec<Value> = vec![text_block(&reviewed.text)];
                if reviewed.is_error == is_failed(result) {
                    content.extend(unread_blocks(result));
                }
                content.extend(context.iter().map(|text| text_block(text)));
                // A client may insist on structured content, unless the call failed.
                let kept = serde_json::from_str(&reviewed.text).ok().filter(Value::is_object);
                let is_lost = structured_content(result).is_some() && kept.is_none();
                let mut answer = json!({"content": content, "isError": reviewed.is_error || is_lost});
                if let (Some(kept), Some(_), Some(fields)) = (kept, structured_content(result), answer.as_object_mut())
                {
                    fields.insert(String::from(STRUCTURED), kept);
                }
                RpcAnswer::Result(answer)
            }
            _ if reviewed.is_error => RpcAnswer::Error(RpcProblem::refused(reviewed.text.clone())),
            Self::ReadResource => {
                let uri = result.pointer("/contents/0/uri").and_then(Value::as_str).unwrap_or_default();
                let contents = texts().map(|text| json!({"uri": uri, "mimeType": "text/plain", "text": text}));
                RpcAnswer::Result(json!({"contents": contents.collect::<Vec<_>>()}))
            }
            Self::GetPrompt => {
                let messages = texts().map(|text| json!({"role": "user", "content": text_block(text)}));
                RpcAnswer::Result(json!({"messages": messages.collect::<Vec<_>>()}))
            }
        }
    }
}

/// What hooks see of an answer: all of its texts, and structured content as JSON unless a text has it.
pub(super) fn read_answer(fields: &Map<String, Value>) -> ReviewedText {
    let error = fields.get("error");
    let answer = error.or_else(|| fields.get("result")).unwrap_or(&Value::Null);
    let is_error = error.is_some() || is_failed(answer);
    let structured = structured_content(answer).filter(|_| error.is_none());
    let mut texts = Vec::new();
    match answer {
        // What is with an error is shown as well, whatever its name.
        Value::Object(fields) => {
            let read = fields.iter().filter(|(name, _)| structured.is_none() || *name != STRUCTURED);
            read.for_each(|(_, value)| collect_texts(value, &mut texts));
        }
        other => collect_texts(other, &mut texts),
    }
    let has_it = |text: &&str| {
        structured.is_some_and(|known| serde_json::from_str::<Value>(text).is_ok_and(|value| value == *known))
    };
    let json = structured.filter(|_| !texts.iter().any(has_it)).map(ToString::to_string);
    let text = texts.into_iter().chain(json.as_deref()).collect::<Vec<_>>().join("\n");
    ReviewedText { text, is_error }
}

/// The answer of the server with texts for the model behind it. `None` if it has no place for them.
pub(super) fn add_context(fields: &Map<String, Value>, context: &[String]) -> Option<Map<String, Value>> {
    let mut fields = fields.clone();
    let content = fields.get_mut("result")?.get_mut("content")?.as_array_mut()?;
    content.extend(context.iter().map(|text| text_block(text)));
    Some(fields)
}

fn read_arguments(params: &Map<String, Value>) -> Result<Map<String, Value>, RpcProblem> {
    match params.get("arguments") {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(arguments)) => Ok(arguments.clone()),
        Some(_) => Err(RpcProblem::invalid_params("`arguments` is not an object")),
    }
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn is_failed(result: &Value) -> bool {
    result.get("isError").and_then(Value::as_bool).unwrap_or_default()
}

fn structured_content(result: &Value) -> Option<&Value> {
    result.get(STRUCTURED).filter(|content| !content.is_null())
}

/// Blocks without text that hooks could have changed.
fn unread_blocks(result: &Value) -> impl Iterator<Item = Value> + '_ {
    let blocks = result.get("content").and_then(Value::as_array).into_iter().flatten();
    blocks.filter_map(|block| {
        let kind = block.get("type").and_then(Value::as_str).filter(|kind| ["image", "audio"].contains(kind))?;
        Some(json!({"type": kind, "data": block.get("data")?, "mimeType": block.get("mimeType")?}))
    })
}

fn collect_texts<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => {
            let read = fields.iter().filter(|(name, _)| !UNREAD.contains(&name.as_str()));
            read.for_each(|(_, value)| collect_texts(value, texts));
        }
        _ => {}
    }
}
