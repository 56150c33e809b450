//! `--persona`: an agent that runs as a persona.

use clap::Args;
use pintle_agent::{Session, StepError, StepErrorKind};
use pintle_host::LoadedRuntime;
use pintle_host::contract::{PersonaSpec, suggest_nearest};
use serde_json::Value;

use super::turn_error::status_of_turn_error;
use crate::error::{CliError, CliStatus};

#[derive(Debug, Args)]
pub(super) struct PersonaOption {
    /// Run the agent as this persona of its `harn.toml`: the steps that the persona declares run one after another.
    /// Arguments after AGENT are passed to the steps as JSON: an array, or a single value.
    #[arg(long, value_name = "NAME", conflicts_with = "daemon")]
    pub(super) persona: Option<String>,
}

/// A persona and the arguments of its steps.
pub(super) struct PersonaRun {
    persona: PersonaSpec,
    args: Value,
}

impl PersonaOption {
    /// Returns the named persona, if any, with the typed words as its arguments.
    pub(super) fn select(
        &self,
        built: &LoadedRuntime,
        typed: &mut Vec<String>,
    ) -> Result<Option<PersonaRun>, CliError> {
        let Some(name) = &self.persona else { return Ok(None) };
        let Some(persona) = built.personas.iter().find(|persona| persona.name == *name) else {
            let known = || built.personas.iter().map(|persona| persona.name.as_str());
            let help = match suggest_nearest(name, known()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if built.personas.is_empty() => String::from("declare it in a `harn.toml` with `[[personas]]`"),
                None => format!("available personas: {}", known().collect::<Vec<_>>().join(", ")),
            };
            return Err(CliError::invalid_input(format!("persona `{name}` does not exist")).help(help));
        };
        let typed = std::mem::take(typed);
        let args = match (!typed.is_empty()).then(|| typed.join(" ")) {
            Some(text) => serde_json::from_str(&text).map_err(|error| {
                let error = format!("the arguments of persona `{name}` are not valid JSON: {error}");
                CliError::invalid_input(error)
                    .help("write them as an array, such as `[\"main\", 17]`, or as a single value")
            })?,
            None => Value::Null,
        };
        Ok(Some(PersonaRun { persona: PersonaSpec::clone(persona), args }))
    }
}

impl PersonaRun {
    /// Runs the steps.
    pub(super) fn run(self, session: &mut Session) -> Result<CliStatus, CliError> {
        session.start().or_else(|fault| status_of_turn_error(fault).map(drop))?;
        let mut persona = session.persona(&self.persona).map_err(CliError::invalid_input)?;
        match persona.run(self.args) {
            Ok(_) => Ok(CliStatus::Done),
            Err(error) => Err(CliError { status: status_of(&error), message: error.message, help: None }),
        }
    }
}

fn status_of(error: &StepError) -> CliStatus {
    match error.kind {
        StepErrorKind::Denied { .. } | StepErrorKind::Refused => CliStatus::Denied,
        _ => CliStatus::Failed,
    }
}
