//! The result of loading a plugin, in a form that can be sent from a worker process.

use pintle_contract::{
    FunctionRef, RegisteredFunction, RegistrationArgument, RegistrationCall, ScriptSource, suggest_nearest,
};
use serde::{Deserialize, Serialize};

use super::{RecordedArgument, RecordedRegistration};
use crate::finding::{FindingCode, ScriptFinding};
use crate::source::PreparedSource;

/// The registrations of a plugin, and the functions that can be called.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PluginInventory {
    /// The calls of registration functions, in order.
    #[serde(rename = "recorded")]
    pub registrations: Vec<RecordedRegistration>,
    /// The functions among their arguments, by number.
    #[serde(rename = "registered")]
    pub registered_functions: Vec<FunctionInfo>,
    /// The top-level names; `None` for those that are not functions.
    #[serde(rename = "exported")]
    pub exported_functions: Vec<(String, Option<FunctionInfo>)>,
}

/// The properties of a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionInfo {
    /// Its name; `lambda` for a lambda.
    pub name: String,
    /// Whether it can be called with one argument.
    pub takes_one: bool,
    /// Whether it can deny or ask.
    pub guard: bool,
    /// Whether it can rewrite or deny.
    #[serde(rename = "shapes")]
    pub can_change_event: bool,
}

impl PluginInventory {
    /// The registration calls for a dialect, with their locations in the plugin's file.
    #[must_use]
    pub fn to_registrations(&self, name: &str, text: &ScriptSource) -> Vec<RegistrationCall> {
        let (source, _) = PreparedSource::new(name, text);
        let one = |recorded: &RecordedRegistration| RegistrationCall {
            function: recorded.function.clone(),
            arguments: recorded.arguments.iter().map(|given| self.to_argument(given)).collect(),
            named_arguments: recorded
                .named_arguments
                .iter()
                .map(|(name, given)| (name.clone(), self.to_argument(given)))
                .collect(),
            location: source.location(recorded.span),
        };
        self.registrations.iter().map(one).collect()
    }

    fn to_argument(&self, argument: &RecordedArgument) -> RegistrationArgument {
        match argument {
            RecordedArgument::Value(value) => RegistrationArgument::Value(value.clone()),
            RecordedArgument::Function(number) => RegistrationArgument::Function(self.to_registered_function(*number)),
            RecordedArgument::Table(entries) => RegistrationArgument::Table(
                entries.iter().map(|(key, item)| (key.clone(), self.to_argument(item))).collect(),
            ),
            RecordedArgument::List(items) => {
                RegistrationArgument::List(items.iter().map(|item| self.to_argument(item)).collect())
            }
        }
    }

    fn to_registered_function(&self, number: u32) -> RegisteredFunction {
        let facts = self.registered_functions.get(number as usize);
        RegisteredFunction {
            index: number,
            name: facts.map_or_else(|| String::from("lambda"), |facts| facts.name.clone()),
            takes_one_argument: facts.is_some_and(|facts| facts.takes_one),
            guard: facts.is_none_or(|facts| facts.guard),
        }
    }

    /// The properties of a function.
    ///
    /// # Errors
    /// If no such function can be called with the event.
    pub fn function_info(&self, function: &FunctionRef) -> Result<&FunctionInfo, ScriptFinding> {
        let refuse = |message: String| ScriptFinding::error(FindingCode::EntryPoint, message, None);
        let facts = match function {
            FunctionRef::Registered(number) => self
                .registered_functions
                .get(*number as usize)
                .ok_or_else(|| refuse(format!("the module did not register a function with the number {number}")))?,
            FunctionRef::Exported(name) => self.exported_function(name).map_err(refuse)?,
        };
        if facts.takes_one {
            return Ok(facts);
        }
        let message = format!("`{}` must be callable with one argument, the event", facts.name);
        Err(refuse(message).help(format!("write `def {}(event):`", facts.name)))
    }

    fn exported_function(&self, wanted: &str) -> Result<&FunctionInfo, String> {
        if wanted.starts_with('_') {
            return Err(format!("`{wanted}` is private; only names without a leading underscore are exported"));
        }
        match self.exported_functions.iter().find(|(name, _)| name == wanted) {
            Some((_, Some(facts))) => Ok(facts),
            Some((_, None)) => Err(format!("`{wanted}` is not a function")),
            None => {
                let functions =
                    self.exported_functions.iter().filter(|(_, facts)| facts.is_some()).map(|(name, _)| name.as_str());
                Err(match suggest_nearest(wanted, functions) {
                    Some(near) => format!("the module has no function `{wanted}`; did you mean `{near}`?"),
                    None => format!("the module has no function `{wanted}`"),
                })
            }
        }
    }
}
