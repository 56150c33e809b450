//! What runs in each trust state.

use pintle_host::Decision;
use pintle_host::contract::{Capability, UntrustedGuardPolicy};
use pintle_host::loader::{TrustItemKind, TrustState, TrustStore};
use serde_json::json;

use crate::trust::fixture::TrustFixture;

#[test]
fn an_agreed_project_runs_whole() {
    let fixture = TrustFixture::new_trusted();
    let consent = fixture.consent();
    assert!(consent.untrusted_hooks.is_empty() && consent.user_notice().is_none());
    let outcome = fixture.call_shell();
    assert_eq!(outcome.decision, Decision::Deny);
    assert!(outcome.reason().contains("the guard says no"), "{}", outcome.reason());
    assert!(format!("{:?}", fixture.fire("session.start", json!({})).effects).contains("hello from the project"));
}

#[test]
fn in_a_new_project_runs_only_what_can_only_judge() {
    let fixture = TrustFixture::new();
    let consent = fixture.consent();
    assert_eq!(consent.state, TrustState::New);
    let withheld: Vec<_> =
        consent.untrusted_hooks.iter().map(|hook| (hook.hook.as_str(), hook.is_guard, hook.is_denied)).collect();
    assert_eq!(withheld, [("teller::tell", false, false), ("guard", true, false), ("hello", true, false)]);
    assert_eq!(fixture.call_shell().decision, Decision::Allow);
    assert!(fixture.fire("session.start", json!({})).effects.is_empty());
    assert_eq!(fixture.fire("prompt.submit", json!({"prompt": "a secret"})).decision, Decision::Deny);
    let dir = fixture.path("");
    let dir = dir.components().as_path().display();
    assert_eq!(
        consent.user_notice().unwrap(),
        format!(
            "you have not trusted the hooks of `{dir}` yet; not run: `teller::tell`, `guard`, `hello`; \
             review them with `pintle trust '{dir}'`"
        )
    );
}

#[test]
fn guards_that_nobody_agreed_to_deny_where_that_is_configured() {
    let mut fixture = TrustFixture::new();
    fixture.guards = Some(UntrustedGuardPolicy::Deny);
    let outcome = fixture.call_shell();
    assert_eq!(outcome.decision, Decision::Deny);
    assert!(
        outcome.reason().contains("hook `guard` of this project is not trusted; run `pintle trust` to review it"),
        "{}",
        outcome.reason()
    );
    let other = json!({"name": "read", "args": {}, "arguments": "{}", "id": "1"});
    assert_eq!(fixture.fire("tool.pre", other).decision, Decision::Allow, "its matcher still holds");
    fixture.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n");
    fixture.guards = Some(UntrustedGuardPolicy::Skip);
    assert_eq!(fixture.call_shell().decision, Decision::Allow);
}

#[test]
fn a_guard_that_changed_denies_until_somebody_agrees_again() {
    let mut fixture = TrustFixture::new_trusted();
    fixture.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n");
    let consent = fixture.consent();
    assert_eq!(consent.state, TrustState::Changed);
    let withheld: Vec<_> = consent.untrusted_hooks.iter().map(|hook| (hook.hook.as_str(), hook.is_denied)).collect();
    assert_eq!(withheld, [("guard", true)], "the others are as they were");
    assert_eq!(consent.difference.files_changed, ["hooks/guard.sh"]);
    let outcome = fixture.call_shell();
    assert_eq!(outcome.decision, Decision::Deny);
    let wanted = "hook `guard` changed after you trusted this project; run `pintle trust` to review it";
    assert!(outcome.reason().contains(wanted), "{}", outcome.reason());
    fixture.guards = Some(UntrustedGuardPolicy::Skip);
    assert_eq!(fixture.call_shell().decision, Decision::Allow);
    fixture.guards = None;
    fixture.grant_trust();
    assert_eq!(fixture.call_shell().decision, Decision::Allow, "the new guard allows, and somebody agreed to that");
}

#[test]
fn what_a_project_may_do_is_told_of_each_hook() {
    let consent = TrustFixture::new().consent();
    let claims: Vec<_> = consent
        .manifest
        .items
        .iter()
        // docker-agent also adds built-in hooks, which only return a decision.
        .filter(|claim| claim.kind == TrustItemKind::Hook && claim.name != "redact_secrets")
        .filter(|claim| claim.name != "limit_large_tool_results")
        .map(|claim| {
            (
                claim.name.as_str(),
                claim.event.as_deref().unwrap(),
                claim.is_guard,
                claim.capabilities.clone(),
                claim.files.join(" "),
            )
        })
        .collect();
    let command = |text: &str| vec![Capability::Command(text.to_owned())];
    let modules = "harn.toml policy.star src/extra.star teller.star";
    assert_eq!(
        claims,
        [
            ("policy::judge", "prompt.submit", true, vec![], modules.to_owned()),
            (
                "teller::tell",
                "session.end",
                false,
                vec![Capability::Host(String::from("the hosts that its agent allows"))],
                modules.to_owned()
            ),
            (
                "guard",
                "tool.pre",
                true,
                command(". ./hooks/lib.sh; exec ./hooks/guard.sh"),
                String::from("agent.yaml hooks/guard.sh hooks/lib.sh")
            ),
            (
                "hello",
                "session.start",
                true,
                command("cat words/hello.txt"),
                String::from("agent.yaml words/hello.txt")
            ),
        ]
    );
    assert!(!consent.manifest.files.contains_key("README.md"));
}

#[test]
fn a_project_that_can_only_judge_needs_nobody() {
    let fixture = TrustFixture::new();
    for file in ["agent.yaml", "harn.toml", "policy.star", "teller.star"] {
        std::fs::remove_file(fixture.path(file)).unwrap();
    }
    fixture.write(
        ".harness/hooks/guard.md",
        "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return block(\"see https://a.example\")\n---\n",
    );
    assert_eq!(fixture.trust_state(), TrustState::NotRequired);
    assert_eq!(fixture.call_shell().decision, Decision::Deny);
}

#[test]
fn an_agreement_can_be_taken_back() {
    let fixture = TrustFixture::new_trusted();
    assert!(TrustStore::revoke(&fixture.trust(), fixture.consent().folder()).unwrap());
    assert!(!TrustStore::revoke(&fixture.trust(), fixture.consent().folder()).unwrap());
    assert_eq!(fixture.trust_state(), TrustState::New);
}
