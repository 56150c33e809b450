//! What the interceptors of a host decide, and that nothing which goes wrong permits.

use std::sync::Arc;

use pintle_contract::event::{EventPayload, ToolPost, ToolPre, TurnEnd};
use pintle_contract::{Event, Origin, Profile, VerdictKind};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

/// Interceptors that return these values, one each, and an approver that returns the last.
#[derive(Debug)]
struct ScriptedHost {
    returned: Vec<Result<Value, HostError>>,
    resolution: Option<Value>,
}

impl InterceptorHost for ScriptedHost {
    fn intercept(&self, binding: usize, _: &Map<String, Value>, _: Option<u64>) -> Result<Value, HostFault> {
        self.returned[binding].clone().map_err(|error| HostFault::new(error, "failed"))
    }

    fn resolve(&self, request: Value, _: Option<u64>) -> Result<Value, String> {
        let mut resolution = self.resolution.clone().ok_or("no approver")?;
        if let Some(fields) = resolution.as_object_mut() {
            fields.entry("context_identity").or_insert(request["context_identity"].clone());
        }
        Ok(resolution)
    }

    fn redact(&self, _: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        Err(String::from("cannot redact"))
    }

    fn identify(&self, _: &str, _: &Map<String, Value>) -> Result<String, String> {
        Err(String::from("no identity"))
    }
}

fn facts() -> ContextFacts {
    ContextFacts { framework: String::from("pintle"), tools: Vec::new() }
}

fn event<P: EventPayload>(payload: &P) -> Event {
    let origin = Origin { session: String::from("s"), agent: String::from("a"), ..Origin::default() };
    Event::from_payload(payload, Arc::new(origin))
}

fn call() -> Event {
    event(&ToolPre {
        id: String::from("1"),
        name: String::from("pay"),
        args: json!({"sum": 1, "to": "x"}),
        ..ToolPre::default()
    })
}

fn settings(rule: CompositionRule, count: usize, has_resolver: bool) -> EmitterSettings {
    EmitterSettings {
        rule,
        identity_provider: Some(JCS_SHA256.to_owned()),
        has_resolver,
        bindings: vec![InterceptorBinding::default(); count],
        ..EmitterSettings::default()
    }
}

fn intercept(settings: &EmitterSettings, host: &ScriptedHost, event: &Event) -> (VerdictKind, Value) {
    let (verdict, record) = intercept_event(settings, host, &facts(), event, || (3, 1_767_225_600_000));
    (verdict.kind, record.unwrap_or_default())
}

/// The verdict about a call of a host whose interceptors return these values.
fn judge(returned: &[Value], resolution: Option<Value>) -> (VerdictKind, Value) {
    let host = ScriptedHost { returned: returned.iter().cloned().map(Ok).collect(), resolution };
    intercept(&settings(CompositionRule::default(), returned.len(), host.resolution.is_some()), &host, &call())
}

fn is_denied(verdict: &VerdictKind) -> bool {
    matches!(verdict, VerdictKind::Deny { .. } | VerdictKind::Failed(_))
}

#[test]
fn identities_are_those_of_the_contract() {
    for line in include_str!("golden.jsonl").lines() {
        let golden: Value = serde_json::from_str(line).unwrap();
        let found = identify_context(golden["context"].as_object().unwrap());
        match golden.get("identity") {
            Some(identity) => assert_eq!(found.as_deref(), Ok(identity.as_str().unwrap()), "{line}"),
            None => assert_eq!(found.unwrap_err().error.reason(), golden["error"], "{line}"),
        }
    }
}

/// The contract's own implementation reads the last one inexactly, as `…408`.
#[test]
fn numbers_are_written_as_rfc_8785_says() {
    for (number, written) in [
        (1.0, "1"),
        (-0.0, "0"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (123_456_789_012_345_678_901.0, "123456789012345680000"),
        (0.000_001, "0.000001"),
        (1e-7, "1e-7"),
        (5e-324, "5e-324"),
        (-1.5e-10, "-1.5e-10"),
        (9_007_199_254_740_993.0, "9007199254740992"),
        (0.962_693_730_423_040_7, "0.9626937304230407"),
    ] {
        assert_eq!(canonical_json(&json!(number)).as_deref(), Ok(written));
    }
    for number in ["9007199254740992", "-9007199254740992"] {
        assert!(canonical_json(&serde_json::from_str(number).unwrap()).is_err(), "{number}");
    }
    let deep = (0..130).fold(json!(1), |inner, _| json!([inner]));
    assert!(canonical_json(&deep).is_err());
}

#[test]
fn whatever_is_not_a_permit_denies() {
    let long = "x".repeat(10_240);
    for returned in [
        json!(null),
        json!("allow"),
        json!(["allow"]),
        json!({}),
        json!({"decision": "warn"}),
        json!({"decision": "ALLOW"}),
        json!({"decision": "allow", "unknown": 1}),
        json!({"decision": "allow", "approval": {}}),
        json!({"decision": "allow", "reason": "host_error:x"}),
        json!({"decision": "allow", "reason": 1}),
        json!({"decision": "allow", "warnings": [["a"]]}),
        json!({"decision": "allow", "warnings": [{"reason": "host_error:x"}]}),
        json!({"decision": "allow", "transform": {"path": "$target.sum", "value": 2}}),
        json!({"decision": "allow", "evidence": {"artefact": long}}),
        json!({"decision": "transform"}),
        json!({"decision": "transform", "transform": ["$target.sum", 2]}),
        json!({"decision": "transform", "transform": {"path": "$other.sum", "value": 2}}),
        json!({"decision": "transform", "transform": {"path": "$targets.sum", "value": 2}}),
        json!({"decision": "transform", "transform": {"path": "$target.", "value": 2}}),
        json!({"decision": "transform", "transform": {"path": "$target[\"sum\"", "value": 2}}),
        json!({"decision": "transform", "transform": {"path": "$target.none", "value": 2}}),
        json!({"decision": "transform", "transform": {"path": "$target.to[0]", "value": 2}}),
        json!({"decision": "transform", "transform": {"path": "$target", "value": "no arguments"}}),
        json!({"decision": "transform", "transform": {"path": "$target.sum", "value": 9_007_199_254_740_993_u64}}),
        json!({"decision": "deny"}),
    ] {
        let (verdict, record) = judge(std::slice::from_ref(&returned), None);
        assert!(is_denied(&verdict), "{returned}: {verdict:?} {record}");
    }
    let (verdict, record) = judge(&[], None);
    assert!(is_denied(&verdict));
    assert_eq!(record["verdict"]["reason"], "host_error:no_interceptor");
    for error in [HostError::InterceptorFailed, HostError::InterceptorTimeout] {
        let host = ScriptedHost { returned: vec![Err(error)], resolution: None };
        let (verdict, record) = intercept(&settings(CompositionRule::default(), 1, false), &host, &call());
        assert!(is_denied(&verdict));
        assert_eq!(record["verdict"]["reason"], error.reason());
    }
}

#[test]
fn a_provider_or_redactor_that_fails_denies() {
    let allows = || vec![Ok(json!({"decision": "allow"}))];
    let host = ScriptedHost { returned: allows(), resolution: None };
    let provider = Some(String::from("own"));
    let unidentified =
        EmitterSettings { identity_provider: provider, ..settings(CompositionRule::default(), 1, false) };
    assert!(is_denied(&intercept(&unidentified, &host, &call()).0));
    let permit = json!({"outcome": "approve", "verdict": {"decision": "allow"}});
    let host =
        ScriptedHost { returned: vec![Ok(json!({"decision": "deny", "approval": {}}))], resolution: Some(permit) };
    let redacted = EmitterSettings { has_redactor: true, ..settings(CompositionRule::default(), 1, true) };
    let (verdict, record) = intercept(&redacted, &host, &call());
    assert!(is_denied(&verdict));
    assert_eq!(record["verdict"]["reason"], "host_error:approval_resolver_failed");
}

#[test]
fn only_an_approval_of_this_context_lifts_a_deny() {
    let asks = json!({"decision": "deny", "reason": "why", "approval": {"ticket": "secret"}});
    let permit = json!({"decision": "allow"});
    for (resolution, lifts) in [
        (json!({"outcome": "approve", "verdict": permit}), true),
        (json!({"outcome": "approve", "verdict": permit, "context_identity": "sha256:0"}), false),
        (json!({"outcome": "approve", "verdict": permit, "context_identity": null}), false),
        (json!({"outcome": "approve"}), false),
        (json!({"outcome": "approve", "verdict": {"decision": "deny"}}), false),
        (
            json!({"outcome": "approve", "verdict": {"decision": "transform", "transform": {"path": "$target.none"}}}),
            false,
        ),
        (json!({"outcome": "reject", "verdict": permit}), false),
        (json!({"outcome": "reject", "verdict": {"decision": "deny"}}), false),
        (json!({"outcome": "unresolved", "verdict": permit}), false),
        (json!({"outcome": "later", "verdict": permit}), false),
        (json!("approve"), false),
    ] {
        let (verdict, record) = judge(std::slice::from_ref(&asks), Some(resolution.clone()));
        assert_eq!(!is_denied(&verdict), lifts, "{resolution}: {verdict:?}");
        assert!(!record.to_string().contains("secret"), "{record}");
    }
    assert!(is_denied(&judge(&[asks], None).0));
    let plain = json!({"decision": "deny"});
    assert!(is_denied(&judge(&[plain], Some(json!({"outcome": "approve", "verdict": permit}))).0));
}

#[test]
fn a_change_is_made_and_its_value_is_not_recorded() {
    let change = json!({"decision": "transform", "transform": {"path": "$target.to", "value": "secret"}});
    let (verdict, record) = judge(&[change, json!({"decision": "allow"})], None);
    let VerdictKind::Rewrite(pintle_contract::Rewrite::Fields(fields)) = verdict else { panic!("{verdict:?}") };
    assert_eq!(Value::Object(fields), json!({"args": {"sum": 1, "to": "secret"}}));
    assert!(!record.to_string().contains("secret"), "{record}");
    assert_ne!(record["input_identity"], record["enforced_identity"]);
    assert_eq!(record["decided_by"], 0);
    assert_eq!(record["sequence"], 3);
    assert_eq!(record["timestamp"], "2026-01-01T00:00:00.000Z");
}

#[test]
fn what_is_only_evaluated_changes_nothing() {
    for returned in
        [json!({"decision": "deny"}), json!({"decision": "transform", "transform": {"path": "$target.sum"}})]
    {
        let host = ScriptedHost { returned: vec![Ok(returned)], resolution: None };
        let evaluated = EmitterSettings { evaluates_only: true, ..settings(CompositionRule::default(), 1, false) };
        let (verdict, record) = intercept(&evaluated, &host, &call());
        assert_eq!(verdict, VerdictKind::Pass);
        assert_eq!(record["mode"], "evaluate_only");
    }
}

#[test]
fn there_is_nothing_to_ask_about_what_did_not_happen() {
    let host = ScriptedHost { returned: vec![Ok(json!({"decision": "deny"}))], resolution: None };
    let asked = settings(CompositionRule::default(), 1, false);
    let refused = event(&ToolPost { executed: Some(false), ..ToolPost::default() });
    let failed = event(&TurnEnd { error: Some(String::from("no")), ..TurnEnd::default() });
    for event in [refused, failed] {
        assert_eq!(intercept(&asked, &host, &event), (VerdictKind::Pass, Value::Null));
    }
    let [ran, answered] = [event(&ToolPost::default()), event(&TurnEnd::default())];
    for event in [ran, answered] {
        assert!(is_denied(&intercept(&asked, &host, &event).0));
    }
}

#[test]
fn a_context_is_read_as_the_event_that_it_was_built_from() {
    use pintle_contract::event::{CompletionPost, CompletionPre, PromptSubmit};
    let choice = json!({"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": "paying",
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "pay", "arguments": "{\"sum\":1}"}}]}});
    let reply: CompletionPost = serde_json::from_value(json!({"model": "m", "choices": [choice]})).unwrap();
    let request: CompletionPre =
        serde_json::from_value(json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]})).unwrap();
    let result =
        json!({"call_id": "1", "name": "pay", "args": {"sum": 1}, "content": "{\"paid\":1}", "result": {"paid": 1}});
    for event in [
        event(&PromptSubmit { prompt: String::from("hi"), ..PromptSubmit::default() }),
        event(&request),
        event(&reply),
        call(),
        event(&serde_json::from_value::<ToolPost>(result).unwrap()),
        event(&TurnEnd { text: String::from("done"), ..TurnEnd::default() }),
    ] {
        let point = point_of(&event).unwrap();
        let context = build_context(&event, point, &facts(), (0, 0));
        let (read, payload) = read_context(&context).unwrap();
        assert_eq!(read, point);
        for (name, value) in payload.as_object().unwrap().iter().filter(|(name, _)| *name != "tools") {
            assert_eq!(event.payload.field(name), Some(value), "{} {name}", event.name);
        }
        let target = &context["target"];
        assert_eq!(&target_of_payload(point, event.payload.value()), target);
        assert!(rewrite_target(&event, point, target).is_ok(), "{}", event.name);
    }
}

#[test]
fn a_declaration_is_refused_by_its_first_step_that_fails() {
    let host: HostRegistration = serde_json::from_value(json!({
        "surface": {
            "interception_points": InterceptionPoint::ALL.map(InterceptionPoint::name),
            "capabilities": ["model_calls", "tool_calls", "host_declaration"],
            "profiles": {"sequential/first_deny": {"on_approval": ["stop"]}, "parallel/unanimous": {"on_disagreement": ["deny"]}},
            "tool_seam_host_error": "continue",
            "declaration_versions": [DECLARATION_VERSION],
        },
        "kinds": ["own.kind"],
    }))
    .unwrap();
    let with = |changes: Value| {
        let mut document = json!({"declaration": DECLARATION_VERSION, "bindings": [{"id": "a", "kind": "own.kind"}]});
        document.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        resolve_declaration(&document, &host)
    };
    let declared = with(json!({})).unwrap();
    assert_eq!(declared.settings.bindings[0].points.as_deref(), Some(&InterceptionPoint::ALL[..]));
    assert_eq!(declared.settings.bindings[0].timeout_ms, Some(5_000));
    assert_eq!(declared.settings.declaration.as_deref(), Some(DECLARATION_VERSION));
    let deep = (0..33).fold(json!(1), |inner, _| json!([inner]));
    for (changes, class) in [
        (json!({"extensions": {"a": deep}}), RefusalClass::Malformed),
        (json!({"declaration": "agent-hooks-declaration/1.1", "unknown": 1}), RefusalClass::VersionUnsupported),
        (json!({"spec": "agent-hooks/1.0", "unknown": 1}), RefusalClass::SpecUnsupported),
        (json!({"unknown": 1, "id": 1}), RefusalClass::UnknownField),
        (json!({"configuration": {"mode": "audit"}}), RefusalClass::InvalidField),
        (
            json!({"bindings": [{"id": "a", "kind": "own.kind", "config": 9_007_199_254_740_993_u64}]}),
            RefusalClass::InvalidField,
        ),
        (json!({"configuration": {"composition": {"profile": "parallel/merge"}}}), RefusalClass::InvalidField),
        (
            json!({"bindings": [{"id": "a", "kind": "own.kind"}, {"id": "a", "kind": "own.kind"}]}),
            RefusalClass::Inconsistent,
        ),
        (json!({"configuration": {"composition": {"on_disagreement": "deny"}}}), RefusalClass::Inconsistent),
        (json!({"configuration": {"composition": {"on_approval": "resume"}}}), RefusalClass::SurfaceUnsupported),
        (
            json!({"configuration": {"posture": {"tool_seam_host_error": "terminate"}}}),
            RefusalClass::SurfaceUnsupported,
        ),
        (json!({"configuration": {"approval": {"resolver": "x"}}}), RefusalClass::ReferenceUnresolved),
        (json!({"bindings": [{"id": "a", "kind": "other.kind"}]}), RefusalClass::KindUnknown),
    ] {
        assert_eq!(with(changes.clone()).unwrap_err().class, class, "{changes}");
    }
}

fn any_verdict() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"decision": "allow"})),
        Just(json!({"decision": "deny"})),
        Just(json!({"decision": "deny", "approval": {}})),
        Just(json!({"decision": "transform", "transform": {"path": "$target.sum", "value": 2}})),
        Just(json!({"decision": "transform", "transform": {"path": "$target.none", "value": 2}})),
        Just(json!("fails")),
    ]
}

fn any_rule() -> impl Strategy<Value = CompositionRule> {
    let profiles = [
        Profile::SequentialFirstDeny,
        Profile::SequentialRunAll,
        Profile::ParallelStrictest,
        Profile::ParallelUnanimous,
    ];
    (proptest::sample::select(profiles.to_vec()), any::<bool>())
        .prop_map(|(profile, is_lenient)| CompositionRule { profile, is_lenient })
}

proptest! {
    #[test]
    fn another_interceptor_never_permits_what_was_denied(
        rule in any_rule(),
        verdicts in proptest::collection::vec(any_verdict(), 1..5),
        added in any_verdict(),
        at in 0_usize..5,
    ) {
        let decide = |verdicts: &[Value]| {
            let host = ScriptedHost { returned: verdicts.iter().cloned().map(Ok).collect(), resolution: None };
            is_denied(&intercept(&settings(rule, verdicts.len(), false), &host, &call()).0)
        };
        let mut more = verdicts.clone();
        more.insert(at.min(verdicts.len()), added);
        prop_assert!(!decide(&verdicts) || decide(&more), "{:?} {:?} {:?}", rule, verdicts, more);
    }

    #[test]
    fn without_an_approver_every_deny_and_failure_denies(
        rule in any_rule(),
        verdicts in proptest::collection::vec(any_verdict(), 1..5),
    ) {
        let host = ScriptedHost { returned: verdicts.iter().cloned().map(Ok).collect(), resolution: None };
        let (verdict, _) = intercept(&settings(rule, verdicts.len(), false), &host, &call());
        let objects = |verdict: &Value| verdict["decision"] == "deny" || verdict == "fails";
        prop_assert!(!verdicts.iter().any(objects) || is_denied(&verdict));
    }
}
