//! A project cannot influence whether it is trusted.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use pintle_host::loader::{TrustGrant, TrustOptions, TrustState, TrustStore};
use pintle_host::{Decision, Runtime};

use crate::trust::fixture::TrustFixture;

#[test]
fn a_project_cannot_bring_the_agreement_along() {
    let fixture = TrustFixture::new();
    let consent = fixture.consent();
    let trust = TrustOptions { store_path: Some(fixture.path(".state/trust.json")), ..fixture.trust() };
    TrustStore::grant(&trust, consent.folder(), TrustGrant::new(&consent.manifest, 1)).unwrap();
    let built = Runtime::builder().layers(fixture.layers()).trust(trust).load();
    let consent = built.projects.first().unwrap();
    assert_eq!(consent.state, TrustState::New);
    let error = consent.error.as_ref().unwrap();
    assert!(error.message.starts_with("the trust file is inside the project"), "{error}");
    assert!(consent.user_notice().unwrap().contains("is inside the project"));
}

#[test]
fn settings_in_the_project_do_not_say_what_becomes_of_its_guards() {
    let fixture = TrustFixture::new_trusted();
    for file in ["config.yaml", ".config/pintle/config.yaml", ".harness/config.yaml"] {
        fixture.write(file, "untrusted_guards: skip\n");
    }
    fixture.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n");
    assert_eq!(fixture.call_shell().decision, Decision::Deny);
}

#[test]
fn the_persons_settings_do() {
    let fixture = TrustFixture::new_trusted();
    fixture.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n");
    fixture.write("../own/config.yaml", "untrusted_guards: skip\n");
    assert_eq!(fixture.call_shell().decision, Decision::Allow);
    let fixture = TrustFixture::new();
    fixture.write("../own/config.yaml", "untrusted_guards: deny\n");
    assert_eq!(fixture.call_shell().decision, Decision::Deny);
}

#[test]
fn a_folder_below_cannot_hide_what_was_agreed_to_above() {
    let fixture = TrustFixture::new_trusted();
    fixture.write(
        "below/.harness/hooks/free.md",
        "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n",
    );
    let layers = pintle_host::loader::LayerDirs { cwd: fixture.path("below"), ..fixture.layers() };
    let built = fixture.build_with_layers(layers);
    let folders: Vec<_> =
        built.projects.iter().map(|project| project.folder().file_name().unwrap().to_owned()).collect();
    assert_eq!(folders, ["project", "below"]);
    let call = serde_json::json!({"name": "shell", "args": {}, "arguments": "{}", "id": "1"});
    assert_eq!(built.runtime.fire(&fixture.build_event("tool.pre", call)).decision, Decision::Deny);
}

#[test]
fn a_broken_file_of_agreements_agrees_to_nothing_and_is_kept() {
    for (text, said) in [
        ("{", "is not a valid trust file: EOF"),
        ("[]", "is not a valid trust file: invalid"),
        ("{\"version\": 3, \"projects\": {}}", "it has version 3, but this program supports only 2"),
        (
            "{\"version\": 1, \"projects\": {\"/p\": {\"agreed_at_ms\": 1, \"files\": {}, \"claims\": []}}}",
            "it has version 1",
        ),
        ("{\"version\": 2, \"projects\": {\"/p\": {\"agreed_at_ms\": 1}}}", "missing field `granted_at_ms`"),
        ("\u{0}", "is not a valid trust file: expected value"),
    ] {
        let fixture = TrustFixture::new_trusted();
        fs::write(fixture.store_path(), text).unwrap();
        let consent = fixture.consent();
        assert_eq!(consent.state, TrustState::New, "{text}");
        let error = consent.error.as_ref().unwrap();
        assert!(error.is_broken && error.message.contains(said), "{error}");
        let refused =
            TrustStore::grant(&fixture.trust(), consent.folder(), TrustGrant::new(&consent.manifest, 1)).unwrap_err();
        assert_eq!(&refused, error);
        assert_eq!(fs::read_to_string(fixture.store_path()).unwrap(), text, "nothing is lost");
        let aside = TrustStore::quarantine(&fixture.trust()).unwrap().unwrap();
        assert_eq!(fs::read_to_string(&aside).unwrap(), text);
        fixture.grant_trust();
    }
}

#[test]
fn a_file_of_agreements_that_others_can_write_agrees_to_nothing() {
    let fixture = TrustFixture::new_trusted();
    let mode = fs::metadata(fixture.store_path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    fs::set_permissions(fixture.store_path(), fs::Permissions::from_mode(0o622)).unwrap();
    let consent = fixture.consent();
    assert_eq!(consent.state, TrustState::New);
    assert!(consent.error.unwrap().message.starts_with("other users can write to the trust file"));
}

#[test]
fn agreements_to_several_projects_stand_beside_each_other() {
    let (one, other) = (TrustFixture::new(), TrustFixture::new());
    let trust = TrustOptions { store_path: Some(one.store_path()), ..TrustOptions::default() };
    for fixture in [&one, &other] {
        let consent = fixture.consent();
        TrustStore::grant(&trust, consent.folder(), TrustGrant::new(&consent.manifest, 1)).unwrap();
    }
    assert_eq!(TrustStore::open(&trust).unwrap().grants().count(), 2);
    assert_eq!(one.trust_state(), TrustState::Trusted);
    assert_eq!(other.trust_state(), TrustState::New, "it has a person of its own");
}
