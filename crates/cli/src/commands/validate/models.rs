//! Checks of the models that agents declare: their scripts and their providers.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use pintle_agent::model::{RemoteModel, ScriptModel, knows_provider};
use pintle_host::contract::{AgentSpec, ByteSpan, Location, ModelSpec};
use pintle_host::files;
use pintle_host::{Diagnostic, Severity};

/// Checks the models of an agent and of its child agents. Connects to nothing, and needs no key.
pub(super) fn check_models(agent: &AgentSpec) -> Vec<Diagnostic> {
    let dir = agent.location.path().and_then(Path::parent).map(Path::to_owned).unwrap_or_default();
    let mut findings = Vec::new();
    check_below(agent, &dir, &mut findings);
    findings
}

fn check_below(agent: &AgentSpec, dir: &Path, findings: &mut Vec<Diagnostic>) {
    // A model without a provider is another model of the provider in use.
    let others = agent.models.iter().chain(&agent.fallback_models);
    let declared = agent.model.iter().chain(others).filter(|model| !model.provider.is_empty());
    for model in declared {
        // A docker-agent file may name a provider that Pintle does not support; the agent runs with another model.
        let is_lacking = agent.member.is_some() && !knows_provider(&model.provider);
        findings.extend(
            find_model_problem(model, dir, &agent.location)
                .map(|error| if is_lacking { as_missing(error) } else { error }),
        );
    }
    for child in &agent.agents {
        check_below(child, dir, findings);
    }
}

/// Turns an error into a warning about something that is not supported.
fn as_missing(error: Diagnostic) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, code: "not_supported", ..error }
        .help("run it with another model: `--model PROVIDER:NAME`")
}

/// The value of every variable: a key may be anything, and an address is one.
const ANY_VALUE: &str = "http://localhost";

fn find_model_problem(model: &ModelSpec, dir: &Path, declared: &Location) -> Option<Diagnostic> {
    if model.provider != "script" {
        let error = RemoteModel::new(model, &|_| Some(String::from(ANY_VALUE))).err()?;
        return Some(Diagnostic::error("bad_model", error.message, location_of(declared, &model.provider)));
    }
    let path: PathBuf = dir.join(&model.name);
    let text = match files::read_text(&path) {
        Ok(text) => text,
        Err(error) => {
            let reason =
                if error.kind() == ErrorKind::NotFound { String::from("it does not exist") } else { error.to_string() };
            let message = format!("cannot read the model's script `{}`: {reason}", path.display());
            let help = "the path is relative to the directory of the agent's file";
            return Some(Diagnostic::error("bad_model", message, location_of(declared, &model.name)).help(help));
        }
    };
    let error = ScriptModel::parse(&model.name, &text).err()?;
    let message = format!("the model's script is not valid: {}", error.message);
    Some(Diagnostic::error("bad_model", message, location_of(declared, &model.name)))
}

/// Returns where the word is in the declaration, or where the declaration starts.
fn location_of(declared: &Location, word: &str) -> Location {
    let found = declared.file.as_ref().and_then(|file| file.text.find(word));
    let span = found.map_or(declared.span, |start| ByteSpan { start, end: start + word.len() });
    Location { span, ..declared.clone() }
}
