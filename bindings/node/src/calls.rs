//! Tool calls and their results.

use napi::bindgen_prelude::Result;
use napi_derive::napi;

use crate::results::{invalid, parse_json};

/// A tool call that an agent wants to make.
#[napi(js_name = "ToolCall")]
pub struct JsToolCall(pub(crate) pintle::ToolCall);

/// What else is known of a tool call.
#[napi(object, js_name = "ToolCallOptions", object_to_js = false)]
pub struct JsToolCallOptions {
    pub vocabulary: Option<String>,
    pub cwd: Option<String>,
    pub arguments_text: Option<String>,
    pub permission_mode: Option<String>,
    pub read_only: Option<bool>,
}

#[napi]
impl JsToolCall {
    #[napi(constructor)]
    pub fn new(id: String, name: String, args: String, options: Option<JsToolCallOptions>) -> Result<Self> {
        let mut call = pintle::ToolCall::new(id, name, parse_json(&args)?);
        let Some(options) = options else { return Ok(Self(call)) };
        if let Some(name) = options.vocabulary {
            let unknown = || {
                let known = pintle::ToolVocabulary::names().collect::<Vec<_>>().join(", ");
                invalid(format!("unknown vocabulary `{name}`; use one of {known}"))
            };
            call = call.vocabulary(pintle::ToolVocabulary::named(&name).ok_or_else(unknown)?);
        }
        if let Some(cwd) = options.cwd {
            call = call.cwd(cwd);
        }
        if let Some(text) = options.arguments_text {
            call = call.arguments_text(text);
        }
        if let Some(mode) = options.permission_mode {
            call = call.permission_mode(mode);
        }
        if let Some(is_read_only) = options.read_only {
            call = call.read_only(is_read_only);
        }
        Ok(Self(call))
    }

    #[napi(getter)]
    pub fn id(&self) -> &str {
        self.0.id()
    }

    #[napi(getter)]
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// JSON, from which JavaScript gets the same values: they are its own, or were checked as a result.
    #[napi(getter)]
    pub fn args(&self) -> String {
        self.0.args().to_string()
    }

    #[napi]
    pub fn result(&self, content: String) -> JsToolOutput {
        JsToolOutput(self.0.result(&content))
    }

    #[napi]
    pub fn error(&self, message: String) -> JsToolOutput {
        JsToolOutput(self.0.error(&message))
    }
}

/// What a tool returned, as the model receives it.
#[napi(js_name = "ToolOutput")]
pub struct JsToolOutput(pub(crate) pintle::ToolOutput);

#[napi]
impl JsToolOutput {
    #[napi(getter)]
    pub fn content(&self) -> &str {
        self.0.content()
    }

    #[napi(getter)]
    pub fn is_error(&self) -> bool {
        self.0.is_error()
    }
}
