//! Plugins and manifests: their declarations and diagnostics.

mod fuzz;
mod manifests;
mod plugins;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use pintle_contract::{
    BuiltHandler, BuiltMatcher, ByteSpan, Diagnostic, HandlerFactory, HandlerSpec, HookDeclaration, LoadedPlugin,
    Location, MatcherSpec, RegisteredFunction, RegistrationArgument, RegistrationCall, ScriptSource, SourceFile,
    ToolSpec,
};
use serde_json::Value;

use super::load;
use crate::{Artifact, ArtifactKind, ParseContext, ParsedProject};

/// Returns fixed registrations, whatever the plugin's text is.
struct FakeHandlerFactory(RefCell<Vec<RegistrationCall>>);

impl HandlerFactory for FakeHandlerFactory {
    fn build_handler(&self, _declaration: &HookDeclaration) -> BuiltHandler {
        BuiltHandler::default()
    }

    fn build_matcher(&self, _declaration: &HookDeclaration) -> BuiltMatcher {
        BuiltMatcher::default()
    }

    fn check_tool(&self, _tool: &ToolSpec) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn load_plugin(&self, _name: &str, _module: &ScriptSource) -> LoadedPlugin {
        LoadedPlugin { registrations: self.0.take(), diagnostics: Vec::new() }
    }

    fn check_verify(&self, _owner: &str, _script: &ScriptSource) -> Vec<Diagnostic> {
        Vec::new()
    }
}

fn artifact(artifact_kind: ArtifactKind, path: &str, text: &str) -> Artifact {
    let path = Path::new(path);
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    Artifact { role: artifact_kind, name, file: Arc::new(SourceFile { path: path.to_owned(), text: text.to_owned() }) }
}

/// A call of a registration function: its name, positional arguments and named arguments.
type RegistrationCase<'a> = (&'a str, Vec<RegistrationArgument>, Vec<(&'a str, RegistrationArgument)>);

/// A plugin with each call on its own line.
fn load_plugin_calls(calls: Vec<RegistrationCase<'_>>) -> ParsedProject {
    let text = "line\n".repeat(calls.len());
    let artifact = artifact(ArtifactKind::Plugin, "policy.star", &text);
    let registrations = calls
        .into_iter()
        .enumerate()
        .map(|(line, (function, arguments, named))| RegistrationCall {
            function: function.to_owned(),
            arguments,
            named_arguments: named.into_iter().map(|(name, argument)| (name.to_owned(), argument)).collect(),
            location: Location::new(Arc::clone(&artifact.file), ByteSpan { start: line * 5, end: line * 5 + 4 }),
        })
        .collect();
    let build = FakeHandlerFactory(RefCell::new(registrations));
    load(&[artifact], &ParseContext { build: Some(&build), ..ParseContext::default() })
}

fn value(value: Value) -> RegistrationArgument {
    RegistrationArgument::Value(value)
}

fn text(text: &str) -> RegistrationArgument {
    RegistrationArgument::Value(Value::from(text))
}

fn function(name: &str) -> RegistrationArgument {
    RegistrationArgument::Function(RegisteredFunction {
        index: 7,
        name: name.to_owned(),
        takes_one_argument: true,
        guard: true,
    })
}

/// Name, event, matcher and handler of each hook.
fn describe_hooks(project: &ParsedProject) -> Vec<String> {
    let one = |hook: &HookDeclaration| {
        let matcher = match &hook.matcher {
            Some(MatcherSpec::Compiled(matcher)) => matcher.describe(),
            None => String::from("everything"),
            Some(other) => format!("{other:?}"),
        };
        let handler = match &hook.handler {
            HandlerSpec::Native(handler) => format!("{handler:?}"),
            HandlerSpec::Function(spec) => format!("{} {:?}", spec.name, spec.function),
            HandlerSpec::Command(spec) => spec.command.clone(),
            other => format!("{other:?}"),
        };
        format!("{} | {} | {matcher} | {handler}", hook.name, hook.event)
    };
    project.hooks.iter().map(one).collect()
}

/// Line, message and help of each diagnostic.
fn describe_findings(project: &ParsedProject) -> Vec<String> {
    let one = |diagnostic: &Diagnostic| {
        let line = diagnostic.location.line_column().map_or(0, |(line, _)| line);
        format!("{line}: {}; {}", diagnostic.message, diagnostic.help.as_deref().unwrap_or_default())
    };
    project.diagnostics.iter().map(one).collect()
}
