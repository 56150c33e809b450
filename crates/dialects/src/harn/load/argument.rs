//! Reads the arguments of one registration.

use std::fmt::Display;

use pintle_contract::{
    Diagnostic, Location, RegisteredFunction, RegistrationArgument, RegistrationCall, did_you_mean, suggest_or_list,
};
use serde_json::Value;

use crate::document::FieldReader;
use crate::harn::HarnHookOptions;
use crate::words::{ENFORCEMENT_MODES, FAILURE_POLICIES, read_failure_words};

/// The help for an argument that is given twice.
const TWICE: &str = "keep one of the two";

/// The arguments of a call or the keys of a table.
pub(super) struct ArgumentReader<'a> {
    owner: &'a str,
    location: &'a Location,
    remaining: Vec<(String, RegistrationArgument)>,
    known: Vec<&'static str>,
    findings: &'a mut Vec<Diagnostic>,
}

impl<'a> ArgumentReader<'a> {
    /// Reads the arguments of a call; positional arguments get the names of their positions.
    ///
    /// `None` if there are too many, or one is given twice.
    pub(super) fn from_call(
        registration: &'a RegistrationCall,
        places: &[&'static str],
        findings: &'a mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let (function, location) = (registration.function.as_str(), &registration.location);
        let mut given: Vec<(String, RegistrationArgument)> = Vec::new();
        if registration.arguments.len() > places.len() {
            let message = format!("`{function}` takes at most {} arguments", places.len());
            let help = format!("write `{function}({})`", places.join(", "));
            findings.push(Diagnostic::error("bad_registration", message, location.clone()).help(help));
            return None;
        }
        for (place, argument) in places.iter().zip(&registration.arguments) {
            given.push(((*place).to_owned(), argument.clone()));
        }
        given.extend(registration.named_arguments.iter().cloned());
        Self::from_table(function, location, given, findings)
    }

    /// Reads the keys of a table.
    pub(super) fn from_table(
        owner: &'a str,
        location: &'a Location,
        arguments: Vec<(String, RegistrationArgument)>,
        findings: &'a mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let twice = arguments
            .iter()
            .enumerate()
            .find(|(index, (name, _))| arguments.iter().take(*index).any(|(known, _)| known == name));
        if let Some((_, (name, _))) = twice {
            let message = format!("`{name}` of `{owner}` is given twice");
            findings.push(Diagnostic::error("bad_registration", message, location.clone()).help(TWICE));
            return None;
        }
        // `None` is treated as absent.
        let arguments = arguments
            .into_iter()
            .filter(|(_, argument)| *argument != RegistrationArgument::Value(Value::Null))
            .collect();
        Some(Self { owner, location, remaining: arguments, known: Vec::new(), findings })
    }

    /// Adds the arguments of an options table. One that is given twice is reported, and the first is kept.
    pub(super) fn with_options(mut self, options: Vec<(String, RegistrationArgument)>) -> Self {
        for (name, argument) in options {
            if self.has(&name) {
                self.report_fault(format!("`{name}` of `{}` is given twice", self.owner), TWICE);
            } else if argument != RegistrationArgument::Value(Value::Null) {
                self.remaining.push((name, argument));
            }
        }
        self
    }

    /// Adds an error.
    pub(super) fn report_fault(&mut self, message: impl Into<String>, help: impl Into<String>) {
        let diagnostic = Diagnostic::error("bad_registration", message.into(), self.location.clone());
        self.findings.push(diagnostic.help(help));
    }

    pub(super) fn fault_count(&self) -> usize {
        self.findings.len()
    }

    /// Takes an argument.
    pub(super) fn take(&mut self, name: &'static str) -> Option<RegistrationArgument> {
        self.known.push(name);
        let index = self.remaining.iter().position(|(given, _)| given == name)?;
        Some(self.remaining.remove(index).1)
    }

    /// Takes a string.
    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        match self.take(name)? {
            RegistrationArgument::Value(Value::String(text)) => Some(text),
            other => self.report_wrong_type(name, &other, "a string"),
        }
    }

    /// Takes a required string.
    pub(super) fn required_text(&mut self, name: &'static str) -> Option<String> {
        if self.has(name) {
            return self.text(name);
        }
        self.known.push(name);
        self.report_fault(format!("`{}` has no `{name}`", self.owner), format!("give it a string `{name}`"));
        None
    }

    /// Whether an argument is given and not taken yet.
    pub(super) fn has(&self, name: &str) -> bool {
        self.remaining.iter().any(|(given, _)| given == name)
    }

    /// Takes a list of strings; empty if absent.
    pub(super) fn texts(&mut self, name: &'static str) -> Vec<String> {
        let Some(argument) = self.take(name) else { return Vec::new() };
        let texts = match &argument {
            RegistrationArgument::Value(Value::Array(items)) => {
                items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        texts.or_else(|| self.report_wrong_type(name, &argument, "a list of strings")).unwrap_or_default()
    }

    /// Takes a whole number that is at least `least`.
    pub(super) fn number(&mut self, name: &'static str, least: u64) -> Option<u64> {
        let argument = self.take(name)?;
        let RegistrationArgument::Value(Value::Number(number)) = &argument else {
            return self.report_wrong_type(name, &argument, "a whole number");
        };
        let fitting = number.as_u64().filter(|number| *number >= least);
        if fitting.is_none() {
            let message =
                format!("`{name}` of `{}` must be a whole number of {least} or more, not {number}", self.owner);
            self.report_fault(message, format!("write only digits, for example `{name}: 4000`"));
        }
        fitting
    }

    /// Takes a function that accepts the event as its only argument.
    pub(super) fn function(&mut self, name: &'static str) -> Option<RegisteredFunction> {
        match self.take(name)? {
            RegistrationArgument::Function(closure) if closure.takes_one_argument => Some(closure),
            RegistrationArgument::Function(closure) => {
                let message =
                    format!("`{}`, the `{name}` of `{}`, cannot be called with one argument", closure.name, self.owner);
                self.report_fault(
                    message,
                    "a handler takes only the event: `def handle(event):` or `lambda event: ..`",
                );
                None
            }
            other => self.report_wrong_type(name, &other, "a function"),
        }
    }

    /// Takes one of a set of words.
    pub(super) fn choice<T: Copy>(&mut self, name: &'static str, words: &[(&'static str, T)]) -> Option<T> {
        let text = self.text(name)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
        if found.is_none() {
            let all: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            let near = did_you_mean(&text, words.iter().map(|(word, _)| *word));
            let help = near.unwrap_or_else(|| format!("write {}", all.join(" or ")));
            self.report_fault(format!("`{name}` of `{}` must be {}, not `{text}`", self.owner, all.join(" or ")), help);
        }
        found
    }

    /// Reports every argument that was not taken.
    pub(super) fn finish(self) {
        for (name, _) in &self.remaining {
            let help = suggest_or_list(name, self.known.iter().copied(), "known keys:");
            let message = format!("unknown key `{name}` in `{}`", self.owner);
            self.findings.push(Diagnostic::error("unknown_key", message, self.location.clone()).help(help));
        }
    }

    fn report_wrong_type<T>(&mut self, name: &str, argument: &RegistrationArgument, wanted: impl Display) -> Option<T> {
        let message = format!("`{name}` of `{}` must be {wanted}, not {}", self.owner, describe(argument));
        self.report_fault(message, format!("give `{name}` {wanted}"));
        None
    }
}

/// The type of an argument, for messages.
pub(super) fn describe(argument: &RegistrationArgument) -> &'static str {
    match argument {
        RegistrationArgument::Value(Value::Null) => "None",
        RegistrationArgument::Value(Value::Bool(_)) => "True or False",
        RegistrationArgument::Value(Value::Number(_)) => "a number",
        RegistrationArgument::Value(Value::String(_)) => "a string",
        RegistrationArgument::Value(Value::Array(_)) | RegistrationArgument::List(_) => "a list",
        RegistrationArgument::Value(Value::Object(_)) | RegistrationArgument::Table(_) => "a table",
        RegistrationArgument::Function(_) => "a function",
    }
}

/// The keys of a table; `None` if it is not a table.
pub(super) fn into_entries(argument: RegistrationArgument) -> Option<Vec<(String, RegistrationArgument)>> {
    match argument {
        RegistrationArgument::Table(entries) => Some(entries),
        RegistrationArgument::Value(Value::Object(fields)) => {
            Some(fields.into_iter().map(|(name, value)| (name, RegistrationArgument::Value(value))).collect())
        }
        _ => None,
    }
}

/// The maximum timeout of one call: one hour.
const MAX_TIMEOUT_MS: u64 = 3_600_000;

/// Reads the options of a call.
pub(super) fn options_from_call(arguments: &mut ArgumentReader<'_>) -> HarnHookOptions {
    let name = arguments.text("name").filter(|name| !name.trim().is_empty());
    let timeout_ms = arguments.number("timeout_ms", 1);
    if let Some(long) = timeout_ms.filter(|timeout| *timeout > MAX_TIMEOUT_MS) {
        arguments.report_fault(
            format!("`timeout_ms` must be at most {MAX_TIMEOUT_MS}, not {long}"),
            "the maximum is one hour",
        );
    }
    HarnHookOptions {
        name,
        timeout_ms,
        on_error: arguments.choice("on_error", &FAILURE_POLICIES),
        mode: arguments.choice("mode", &ENFORCEMENT_MODES).unwrap_or_default(),
        tools: arguments.texts("tools"),
    }
}

/// Reads the options of a manifest's table.
pub(super) fn options_from_fields(fields: &mut FieldReader<'_>) -> HarnHookOptions {
    HarnHookOptions {
        name: fields.text("name").filter(|name| !name.trim().is_empty()),
        timeout_ms: fields.integer("timeout_ms", 1..=MAX_TIMEOUT_MS),
        on_error: fields.choice("on_error", &FAILURE_POLICIES).or_else(|| read_failure_words(fields)),
        mode: fields.choice("mode", &ENFORCEMENT_MODES).unwrap_or_default(),
        tools: fields.texts("tools"),
    }
}
