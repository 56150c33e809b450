//! Plugins: what each call of a registration function means.

use std::sync::Arc;

use pintle_contract::{
    ByteSpan, Diagnostic, FunctionRef, FunctionSpec, HandlerSpec, HookDeclaration, Location, RegisteredFunction,
    RegistrationArgument, RegistrationCall, ScriptSource,
};
use serde_json::Value;

use super::argument::{Arguments, describe, entries};
use super::options;
use crate::harn::declare::{self, HookOptions, ToolHookSpec};
use crate::harn::row::{ROWS, Surface};
use crate::{Artifact, Project, Reading};

/// Runs a plugin's top level and declares what it registered.
pub(super) fn read(artifact: &Artifact, reading: &Reading<'_>, project: &mut Project) {
    let text = artifact.file.text.as_str();
    let span = ByteSpan { start: 0, end: text.len() };
    let location = Location::new(Arc::clone(&artifact.file), span);
    let module = ScriptSource { location: location.clone(), ..ScriptSource::without_file(text) };
    let file = artifact.file.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(build) = reading.build else {
        let message = format!("plugin `{file}` cannot be loaded: nothing here runs scripts");
        project.diagnostics.push(Diagnostic::error("plugin_load", message, location));
        return;
    };
    let plugin = build.load_plugin(&file, &module);
    project.diagnostics.extend(plugin.diagnostics);
    let mut registrar = Registrar { name: Arc::from(file), module, hooks: Vec::new(), findings: Vec::new() };
    for registration in &plugin.registrations {
        registrar.take(registration);
    }
    project.hooks.append(&mut registrar.hooks);
    project.diagnostics.append(&mut registrar.findings);
}

/// What one plugin registered so far.
struct Registrar {
    name: Arc<str>,
    module: ScriptSource,
    hooks: Vec<HookDeclaration>,
    findings: Vec<Diagnostic>,
}

type Declared = Result<Vec<HookDeclaration>, Vec<Diagnostic>>;

impl Registrar {
    fn take(&mut self, registration: &RegistrationCall) {
        match registration.function.as_str() {
            "register_tool_hook" => self.tool(registration),
            "register_persona_hook" => self.scoped(registration, &["persona_pattern", "event", "handler", "options"]),
            "register_step_hook" => {
                self.scoped(registration, &["persona_pattern", "step_name", "event", "handler", "options"]);
            }
            "register_session_hook" => self.session(registration),
            "clear_tool_hooks" => self.clear(registration, Surface::Tool),
            "clear_persona_hooks" => self.clear(registration, Surface::Persona),
            "clear_session_hooks" => self.clear(registration, Surface::Session),
            other => {
                let message = format!("`{other}` is no function that registers hooks");
                self.findings.push(Diagnostic::error("bad_registration", message, registration.location.clone()));
            }
        }
    }

    /// `register_tool_hook({..})`, or the same keys as arguments.
    fn tool(&mut self, registration: &RegistrationCall) {
        let mut given = registration.named_arguments.clone();
        let mut first = registration.arguments.iter();
        if let Some(table) = first.next() {
            let Some(keys) = entries(table.clone()) else {
                let message = format!("`register_tool_hook` takes a table, not {}", describe(table));
                self.refuse(registration, message);
                return;
            };
            given.extend(keys);
        }
        if first.next().is_some() {
            self.refuse(registration, String::from("`register_tool_hook` takes one table"));
            return;
        }
        let before = self.findings.len();
        let Some(mut keys) =
            Arguments::of_table("register_tool_hook", &registration.location, given, &mut self.findings)
        else {
            return;
        };
        let pattern = keys.text("pattern").unwrap_or_default();
        let deny = match keys.take("deny") {
            None => None,
            Some(RegistrationArgument::Value(Value::String(reason))) => Some(reason),
            Some(RegistrationArgument::Value(Value::Bool(true))) => Some(String::from("the tool is gated")),
            Some(RegistrationArgument::Value(Value::Number(number))) => Some(number.to_string()),
            Some(other) => {
                let message = format!("`deny` of `register_tool_hook` must be the reason, not {}", describe(&other));
                keys.fault(message, "write a text, as in `\"deny\": \"exec is gated\"`, or leave it out");
                None
            }
        };
        let max_output = keys.number("max_output", 0);
        let (pre, post) = (keys.function("pre"), keys.function("post"));
        let options = options::of_call(&mut keys);
        keys.finish();
        if self.findings.len() > before {
            return;
        }
        let own_names: Vec<(&str, Option<String>)> =
            [("pre", &pre), ("post", &post)].map(|(part, closure)| (part, closure.as_ref().and_then(own_name))).into();
        let named = options.name.is_some();
        let declared = declare::tool_hook(ToolHookSpec {
            pattern,
            deny,
            max_output,
            pre: pre.map(|closure| self.handler(&closure)),
            post: post.map(|closure| self.handler(&closure)),
            options,
            location: registration.location.clone(),
        });
        let declared = declared.map(|mut hooks| {
            for (part, own) in own_names {
                let hook = hooks.iter_mut().find(|hook| !named && hook.name.ends_with(&format!(" {part}")));
                if let (Some(hook), Some(own)) = (hook, own) {
                    self.call(hook, &own);
                }
            }
            hooks
        });
        self.keep(declared);
    }

    /// `register_persona_hook(persona_pattern, event, handler)` and `register_step_hook` with its step.
    fn scoped(&mut self, registration: &RegistrationCall, places: &[&'static str]) {
        let before = self.findings.len();
        let Some(mut arguments) = Arguments::of_call(registration, places, &mut self.findings) else { return };
        let persona = arguments.needed_text("persona_pattern");
        let has_step = places.contains(&"step_name");
        let step = if has_step { arguments.needed_text("step_name") } else { None };
        let event = arguments.needed_text("event");
        let (handler, options) = handler_and_options(arguments);
        let (Some(persona), Some(event), Some(handler)) = (persona, event, handler) else { return };
        if self.findings.len() > before {
            return;
        }
        let (own, named) = (own_name(&handler), options.name.is_some());
        let (spec, location) = (self.handler(&handler), registration.location.clone());
        let declared = match &step {
            Some(step) => declare::step_hook(&persona, step, &event, spec, options, location),
            None => declare::persona_hook(&persona, &event, spec, options, location),
        };
        self.keep_one(declared, own.filter(|_| !named));
    }

    /// `register_session_hook(event, handler)`, with a pattern in between or an option.
    fn session(&mut self, registration: &RegistrationCall) {
        let before = self.findings.len();
        // A pattern is what stands in front of the handler.
        let has_pattern = match registration.arguments.get(1) {
            Some(RegistrationArgument::Value(Value::String(_))) => true,
            Some(RegistrationArgument::Value(Value::Null)) => registration.arguments.len() > 2,
            _ => false,
        };
        let places: &[&str] =
            if has_pattern { &["event", "pattern", "handler", "options"] } else { &["event", "handler", "options"] };
        let Some(mut arguments) = Arguments::of_call(registration, places, &mut self.findings) else { return };
        let event = arguments.needed_text("event");
        let pattern = arguments.text("pattern");
        let (handler, options) = handler_and_options(arguments);
        let (Some(event), Some(handler)) = (event, handler) else { return };
        if self.findings.len() > before {
            return;
        }
        let (own, named) = (own_name(&handler), options.name.is_some());
        let (spec, location) = (self.handler(&handler), registration.location.clone());
        let declared = declare::session_hook(&event, pattern.as_deref(), spec, options, location);
        self.keep_one(declared, own.filter(|_| !named));
    }

    /// Drops what this plugin registered so far.
    fn clear(&mut self, registration: &RegistrationCall, surface: Surface) {
        if !(registration.arguments.is_empty() && registration.named_arguments.is_empty()) {
            self.refuse(registration, format!("`{}` takes no arguments", registration.function));
            return;
        }
        let is_of = |hook: &HookDeclaration| {
            ROWS.iter().any(|row| row.canonical == hook.event.as_str() && row.surface == surface)
        };
        self.hooks.retain(|hook| !is_of(hook));
    }

    fn handler(&self, closure: &RegisteredFunction) -> HandlerSpec {
        HandlerSpec::Function(FunctionSpec {
            name: Arc::clone(&self.name),
            module: self.module.clone(),
            function: FunctionRef::Registered(closure.index),
        })
    }

    fn keep_one(&mut self, declared: Result<HookDeclaration, Vec<Diagnostic>>, own: Option<String>) {
        let declared = declared.map(|mut hook| {
            if let Some(own) = &own {
                self.call(&mut hook, own);
            }
            vec![hook]
        });
        self.keep(declared);
    }

    fn keep(&mut self, declared: Declared) {
        match declared {
            Ok(mut hooks) => self.hooks.append(&mut hooks),
            Err(mut faults) => self.findings.append(&mut faults),
        }
    }

    /// Calls a hook by its place and its function.
    fn call(&self, hook: &mut HookDeclaration, function: &str) {
        let line = hook.location.line_column().map_or(0, |(line, _)| line);
        let name = format!("{}:{line} {function}", self.name);
        declare::rename(hook, name);
    }

    fn refuse(&mut self, registration: &RegistrationCall, message: String) {
        let help = match registration.function.as_str() {
            "register_tool_hook" => {
                "write `register_tool_hook({\"pattern\": \"exec_*\", \"deny\": \"exec is gated\"})`"
            }
            _ => "write it with empty brackets",
        };
        let finding = Diagnostic::error("bad_registration", message, registration.location.clone());
        self.findings.push(finding.help(help));
    }
}

/// Takes what every registration but that of tools ends with.
fn handler_and_options(mut arguments: Arguments<'_>) -> (Option<RegisteredFunction>, HookOptions) {
    let before = arguments.faults();
    let handler = arguments.function("handler");
    if handler.is_none() && arguments.faults() == before {
        arguments.fault("a hook without a handler", "give it a function that takes the event: `lambda event: None`");
    }
    let table = match arguments.take("options") {
        None => Vec::new(),
        Some(argument) => {
            let shown = describe(&argument);
            entries(argument).unwrap_or_else(|| {
                arguments.fault(format!("the options must be a table, not {shown}"), "write `{\"name\": \"guard\"}`");
                Vec::new()
            })
        }
    };
    let mut arguments = arguments.and(table);
    let options = options::of_call(&mut arguments);
    arguments.finish();
    (handler, options)
}

/// The name of a function that has one.
fn own_name(closure: &RegisteredFunction) -> Option<String> {
    (closure.name != "lambda").then(|| closure.name.clone())
}
