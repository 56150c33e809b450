//! Reads a prompt handler, which a model judges.

use pintle_contract::JudgeSpec;

use super::fields::HandlerFields;

/// The placeholder for the payload in a prompt.
const ARGUMENTS: &str = "$ARGUMENTS";
/// The same placeholder in a judge's template.
const PAYLOAD: &str = "{{ toJSON . }}";

/// Two literal opening braces in the author's prompt.
const BRACES: &str = "{{ \"{{\" }}";

/// Reads the handler; `None` if it has no prompt, which is reported.
pub(super) fn read(fields: &mut HandlerFields<'_>, default_model: &str) -> Option<JudgeSpec> {
    let question = fields.text("prompt").unwrap_or_default();
    if question.trim().is_empty() {
        let message = format!("a prompt hook on `{}` needs a `prompt`", fields.def().name);
        let help = "write `\"prompt\": \"..\"`";
        fields.fields.report().value_error("missing_field", message, fields.first_line(), help);
    }
    let model = match fields.text("model") {
        None => default_model.to_owned(),
        Some(model) if model.contains('/') => model,
        Some(model) => {
            let provider = default_model.split('/').next().unwrap_or_default();
            format!("{provider}/{model}")
        }
    };
    let plain = question.replace("{{", BRACES);
    let prompt = match plain.contains(ARGUMENTS) {
        true => plain.replace(ARGUMENTS, PAYLOAD),
        false => format!("{plain}\n\n{PAYLOAD}"),
    };
    let is_asked = !question.trim().is_empty();
    is_asked.then(|| JudgeSpec { model, prompt, schema: Some(String::from("ok_decision")) })
}

/// Restores the prompt as its author wrote it, or nearly so.
pub(super) fn convert_prompt(prompt: &str) -> String {
    prompt.replace(PAYLOAD, ARGUMENTS).replace(BRACES, "{{")
}
