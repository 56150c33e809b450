//! Plugins and manifests: what they declare, and what is wrong with them.

mod fuzz;
mod manifests;
mod plugins;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use pintle_contract::{
    Argument, Build, BuiltHandler, BuiltMatcher, Closure, Diagnostic, HandlerSpec, HookDeclaration, Location,
    MatcherSpec, Plugin, Registration, ScriptText, SourceFile, Span, ToolSpec,
};
use serde_json::Value;

use super::load;
use crate::{Artifact, Project, Reading, Role};

/// Gives the registrations that it is told, whatever the plugin's text.
struct Told(RefCell<Vec<Registration>>);

impl Build for Told {
    fn handler(&self, _declaration: &HookDeclaration) -> BuiltHandler {
        BuiltHandler::default()
    }

    fn matcher(&self, _declaration: &HookDeclaration) -> BuiltMatcher {
        BuiltMatcher::default()
    }

    fn check_tool(&self, _tool: &ToolSpec) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn plugin(&self, _name: &str, _module: &ScriptText) -> Plugin {
        Plugin { registrations: self.0.take(), diagnostics: Vec::new() }
    }

    fn check_verify(&self, _owner: &str, _script: &ScriptText) -> Vec<Diagnostic> {
        Vec::new()
    }
}

fn artifact(role: Role, path: &str, text: &str) -> Artifact {
    let path = Path::new(path);
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    Artifact { role, name, file: Arc::new(SourceFile { path: path.to_owned(), text: text.to_owned() }) }
}

/// A call of a registration function: its name, its arguments, and those with a name.
type Registers<'a> = (&'a str, Vec<Argument>, Vec<(&'a str, Argument)>);

/// A plugin whose calls stand on a line each.
fn plugin(calls: Vec<Registers<'_>>) -> Project {
    let text = "line\n".repeat(calls.len());
    let artifact = artifact(Role::Plugin, "policy.star", &text);
    let registrations = calls
        .into_iter()
        .enumerate()
        .map(|(line, (function, arguments, named))| Registration {
            function: function.to_owned(),
            arguments,
            named: named.into_iter().map(|(name, argument)| (name.to_owned(), argument)).collect(),
            location: Location::new(Arc::clone(&artifact.file), Span { start: line * 5, end: line * 5 + 4 }),
        })
        .collect();
    let build = Told(RefCell::new(registrations));
    load(&[artifact], &Reading { build: Some(&build), ..Reading::default() })
}

fn value(value: Value) -> Argument {
    Argument::Value(value)
}

fn text(text: &str) -> Argument {
    Argument::Value(Value::from(text))
}

fn function(name: &str) -> Argument {
    Argument::Function(Closure { number: 7, name: name.to_owned(), takes_one: true, guard: true })
}

/// Name, event, what it matches, and what runs.
fn shown(project: &Project) -> Vec<String> {
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

/// Line, message and help of each finding.
fn told(project: &Project) -> Vec<String> {
    let one = |finding: &Diagnostic| {
        let line = finding.location.line_column().map_or(0, |(line, _)| line);
        format!("{line}: {}; {}", finding.message, finding.help.as_deref().unwrap_or_default())
    };
    project.diagnostics.iter().map(one).collect()
}
