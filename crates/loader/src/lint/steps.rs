//! Warns about hooks on steps that no persona has, like Harn's lint `persona-hook-target`.

use std::sync::Arc;

use pintle_contract::{Chain, Diagnostic, Event, Hook, MatchResult, Origin, PersonaSpec, StepSpec};

/// Warns about the hooks of a chain that match a step, if personas are declared and none has such a step.
pub(crate) fn unknown_step_hooks(chain: &Chain, personas: &[Arc<PersonaSpec>]) -> Vec<Diagnostic> {
    let on_steps = chain.hooks.iter().filter(|hook| hook.event.as_str().starts_with("step."));
    if personas.is_empty() { Vec::new() } else { on_steps.filter_map(|hook| lint_unmet_step(hook, personas)).collect() }
}

fn lint_unmet_step(hook: &Hook, personas: &[Arc<PersonaSpec>]) -> Option<Diagnostic> {
    let wanted = hook.matcher.as_ref()?;
    let described = wanted.describe();
    // An expression may read fields that only a running step has.
    if described.contains('=') {
        return None;
    }
    let steps = || personas.iter().flat_map(|persona| persona.steps.iter().map(move |step| (&**persona, step)));
    if steps()
        .any(|(persona, step)| !matches!(wanted.matches(&example_step_event(hook, persona, step)), MatchResult::No))
    {
        return None;
    }
    let names: Vec<String> = steps().map(|(persona, step)| format!("{}.{}", persona.name, step.name)).collect();
    let message = format!("hook `{}` never runs: no declared persona has the step it matches", hook.id);
    let help = format!("it matches `{described}`; the declared steps are {}", names.join(", "));
    Some(Diagnostic::warning("unknown_step", message, hook.location.clone()).help(help))
}

/// An example event of a step.
fn example_step_event(hook: &Hook, persona: &PersonaSpec, step: &StepSpec) -> Event {
    let mut payload = hook.event.def().example();
    if let Some(fields) = payload.as_object_mut() {
        for (name, text) in [("persona", persona.name.as_str()), ("step", &step.name), ("function", step.function())] {
            fields.insert(name.to_owned(), text.into());
        }
    }
    let origin = Origin { persona: persona.name.clone(), step: step.name.clone(), ..Origin::default() };
    Event::new(hook.event.clone(), payload, Arc::new(origin))
}
