//! The mutants of hooks: declarations with one small change.

use std::path::PathBuf;
use std::sync::Arc;

use pintle_host::contract::{BuiltinSpec, HandlerSpec, HookDeclaration, Location, MatcherSpec};
use pintle_host::script::{ScriptKind, ScriptMutant, script_mutants, when_mutants};
use pintle_host::tape::show::single_line;
use serde_json::Value;

/// What marks a line with a mutant that cannot be noticed, before the reason.
const EQUIVALENT: &str = "equivalent mutant:";
/// The same for several of them, behind their number.
const EQUIVALENTS: &str = "equivalent mutants:";
/// Most characters of a line.
const LINE: usize = 200;
/// The lists of a rule of which an entry can be left out.
const RULE_LISTS: [&str; 8] = ["tools", "agents", "actions", "targets", "inside", "outside", "except", "tags"];

/// A hook with one small change.
#[derive(Debug)]
pub(super) struct HookMutant {
    pub(super) hook: String,
    /// Where the change is.
    pub(super) path: Option<PathBuf>,
    pub(super) line: usize,
    /// What is changed, in a few words.
    pub(super) change: String,
    /// The changed lines as they are.
    pub(super) before: Vec<String>,
    /// The lines in their place.
    pub(super) after: Vec<String>,
    pub(super) scope: MutantScope,
    /// The changed declarations.
    pub(super) declarations: Arc<[HookDeclaration]>,
    /// The line of the file on which the change begins.
    first_line: String,
}

/// What is changed.
#[derive(Debug)]
pub(super) enum MutantScope {
    /// A script, at a byte of its file.
    Script {
        path: PathBuf,
        start: usize,
        /// Whether it is outside of functions.
        is_top_level: bool,
    },
    /// A rule of a policy file, or what the file says about a pack.
    Rule,
}

impl HookMutant {
    /// How many mutants of its line no test can notice, and why, if its author says so: `# equivalent mutant: REASON`, or
    /// `# 2 equivalent mutants: REASON`.
    pub(super) fn equivalence(&self) -> Option<(usize, String)> {
        let mut comments = self.first_line.match_indices('#').map(|(at, _)| self.first_line.get(at + 1..));
        comments.find_map(|comment| {
            let comment = comment?.trim();
            let one = comment.strip_prefix(EQUIVALENT).map(|reason| (1, reason));
            let several = || {
                let (count, rest) = comment.split_once(' ')?;
                Some((count.parse().ok()?, rest.strip_prefix(EQUIVALENTS)?))
            };
            let (count, reason) = one.or_else(several)?;
            Some((count, reason.trim().to_owned())).filter(|(_, reason)| !reason.is_empty())
        })
    }
}

/// The mutants of hooks, in the order of the hooks and of their text.
pub(super) fn collect_mutants(declarations: &[&HookDeclaration]) -> Vec<HookMutant> {
    let mut mutants = Vec::new();
    let mut seen: Vec<(&Location, &str)> = Vec::new();
    for declared in declarations {
        let key = match &declared.handler {
            HandlerSpec::Function(spec) => (&spec.module.location, ""),
            _ => (&declared.location, declared.name.as_str()),
        };
        let is_same = |known: &&(&Location, &str)| known.1 == key.1 && same_place(known.0, key.0);
        // A hook that is declared for several events, or several functions of a plugin, are changed together.
        if seen.iter().any(|known| is_same(&known)) {
            continue;
        }
        seen.push(key);
        if let Some(MatcherSpec::Expression(when)) = &declared.matcher {
            mutants.extend(when_mutants(&declared.name, when).into_iter().filter_map(|mutant| {
                let change = |other: &HookDeclaration| HookDeclaration {
                    matcher: Some(MatcherSpec::Expression(mutant.source.clone())),
                    ..other.clone()
                };
                of_script(declared, &mutant, substitutes(declarations, declared, change))
            }));
        }
        match &declared.handler {
            HandlerSpec::Script(text) => {
                let made = script_mutants(&declared.name, text, ScriptKind::Hook).into_iter();
                mutants.extend(made.filter_map(|mutant| {
                    let handler = HandlerSpec::Script(mutant.source.clone());
                    let change =
                        |other: &HookDeclaration| HookDeclaration { handler: handler.clone(), ..other.clone() };
                    of_script(declared, &mutant, substitutes(declarations, declared, change))
                }));
            }
            HandlerSpec::Function(spec) => {
                let made = script_mutants(&spec.name, &spec.module, ScriptKind::Plugin).into_iter();
                mutants.extend(made.filter_map(|mutant| {
                    of_script(declared, &mutant, plugin_substitutes(declarations, spec, &mutant))
                }));
            }
            HandlerSpec::Builtin(spec) if spec.name == "rules" => mutants.extend(rule_mutants(declared, spec)),
            HandlerSpec::Builtin(spec) if spec.name == "pack" => mutants.extend(setting_mutants(declared, spec)),
            _ => {}
        }
    }
    mutants
}

fn same_place(one: &Location, other: &Location) -> bool {
    one.path() == other.path() && one.span == other.span
}

/// The declarations of one hook, changed.
fn substitutes(
    declarations: &[&HookDeclaration],
    declared: &HookDeclaration,
    change: impl Fn(&HookDeclaration) -> HookDeclaration,
) -> Arc<[HookDeclaration]> {
    let is_it =
        |other: &&&HookDeclaration| other.name == declared.name && same_place(&other.location, &declared.location);
    declarations.iter().filter(is_it).map(|other| change(other)).collect()
}

/// The hooks of a plugin with a changed module.
fn plugin_substitutes(
    declarations: &[&HookDeclaration],
    changed: &pintle_host::contract::FunctionSpec,
    mutant: &ScriptMutant,
) -> Arc<[HookDeclaration]> {
    let change = |other: &&HookDeclaration| match &other.handler {
        HandlerSpec::Function(spec) if same_place(&spec.module.location, &changed.module.location) => {
            let mut spec = spec.clone();
            spec.module = mutant.source.clone();
            Some(HookDeclaration { handler: HandlerSpec::Function(spec), ..(*other).clone() })
        }
        _ => None,
    };
    declarations.iter().filter_map(change).collect()
}

fn of_script(
    declared: &HookDeclaration,
    mutant: &ScriptMutant,
    declarations: Arc<[HookDeclaration]>,
) -> Option<HookMutant> {
    let (path, file) = (mutant.location.path()?.to_owned(), mutant.location.file.as_deref()?);
    let span = mutant.location.span;
    let (line, _) = mutant.location.line_column()?;
    let start = file.text.get(..span.start)?.rfind('\n').map_or(0, |index| index + 1);
    let end = span.end + file.text.get(span.end..)?.find('\n').unwrap_or(file.text.len() - span.end);
    let written = file.text.get(start..end)?;
    // A block of a file is indented further than the script.
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let is_in_file = words(file.text.get(span.start..span.end)?) == words(&mutant.replaced);
    let (before, after) = if is_in_file {
        let (head, tail) = (file.text.get(start..span.start)?, file.text.get(span.end..end)?);
        (written.to_owned(), format!("{head}{}{tail}", mutant.replacement))
    } else {
        // A text that is not in the file line by line.
        (mutant.replaced.clone(), mutant.replacement.clone())
    };
    Some(HookMutant {
        hook: declared.name.clone(),
        line,
        change: single_line(&mutant.change, LINE),
        before: lines_of(&before),
        after: lines_of(&after),
        scope: MutantScope::Script { path: path.clone(), start: span.start, is_top_level: mutant.is_top_level },
        path: Some(path),
        declarations,
        first_line: written.lines().next().unwrap_or_default().to_owned(),
    })
}

fn lines_of(text: &str) -> Vec<String> {
    // The indentation of a line says where it belongs.
    let line = |line: &str| {
        let indent: String = line.chars().take_while(|character| *character == ' ').collect();
        format!("{indent}{}", single_line(line.trim_start(), LINE))
    };
    text.lines().map(line).collect()
}

/// The mutants of the rules in a policy file: a rule that is left out, another decision, an entry less of a list.
fn rule_mutants(declared: &HookDeclaration, spec: &BuiltinSpec) -> Vec<HookMutant> {
    let mut mutants = Vec::new();
    for (index, argument) in spec.arguments.iter().enumerate() {
        let Ok(Value::Object(rule)) = serde_json::from_str::<Value>(argument) else { continue };
        let line = rule.get("line").and_then(Value::as_u64).and_then(|line| usize::try_from(line).ok()).unwrap_or(1);
        let name = rule.get("name").and_then(Value::as_str).unwrap_or_default();
        let mut add = |change: String, before: String, after: Vec<String>, changed: Option<Value>| {
            let mut arguments = spec.arguments.clone();
            match changed {
                Some(changed) => {
                    if let Some(argument) = arguments.get_mut(index) {
                        *argument = changed.to_string();
                    }
                }
                None => drop(arguments.remove(index)),
            }
            mutants.push(of_settings(declared, spec, line, (change, vec![before], after), arguments));
        };
        add(format!("without the rule `{name}`"), format!("rule {name}"), Vec::new(), None);
        let severity = match rule.get("severity").and_then(Value::as_str) {
            Some("deny") => Some("ask"),
            Some("ask") => Some("deny"),
            Some(_) => Some("ask"),
            None => None,
        };
        if let Some(other) = severity {
            let mut changed = rule.clone();
            let was = changed.insert(String::from("severity"), Value::from(other)).unwrap_or_default();
            let change = format!("{} is `{other}`", was.as_str().unwrap_or_default());
            add(
                format!("`{name}`: {change}"),
                format!("severity: {was}"),
                vec![format!("severity: \"{other}\"")],
                Some(Value::Object(changed)),
            );
        }
        for (pointer, list) in lists_of(&Value::Object(rule.clone())) {
            for dropped in 0..list.len() {
                let kept: Vec<Value> =
                    list.iter().enumerate().filter(|(at, _)| *at != dropped).map(|(_, value)| value.clone()).collect();
                let key = pointer.rsplit('/').next().unwrap_or_default();
                // A rule about no commands is the one that is left out.
                if key == "run" && kept.is_empty() {
                    continue;
                }
                let mut changed = Value::Object(rule.clone());
                let texts = [&list, &kept].map(|list| format!("{key}: {}", Value::Array(list.clone())));
                if let Some(place) = changed.pointer_mut(&pointer) {
                    *place = Value::Array(kept);
                }
                let [before, after] = texts;
                let entry = list.get(dropped).map(Value::to_string).unwrap_or_default();
                add(format!("`{name}` without {entry} in `{key}`"), before, vec![after], Some(changed));
            }
        }
    }
    mutants
}

/// The lists of a rule, by their places in it.
fn lists_of(rule: &Value) -> Vec<(String, Vec<Value>)> {
    let own = RULE_LISTS.iter().map(|key| format!("/{key}"));
    let nested = RULE_LISTS.iter().map(|key| format!("/subject/operation/{key}"));
    let pointers = own.chain(nested).chain([String::from("/subject/run")]);
    pointers.filter_map(|pointer| Some((pointer.clone(), rule.pointer(&pointer)?.as_array()?.clone()))).collect()
}

/// The mutants of what a policy file says about a pack: each of it left out.
fn setting_mutants(declared: &HookDeclaration, spec: &BuiltinSpec) -> Vec<HookMutant> {
    let line = declared.location.line_column().map_or(1, |(line, _)| line);
    let mutant = |index: usize| {
        let mut arguments = spec.arguments.clone();
        let dropped = arguments.remove(index);
        of_settings(
            declared,
            spec,
            line,
            (format!("without `{dropped}`"), vec![single_line(&dropped, LINE)], Vec::new()),
            arguments,
        )
    };
    (1..spec.arguments.len()).map(mutant).collect()
}

fn of_settings(
    declared: &HookDeclaration,
    spec: &BuiltinSpec,
    line: usize,
    (change, before, after): (String, Vec<String>, Vec<String>),
    arguments: Vec<String>,
) -> HookMutant {
    let handler = HandlerSpec::Builtin(BuiltinSpec { arguments, ..spec.clone() });
    let file = declared.location.file.as_ref();
    let first_line = file.and_then(|file| file.text.lines().nth(line.saturating_sub(1))).unwrap_or_default();
    HookMutant {
        hook: declared.name.clone(),
        path: declared.location.path().map(PathBuf::from),
        line,
        change,
        before,
        after,
        scope: MutantScope::Rule,
        declarations: Arc::from([HookDeclaration { handler, ..declared.clone() }]),
        first_line: first_line.to_owned(),
    }
}
