//! An agent that works as a persona.

use clap::Args;
use pintle::{BuiltRuntime, PersonaSpec, suggest_nearest};
use pintle_agent::{Session, StepError, StepErrorKind};
use serde_json::Value;

use crate::error::{CliError, CliStatus};

#[derive(Debug, Args)]
pub(super) struct PersonaOption {
    /// Let the agent work as this persona of its `harn.toml`: the steps that the persona declares run one after another.
    /// What stands behind the agent are their arguments, as JSON: a list, or one argument. Default: none.
    #[arg(long, value_name = "NAME", conflicts_with = "daemon")]
    pub(super) persona: Option<String>,
}

/// A persona and the arguments of its steps.
pub(super) struct PersonaRun {
    persona: PersonaSpec,
    args: Value,
}

impl PersonaOption {
    /// The persona that is meant, if one is; it takes what was typed as its arguments.
    pub(super) fn select(&self, built: &BuiltRuntime, typed: &mut Vec<String>) -> Result<Option<PersonaRun>, CliError> {
        let Some(name) = &self.persona else { return Ok(None) };
        let Some(persona) = built.personas.iter().find(|persona| persona.name == *name) else {
            let known = || built.personas.iter().map(|persona| persona.name.as_str());
            let help = match suggest_nearest(name, known()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if built.personas.is_empty() => String::from("declare it in a `harn.toml` with `[[personas]]`"),
                None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
            };
            return Err(CliError::invalid_input(format!("there is no persona `{name}`")).help(help));
        };
        let typed = std::mem::take(typed);
        let args = match (!typed.is_empty()).then(|| typed.join(" ")) {
            Some(text) => serde_json::from_str(&text).map_err(|fault| {
                let fault = format!("the arguments of persona `{name}` are no JSON: {fault}");
                CliError::invalid_input(fault).help("write them as a list, such as `[\"main\", 17]`, or as one value")
            })?,
            None => Value::Null,
        };
        Ok(Some(PersonaRun { persona: PersonaSpec::clone(persona), args }))
    }
}

impl PersonaRun {
    /// Runs the steps.
    pub(super) fn run(self, session: &mut Session) -> Result<CliStatus, CliError> {
        session.start().or_else(|fault| super::status_of_turn_error(fault).map(drop))?;
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
