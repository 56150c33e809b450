//! The models that agents declare: their scripts and their providers.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use pintle::{AgentSpec, Diagnostic, Location, ModelSpec, Severity, ByteSpan, files};
use pintle_agent::model::{RemoteModel, ScriptModel, knows_provider};

/// What is wrong with the models of an agent and of those below it. Nothing is connected, and no key is needed.
pub(super) fn check_models(agent: &AgentSpec) -> Vec<Diagnostic> {
    let folder = agent.location.path().and_then(Path::parent).map(Path::to_owned).unwrap_or_default();
    let mut findings = Vec::new();
    check_below(agent, &folder, &mut findings);
    findings
}

fn check_below(agent: &AgentSpec, folder: &Path, findings: &mut Vec<Diagnostic>) {
    // A model without a provider is another model of the provider that is in use.
    let others = agent.member.iter().flat_map(|member| &member.fallback_models);
    let declared = agent.model.iter().chain(&agent.models).chain(others).filter(|model| !model.provider.is_empty());
    for model in declared {
        // A file for docker-agent may name what is not there yet; the agent runs with another model.
        let is_lacking = agent.member.is_some() && !knows_provider(&model.provider);
        findings.extend(find_model_problem(model, folder, &agent.location).map(|fault| if is_lacking { as_missing(fault) } else { fault }));
    }
    for child in &agent.agents {
        check_below(child, folder, findings);
    }
}

/// The same as something that is missing here.
fn as_missing(fault: Diagnostic) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, code: "not_supported", ..fault }
        .help("another model runs it with `--model PROVIDER:NAME`")
}

fn find_model_problem(model: &ModelSpec, folder: &Path, declared: &Location) -> Option<Diagnostic> {
    if model.provider != "script" {
        let fault = RemoteModel::new(model, &|_| Some(String::from("any"))).err()?;
        return Some(Diagnostic::error("bad_model", fault.message, location_of(declared, &model.provider)));
    }
    let path: PathBuf = folder.join(&model.name);
    let text = match files::read_text(&path) {
        Ok(text) => text,
        Err(fault) => {
            let why = if fault.kind() == ErrorKind::NotFound { String::from("it does not exist") } else { fault.to_string() };
            let message = format!("the model's script `{}` cannot be read: {why}", path.display());
            let help = "it is the path of the script, seen from the folder of the agent's file";
            return Some(Diagnostic::error("bad_model", message, location_of(declared, &model.name)).help(help));
        }
    };
    let fault = ScriptModel::parse(&model.name, &text).err()?;
    let message = format!("the model's script cannot be played: {}", fault.message);
    Some(Diagnostic::error("bad_model", message, location_of(declared, &model.name)))
}

/// Where the declaration says this word, else where it begins.
fn location_of(declared: &Location, word: &str) -> Location {
    let found = declared.file.as_ref().and_then(|file| file.text.find(word));
    let span = found.map_or(declared.span, |start| ByteSpan { start, end: start + word.len() });
    Location { span, ..declared.clone() }
}
