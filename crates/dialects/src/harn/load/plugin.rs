//! Loads plugins: converts each registration call to declarations.

use std::sync::Arc;

use pintle_contract::{
    ByteSpan, Diagnostic, FunctionRef, FunctionSpec, HandlerSpec, HookDeclaration, Location, RegisteredFunction,
    RegistrationArgument, RegistrationCall, ScriptSource,
};
use serde_json::Value;

use super::argument::{ArgumentReader, describe, into_entries, options_from_call};
use crate::harn::declare;
use crate::harn::declare::{HarnHookOptions, ToolHookSpec};
use crate::harn::event_def::{HarnSurface, ROWS};
use crate::{Artifact, ParseContext, ParsedProject};

/// Runs a plugin's top level and declares what it registered.
pub(super) fn read(artifact: &Artifact, context: &ParseContext<'_>, project: &mut ParsedProject) {
    let text = artifact.file.text.as_str();
    let span = ByteSpan { start: 0, end: text.len() };
    let location = Location::new(Arc::clone(&artifact.file), span);
    let module = ScriptSource { location: location.clone(), ..ScriptSource::without_file(text) };
    let file = artifact.file.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(build) = context.build else {
        let message = format!("plugin `{file}` cannot be loaded: scripts are disabled in this process");
        project.diagnostics.push(Diagnostic::error("plugin_load", message, location));
        return;
    };
    let plugin = build.load_plugin(&file, &module);
    project.diagnostics.extend(plugin.diagnostics);
    let mut registrar = PluginRegistrar { name: Arc::from(file), module, hooks: Vec::new(), findings: Vec::new() };
    for registration in &plugin.registrations {
        registrar.register(registration);
    }
    project.hooks.append(&mut registrar.hooks);
    project.diagnostics.append(&mut registrar.findings);
}

/// The registrations of one plugin so far.
struct PluginRegistrar {
    name: Arc<str>,
    module: ScriptSource,
    hooks: Vec<HookDeclaration>,
    findings: Vec<Diagnostic>,
}

type DeclareResult = Result<Vec<HookDeclaration>, Vec<Diagnostic>>;

impl PluginRegistrar {
    fn register(&mut self, registration: &RegistrationCall) {
        match registration.function.as_str() {
            "register_tool_hook" => self.register_tool_hook(registration),
            "register_persona_hook" => {
                self.register_scoped_hook(registration, &["persona_pattern", "event", "handler", "options"])
            }
            "register_step_hook" => {
                self.register_scoped_hook(
                    registration,
                    &["persona_pattern", "step_name", "event", "handler", "options"],
                );
            }
            "register_session_hook" => self.register_session_hook(registration),
            "clear_tool_hooks" => self.clear_hooks(registration, HarnSurface::Tool),
            "clear_persona_hooks" => self.clear_hooks(registration, HarnSurface::Persona),
            "clear_session_hooks" => self.clear_hooks(registration, HarnSurface::Session),
            other => {
                let message = format!("`{other}` is not a function that registers hooks");
                self.findings.push(Diagnostic::error("bad_registration", message, registration.location.clone()));
            }
        }
    }

    /// `register_tool_hook({..})`, or the same keys as arguments.
    fn register_tool_hook(&mut self, registration: &RegistrationCall) {
        let mut given = registration.named_arguments.clone();
        let mut first = registration.arguments.iter();
        if let Some(table) = first.next() {
            let Some(keys) = into_entries(table.clone()) else {
                let message = format!("`register_tool_hook` takes a table, not {}", describe(table));
                self.report_refused(registration, message);
                return;
            };
            given.extend(keys);
        }
        if first.next().is_some() {
            self.report_refused(registration, String::from("`register_tool_hook` takes one table"));
            return;
        }
        let before = self.findings.len();
        let Some(mut keys) =
            ArgumentReader::from_table("register_tool_hook", &registration.location, given, &mut self.findings)
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
                keys.report_fault(message, "write a string, for example `\"deny\": \"exec is gated\"`, or omit it");
                None
            }
        };
        let max_output = keys.number("max_output", 0);
        let (pre, post) = (keys.function("pre"), keys.function("post"));
        let options = options_from_call(&mut keys);
        keys.finish();
        if self.findings.len() > before {
            return;
        }
        let own_names: Vec<(&str, Option<String>)> =
            [("pre", &pre), ("post", &post)].map(|(part, closure)| (part, closure.as_ref().and_then(own_name))).into();
        let named = options.name.is_some();
        let declared = declare::declare_tool_hooks(ToolHookSpec {
            pattern,
            deny,
            max_output,
            pre: pre.map(|closure| self.build_handler(&closure)),
            post: post.map(|closure| self.build_handler(&closure)),
            options,
            location: registration.location.clone(),
        });
        let declared = declared.map(|mut hooks| {
            for (part, own) in own_names {
                let hook = hooks.iter_mut().find(|hook| !named && hook.name.ends_with(&format!(" {part}")));
                if let (Some(hook), Some(own)) = (hook, own) {
                    self.name_hook(hook, &own);
                }
            }
            hooks
        });
        self.add_declared(declared);
    }

    /// `register_persona_hook(persona_pattern, event, handler)` and `register_step_hook` with its step.
    fn register_scoped_hook(&mut self, registration: &RegistrationCall, places: &[&'static str]) {
        let before = self.findings.len();
        let Some(mut arguments) = ArgumentReader::from_call(registration, places, &mut self.findings) else { return };
        let persona = arguments.required_text("persona_pattern");
        let has_step = places.contains(&"step_name");
        let step = if has_step { arguments.required_text("step_name") } else { None };
        let event = arguments.required_text("event");
        let (handler, options) = take_handler_and_options(arguments);
        let (Some(persona), Some(event), Some(handler)) = (persona, event, handler) else { return };
        if self.findings.len() > before {
            return;
        }
        let (own, named) = (own_name(&handler), options.name.is_some());
        let (spec, location) = (self.build_handler(&handler), registration.location.clone());
        let declared = match &step {
            Some(step) => declare::declare_step_hook(&persona, step, &event, spec, options, location),
            None => declare::declare_persona_hook(&persona, &event, spec, options, location),
        };
        self.add_declared_hook(declared, own.filter(|_| !named));
    }

    /// `register_session_hook(event, handler)`, with an optional pattern before the handler or in the options.
    fn register_session_hook(&mut self, registration: &RegistrationCall) {
        let before = self.findings.len();
        // An argument before the handler is a pattern.
        let has_pattern = match registration.arguments.get(1) {
            Some(RegistrationArgument::Value(Value::String(_))) => true,
            Some(RegistrationArgument::Value(Value::Null)) => registration.arguments.len() > 2,
            _ => false,
        };
        let places: &[&str] =
            if has_pattern { &["event", "pattern", "handler", "options"] } else { &["event", "handler", "options"] };
        let Some(mut arguments) = ArgumentReader::from_call(registration, places, &mut self.findings) else { return };
        let event = arguments.required_text("event");
        let pattern = arguments.text("pattern");
        let (handler, options) = take_handler_and_options(arguments);
        let (Some(event), Some(handler)) = (event, handler) else { return };
        if self.findings.len() > before {
            return;
        }
        let (own, named) = (own_name(&handler), options.name.is_some());
        let (spec, location) = (self.build_handler(&handler), registration.location.clone());
        let declared = declare::declare_session_hook(&event, pattern.as_deref(), spec, options, location);
        self.add_declared_hook(declared, own.filter(|_| !named));
    }

    /// Removes what this plugin registered so far.
    fn clear_hooks(&mut self, registration: &RegistrationCall, surface: HarnSurface) {
        if !(registration.arguments.is_empty() && registration.named_arguments.is_empty()) {
            self.report_refused(registration, format!("`{}` takes no arguments", registration.function));
            return;
        }
        let is_of = |hook: &HookDeclaration| {
            ROWS.iter().any(|def| def.canonical == hook.event.kind() && def.surface == surface)
        };
        self.hooks.retain(|hook| !is_of(hook));
    }

    fn build_handler(&self, closure: &RegisteredFunction) -> HandlerSpec {
        HandlerSpec::Function(FunctionSpec {
            name: Arc::clone(&self.name),
            module: self.module.clone(),
            function: FunctionRef::Registered(closure.index),
            defined_name: own_name(closure).map(Arc::from),
        })
    }

    fn add_declared_hook(&mut self, declared: Result<HookDeclaration, Vec<Diagnostic>>, own: Option<String>) {
        let declared = declared.map(|mut hook| {
            if let Some(own) = &own {
                self.name_hook(&mut hook, own);
            }
            vec![hook]
        });
        self.add_declared(declared);
    }

    fn add_declared(&mut self, declared: DeclareResult) {
        match declared {
            Ok(mut hooks) => self.hooks.append(&mut hooks),
            Err(mut faults) => self.findings.append(&mut faults),
        }
    }

    /// Names a hook after its location and its function.
    fn name_hook(&self, hook: &mut HookDeclaration, function: &str) {
        let line = hook.location.line_column().map_or(0, |(line, _)| line);
        let name = format!("{}:{line} {function}", self.name);
        declare::rename(hook, name);
    }

    fn report_refused(&mut self, registration: &RegistrationCall, message: String) {
        let help = match registration.function.as_str() {
            "register_tool_hook" => {
                "write `register_tool_hook({\"pattern\": \"exec_*\", \"deny\": \"exec is gated\"})`"
            }
            _ => "write it with empty parentheses",
        };
        let diagnostic = Diagnostic::error("bad_registration", message, registration.location.clone());
        self.findings.push(diagnostic.help(help));
    }
}

/// Takes the handler and the options, with which every registration except that of tools ends.
fn take_handler_and_options(mut arguments: ArgumentReader<'_>) -> (Option<RegisteredFunction>, HarnHookOptions) {
    let before = arguments.fault_count();
    let handler = arguments.function("handler");
    if handler.is_none() && arguments.fault_count() == before {
        arguments
            .report_fault("the hook has no handler", "give it a function that takes the event: `lambda event: None`");
    }
    let table = match arguments.take("options") {
        None => Vec::new(),
        Some(argument) => {
            let shown = describe(&argument);
            into_entries(argument).unwrap_or_else(|| {
                arguments
                    .report_fault(format!("the options must be a table, not {shown}"), "write `{\"name\": \"guard\"}`");
                Vec::new()
            })
        }
    };
    let mut arguments = arguments.with_options(table);
    let options = options_from_call(&mut arguments);
    arguments.finish();
    (handler, options)
}

/// The name of a function, unless it is a lambda.
fn own_name(closure: &RegisteredFunction) -> Option<String> {
    (closure.name != "lambda").then(|| closure.name.clone())
}
