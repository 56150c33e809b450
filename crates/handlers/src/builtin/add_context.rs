//! `add_context`: adds texts that the hook's author writes as templates.

use pintle_contract::{Failure, FailureKind, Verdict};

use crate::template::Template;

use super::{BuiltinCall, BuiltinHook, BuiltinResult, context_verdict};

/// Adds each of its arguments to the context, rendered from the event as the dialect encodes it.
#[derive(Debug)]
struct AddContext {
    templates: Vec<Template>,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    if arguments.is_empty() {
        doubts.push(String::from("no text is given, so nothing is added to the context"));
    }
    let parsed = |(index, text): (usize, &String)| {
        Template::parse(text).map_err(|error| format!("argument {} is not a valid template: {error}", index + 1))
    };
    let templates = arguments.iter().enumerate().map(parsed).collect::<Result<_, _>>()?;
    Ok(Box::new(AddContext { templates }))
}

impl BuiltinHook for AddContext {
    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        let input = call.encoded_payload();
        let mut parts = Vec::new();
        for (index, template) in self.templates.iter().enumerate() {
            match template.render(input.value()) {
                Ok(text) if text.trim().is_empty() => {}
                Ok(text) => parts.push(text),
                Err(reason) => {
                    let message = format!("add_context: render arg {}: {reason}", index + 1);
                    return Verdict::failed(Failure::new(FailureKind::Error, message));
                }
            }
        }
        context_verdict((!parts.is_empty()).then(|| parts.join("\n")))
    }
}
