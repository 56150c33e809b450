//! Model hooks, whose verdict comes from a language model.
//!
//! The prompt is a template over the payload as the hook's dialect encodes it; the hook's codec decodes the reply. The
//! host provides a [`Judge`], which calls the model. Without one, such a hook fails when it is called, and its failure
//! policy applies.

mod handler;
mod schema;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use pintle_contract::event::EventClass;
use pintle_contract::{
    BuiltHandler, Diagnostic, FailurePolicy, HookDeclaration, Judge, JudgeSpec, Location, suggest_nearest,
};

use crate::template::Template;
use handler::JudgeHandler;
use schema::{ReplySchema, SCHEMAS};

/// Builds the handler of a declaration.
///
/// An invalid template and an unknown schema are errors here, whereas docker-agent reports them when the hook fires.
/// The hook is a guard if its reply is a decision about an event that can be denied.
pub(crate) fn build(declaration: &HookDeclaration, spec: &JudgeSpec, judge: Option<&Arc<dyn Judge>>) -> BuiltHandler {
    let at = &declaration.location;
    let failed = |found: Diagnostic| BuiltHandler { diagnostics: vec![found], ..BuiltHandler::default() };
    let schema = match spec.schema.as_deref().map(|name| find_schema(name, at)).transpose() {
        Ok(schema) => schema,
        Err(found) => return failed(found),
    };
    let template = match Template::parse(&spec.prompt) {
        Ok(template) => template,
        Err(error) => {
            let message = format!("the prompt of the model hook is not a valid template: {error}");
            let help = "write fields as `{{ .ToolName }}`, and two literal opening braces as `{{ \"{{\" }}`";
            return failed(Diagnostic::error("bad_template", message, at.clone()).help(help));
        }
    };
    let denies =
        declaration.event.def().class == EventClass::Guard || declaration.default_on_error == FailurePolicy::Closed;
    let handler = JudgeHandler {
        model: spec.model.clone(),
        template,
        schema,
        judge: judge.cloned(),
        codec: Arc::clone(&declaration.codec),
    };
    BuiltHandler { handler: Some(Arc::new(handler)), guard: schema.is_some() && denies, ..BuiltHandler::default() }
}

/// The schema with a name, or the error about the name.
fn find_schema(name: &str, location: &Location) -> Result<&'static ReplySchema, Diagnostic> {
    let names = || SCHEMAS.iter().map(|schema| schema.name);
    SCHEMAS.iter().find(|schema| schema.name == name).ok_or_else(|| {
        let listed: Vec<String> = names().map(|name| format!("`{name}`")).collect();
        let help = match suggest_nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("use {}, or omit it for a plain-text reply", listed.join(" or ")),
        };
        Diagnostic::error("unknown_schema", format!("model hook: unknown schema `{name}`"), location.clone()).help(help)
    })
}
