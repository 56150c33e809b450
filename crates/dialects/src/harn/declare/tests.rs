//! The four registration functions as a program calls them, and tool hooks without a function.

use pintle_contract::{
    CallId, CallLimits, CancelToken, DispatchId, EnforcementMode, FailurePolicy, HookCall, Layer, NoEffects,
    VerdictKind,
};
use pintle_testkit::plain_event;
use serde_json::{Value, json};

use super::*;
use crate::harn::{ROWS, UNSUPPORTED};

fn spec(pattern: &str) -> ToolHookSpec {
    ToolHookSpec {
        pattern: pattern.to_owned(),
        deny: None,
        max_output: None,
        pre: None,
        post: None,
        options: HarnHookOptions::default(),
        location: Location::default(),
    }
}

fn declare_session(event: &str) -> Result<HookDeclaration, Vec<Diagnostic>> {
    declare_session_hook(event, None, HandlerSpec::None, HarnHookOptions::default(), Location::default())
}

fn messages(faults: Vec<Diagnostic>) -> Vec<String> {
    faults.into_iter().map(|error| format!("{}; {}", error.message, error.help.unwrap_or_default())).collect()
}

#[test]
fn session_events_have_both_spellings_and_one_alias() {
    for def in ROWS.iter().filter(|def| def.surface == HarnSurface::Session) {
        for spelled in [def.name.to_owned(), def.snake_name()] {
            let declared = declare_session(&spelled).unwrap();
            assert_eq!(
                (declared.event.as_str(), &*declared.event_alias),
                (def.canonical.name(), def.name),
                "{spelled}"
            );
        }
    }
    assert_eq!(declare_session("error").unwrap().event.as_str(), "session.error");
    assert_eq!(declare_session("user_prompt_submit").unwrap().event.as_str(), "prompt.submit");
}

#[test]
fn event_of_another_surface_is_rejected_naming_the_called_function() {
    let (none, options, location) = (|| HandlerSpec::None, HarnHookOptions::default, Location::default);
    let persona = declare_persona_hook("*", "SessionStart", none(), options(), location());
    let step = declare_step_hook("*", "audit", "SessionStart", none(), options(), location());
    for (refused, function) in [
        (persona, "register_persona_hook"),
        (step, "register_step_hook"),
        (declare_session("PreStep"), "register_session_hook"),
    ] {
        let told = messages(refused.unwrap_err());
        assert!(told[0].contains(&format!("is not an event of `{function}`; register it with `register_")), "{told:?}");
    }
}

#[test]
fn surface_rejects_foreign_events_and_names_the_right_function() {
    for def in ROWS {
        let persona = declare_persona_hook(
            "*",
            if def.name == "OnBudgetThreshold" { "OnBudgetThreshold(1)" } else { def.name },
            HandlerSpec::None,
            HarnHookOptions::default(),
            Location::default(),
        );
        assert_eq!(persona.is_ok(), def.surface == HarnSurface::Persona, "{}", def.name);
        assert_eq!(declare_session(def.name).is_ok(), def.surface == HarnSurface::Session, "{}", def.name);
        if def.surface == HarnSurface::Tool {
            let told = messages(declare_session(def.name).unwrap_err());
            assert!(told[0].contains("register it with `register_tool_hook`, under the key"), "{told:?}");
        }
    }
    for (name, nearest) in UNSUPPORTED {
        let told = messages(declare_session(name).unwrap_err());
        let wanted =
            format!("`{name}` is an event of Harn that Pintle does not fire; the nearest event is `{nearest}`");
        assert_eq!(told, [wanted]);
    }
}

#[test]
fn marks_of_budgets_are_numbers_above_zero() {
    let named = |event: &str| {
        declare_persona_hook("*", event, HandlerSpec::None, HarnHookOptions::default(), Location::default())
    };
    for (written, mark) in
        [("OnBudgetThreshold(80)", 80.0), ("OnBudgetThreshold( 0.5 )", 0.5), ("OnBudgetThreshold(250)", 250.0)]
    {
        let Some(MatcherSpec::Compiled(matcher)) = named(written).unwrap().matcher else { panic!() };
        assert_eq!(matcher.threshold_percent(), Some(mark), "{written}");
    }
    for bad in [
        "OnBudgetThreshold",
        "OnBudgetThreshold()",
        "OnBudgetThreshold(0)",
        "OnBudgetThreshold(-3)",
        "OnBudgetThreshold(abc)",
        "OnBudgetThreshold(inf)",
        "OnBudgetThreshold(80",
    ] {
        assert!(named(bad).is_err(), "{bad}");
    }
}

#[test]
fn empty_tool_hook_is_an_error_and_a_bad_pattern_is_reported_once() {
    assert_eq!(
        messages(declare_tool_hooks(spec("exec_*")).unwrap_err()),
        ["the tool hook does nothing; give it `deny`, `max_output`, `pre` or `post`"]
    );
    let both = ToolHookSpec { deny: Some(String::from("x")), max_output: Some(1), ..spec("[a") };
    assert_eq!(declare_tool_hooks(both).unwrap_err().len(), 1);
}

#[test]
fn hooks_of_a_program_are_named_by_their_function_or_as_their_author_says() {
    let hook = |name: Option<&str>| {
        let options = HarnHookOptions {
            name: name.map(str::to_owned),
            mode: EnforcementMode::Shadow,
            on_error: Some(FailurePolicy::Open),
            ..HarnHookOptions::default()
        };
        declare_tool_hooks(ToolHookSpec { deny: Some(String::from("no")), options, ..spec("exec_*") })
            .unwrap()
            .remove(0)
    };
    assert_eq!(hook(None).name, "register_tool_hook exec_* deny");
    let named = hook(Some("gate"));
    assert_eq!(
        (named.name.as_str(), named.mode, named.on_error),
        ("gate", EnforcementMode::Shadow, Some(FailurePolicy::Open))
    );
}

/// Calls a native handler.
fn call_handler(declaration: &HookDeclaration, payload: Value) -> VerdictKind {
    let HandlerSpec::Native(handler) = &declaration.handler else { panic!() };
    let event = plain_event(declaration.event.as_str(), payload);
    let hook = pintle_testkit::hook(&declaration.name, declaration.event.clone(), Arc::clone(handler));
    let (limits, cancel) = (CallLimits::default(), CancelToken::default());
    let call = HookCall {
        dispatch: DispatchId(1),
        id: CallId(0),
        depth: 0,
        hook: &hook,
        layer: Layer::Project,
        event: &event,
        limits: &limits,
        effects: &NoEffects,
        cancel: &cancel,
    };
    handler.call(&call).kind
}

#[test]
fn deny_refuses_with_its_reason_and_max_output_cuts_below_two_hundred_too() {
    let table = ToolHookSpec { deny: Some(String::from("exec is gated")), max_output: Some(100), ..spec("*") };
    let [deny, cut] = declare_tool_hooks(table).unwrap().try_into().unwrap();
    assert_eq!(
        call_handler(&deny, json!({"name": "exec_root"})),
        VerdictKind::Deny { reason: String::from("exec is gated") }
    );
    assert_eq!(call_handler(&cut, json!({"content": "x".repeat(100)})), VerdictKind::Pass);
    let VerdictKind::Rewrite(pintle_contract::Rewrite::Fields(fields)) =
        call_handler(&cut, json!({"content": "x".repeat(1000)}))
    else {
        panic!()
    };
    let content = fields["content"].as_str().unwrap();
    assert!(content.len() <= 100 && content.contains(" bytes cut ..."), "{content}");
    assert_eq!(fields.len(), 1);
}

#[test]
fn every_row_leads_to_the_catalogue_and_hooks_fail_as_their_veto_says() {
    for def in ROWS {
        let known = def.canonical.def();
        let policy = if def.veto { FailurePolicy::Closed } else { FailurePolicy::Open };
        assert_eq!(def.on_failure(), policy, "{}", def.name);
        assert!(def.paths().contains(&String::from("session.id")), "{}", def.name);
        // Definitions that are indexed use the catalogue's subject.
        assert!(!def.indexed || known.subject.is_some(), "{}", def.name);
    }
}
