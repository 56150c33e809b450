//! What loading a plugin found, in a form that can be sent from a worker process.

use pintle_contract::{
    FunctionRef, RegisteredFunction, RegistrationArgument, RegistrationCall, ScriptSource, suggest_nearest,
};
use serde::{Deserialize, Serialize};

use super::{Given, Recorded};
use crate::finding::{Code, Finding};
use crate::source::Source;

/// What a plugin registered, and the functions that can be called.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Inventory {
    /// The calls of registration functions, in order.
    pub recorded: Vec<Recorded>,
    /// The functions among their arguments, by number.
    pub registered: Vec<Facts>,
    /// The names of the top level; `None` for those that stand for no function.
    pub exported: Vec<(String, Option<Facts>)>,
}

/// What a function is like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Its name; `lambda` for one without.
    pub name: String,
    /// Whether it can be called with one argument.
    pub takes_one: bool,
    /// Whether it can deny or ask.
    pub guard: bool,
    /// Whether it can rewrite or refuse.
    pub shapes: bool,
}

impl Inventory {
    /// What the calls say to a dialect, at their places in the plugin's file.
    #[must_use]
    pub fn registrations(&self, name: &str, text: &ScriptSource) -> Vec<RegistrationCall> {
        let (source, _) = Source::new(name, text);
        let one = |recorded: &Recorded| RegistrationCall {
            function: recorded.function.clone(),
            arguments: recorded.arguments.iter().map(|given| self.argument(given)).collect(),
            named_arguments: recorded.named.iter().map(|(name, given)| (name.clone(), self.argument(given))).collect(),
            location: source.location(recorded.span),
        };
        self.recorded.iter().map(one).collect()
    }

    fn argument(&self, given: &Given) -> RegistrationArgument {
        match given {
            Given::Value(value) => RegistrationArgument::Value(value.clone()),
            Given::Function(number) => RegistrationArgument::Function(self.closure(*number)),
            Given::Table(entries) => RegistrationArgument::Table(
                entries.iter().map(|(key, item)| (key.clone(), self.argument(item))).collect(),
            ),
            Given::List(items) => RegistrationArgument::List(items.iter().map(|item| self.argument(item)).collect()),
        }
    }

    fn closure(&self, number: u32) -> RegisteredFunction {
        let facts = self.registered.get(number as usize);
        RegisteredFunction {
            index: number,
            name: facts.map_or_else(|| String::from("lambda"), |facts| facts.name.clone()),
            takes_one_argument: facts.is_some_and(|facts| facts.takes_one),
            guard: facts.is_none_or(|facts| facts.guard),
        }
    }

    /// The function of this description.
    ///
    /// # Errors
    /// When there is none that can be called with the event.
    pub fn function(&self, function: &FunctionRef) -> Result<&Facts, Finding> {
        let refuse = |message: String| Finding::error(Code::EntryPoint, message, None);
        let facts = match function {
            FunctionRef::Registered(number) => self
                .registered
                .get(*number as usize)
                .ok_or_else(|| refuse(format!("the module registers no function of the number {number}")))?,
            FunctionRef::Exported(name) => self.exported(name).map_err(refuse)?,
        };
        if facts.takes_one {
            return Ok(facts);
        }
        let message = format!("`{}` must be callable with one argument, the event", facts.name);
        Err(refuse(message).help(format!("write `def {}(event):`", facts.name)))
    }

    fn exported(&self, wanted: &str) -> Result<&Facts, String> {
        if wanted.starts_with('_') {
            return Err(format!("`{wanted}` is private; only names without a leading underscore are exported"));
        }
        match self.exported.iter().find(|(name, _)| name == wanted) {
            Some((_, Some(facts))) => Ok(facts),
            Some((_, None)) => Err(format!("`{wanted}` is not a function")),
            None => {
                let functions =
                    self.exported.iter().filter(|(_, facts)| facts.is_some()).map(|(name, _)| name.as_str());
                Err(match suggest_nearest(wanted, functions) {
                    Some(near) => format!("the module has no function `{wanted}`; did you mean `{near}`?"),
                    None => format!("the module has no function `{wanted}`"),
                })
            }
        }
    }
}
