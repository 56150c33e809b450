//! Detects how a script uses `payload["arguments"]`: as the JSON text that the model sent, or decoded.
//!
//! The reference says text, and scripts written for the first implementation use a dict. The script's use of the value
//! decides, wherever it flows: through names, helpers, lambdas and lists. If it is used in both ways, neither form is
//! right, and if it cannot be tracked, the form is unknown. Both are errors, because a guard that looks for a word in
//! the wrong form finds nothing and lets the call pass.

mod calls;
mod expressions;
mod flow;
mod statements;
mod uses;
mod value;

use starlark::syntax::ast::AstExpr;

use self::flow::ArgumentFlow;
use self::uses::ArgumentsConclusion;
use super::ast::{identifier_name, string_literal};
use super::payload_reads::ArgumentsForm;
use super::resolved::ResolvedScript;
use crate::finding::{FindingCode, ScriptFinding};

const FIELD: &str = "arguments";
/// The help for an author who mixes the forms.
const HELP: &str = "write `payload[\"args\"]` for the decoded dict; `payload[\"arguments\"]` is the JSON text that the \
                    model sent, and `json.decode(payload[\"arguments\"])` decodes it";

/// The form that the function `entry` of a script expects. Its parameter at `position` is the payload.
pub(super) fn detect_form(
    script: &ResolvedScript<'_>,
    entry: &str,
    position: usize,
) -> (ArgumentsForm, Option<ScriptFinding>) {
    let is_field = |expr: &&AstExpr| string_literal(expr).or(identifier_name(expr)) == Some(FIELD);
    // `f(**payload)` fills a parameter with the field's name.
    if !script.expressions.iter().any(is_field) && !script.names.contains(FIELD) {
        return (ArgumentsForm::Text, None);
    }
    let error = |message: String, at| {
        (ArgumentsForm::Text, Some(ScriptFinding::error(FindingCode::Interpretation, message, Some(at)).help(HELP)))
    };
    match ArgumentFlow::new(script.root()).trace_uses(entry, position).conclude() {
        ArgumentsConclusion::Text => (ArgumentsForm::Text, None),
        ArgumentsConclusion::Dict(at) => {
            let message =
                "`payload[\"arguments\"]` is used as a dict, so it contains the decoded arguments in this hook";
            let note = ScriptFinding::note(FindingCode::Interpretation, message, Some(at))
                .help("the decoded arguments are `payload[\"args\"]`; `payload[\"arguments\"]` is their JSON text");
            (ArgumentsForm::Dict, Some(note))
        }
        ArgumentsConclusion::Both { dict, text, span: at } => {
            error(format!("`payload[\"arguments\"]` is used as a dict (`{dict}`), but here as a string (`{text}`)"), at)
        }
        ArgumentsConclusion::Unknown(at) => error(
            String::from(
                "cannot determine whether `payload[\"arguments\"]` is used as a string or as a dict after this point",
            ),
            at,
        ),
    }
}

#[cfg(test)]
mod tests;
