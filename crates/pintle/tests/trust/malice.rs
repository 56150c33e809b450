//! A project cannot influence whether it is trusted.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use pintle::loader::{TrustGrant, TrustOptions, TrustState, TrustStore};
use pintle::{Decision, Runtime};

use crate::fixture::TrustFixture;

#[test]
fn a_project_cannot_bring_the_agreement_along() {
    let stage = TrustFixture::new();
    let consent = stage.consent();
    let trust = TrustOptions { store_path: Some(stage.path(".state/trust.json")), ..stage.trust() };
    TrustStore::grant(&trust, consent.folder(), TrustGrant::new(&consent.manifest, 1)).unwrap();
    let built = Runtime::builder().layers(stage.layers()).trust(trust).build();
    let consent = built.projects.first().unwrap();
    assert_eq!(consent.state, TrustState::New);
    let fault = consent.error.as_ref().unwrap();
    assert!(fault.message.starts_with("the trust file is inside the project"), "{fault}");
    assert!(consent.user_notice().unwrap().contains("is inside the project"));
}

#[test]
fn settings_in_the_project_do_not_say_what_becomes_of_its_guards() {
    let stage = TrustFixture::new_trusted();
    for file in ["config.yaml", ".config/pintle/config.yaml", ".harness/config.yaml"] {
        stage.write(file, "untrusted_guards: skip\n");
    }
    stage.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n");
    assert_eq!(stage.call_shell().decision, Decision::Deny);
}

#[test]
fn the_persons_settings_do() {
    let stage = TrustFixture::new_trusted();
    stage.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n");
    stage.write("../own/config.yaml", "untrusted_guards: skip\n");
    assert_eq!(stage.call_shell().decision, Decision::Allow);
    let stage = TrustFixture::new();
    stage.write("../own/config.yaml", "untrusted_guards: deny\n");
    assert_eq!(stage.call_shell().decision, Decision::Deny);
}

#[test]
fn a_folder_below_cannot_hide_what_was_agreed_to_above() {
    let stage = TrustFixture::new_trusted();
    stage.write(
        "below/.harness/hooks/free.md",
        "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n",
    );
    let layers = pintle::loader::LayerDirs { cwd: stage.path("below"), ..stage.layers() };
    let built = stage.build_with_layers(layers);
    let folders: Vec<_> =
        built.projects.iter().map(|project| project.folder().file_name().unwrap().to_owned()).collect();
    assert_eq!(folders, ["project", "below"]);
    let call = serde_json::json!({"name": "shell", "args": {}, "arguments": "{}", "id": "1"});
    assert_eq!(built.runtime.fire(&stage.build_event("tool.pre", call)).decision, Decision::Deny);
}

#[test]
fn a_broken_file_of_agreements_agrees_to_nothing_and_is_kept() {
    for (text, said) in [
        ("{", "is not a valid trust file: EOF"),
        ("[]", "is not a valid trust file: invalid"),
        ("{\"version\": 2, \"projects\": {}}", "it has version 2"),
        ("\u{0}", "is not a valid trust file: expected value"),
    ] {
        let stage = TrustFixture::new_trusted();
        fs::write(stage.store_path(), text).unwrap();
        let consent = stage.consent();
        assert_eq!(consent.state, TrustState::New, "{text}");
        let fault = consent.error.as_ref().unwrap();
        assert!(fault.is_broken && fault.message.contains(said), "{fault}");
        let refused =
            TrustStore::grant(&stage.trust(), consent.folder(), TrustGrant::new(&consent.manifest, 1)).unwrap_err();
        assert_eq!(&refused, fault);
        assert_eq!(fs::read_to_string(stage.store_path()).unwrap(), text, "nothing is lost");
        let aside = TrustStore::quarantine(&stage.trust()).unwrap().unwrap();
        assert_eq!(fs::read_to_string(&aside).unwrap(), text);
        stage.grant_trust();
    }
}

#[test]
fn a_file_of_agreements_that_others_can_write_agrees_to_nothing() {
    let stage = TrustFixture::new_trusted();
    let mode = fs::metadata(stage.store_path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    fs::set_permissions(stage.store_path(), fs::Permissions::from_mode(0o622)).unwrap();
    let consent = stage.consent();
    assert_eq!(consent.state, TrustState::New);
    assert!(consent.error.unwrap().message.starts_with("other users can write to the trust file"));
}

#[test]
fn agreements_to_several_projects_stand_beside_each_other() {
    let (one, other) = (TrustFixture::new(), TrustFixture::new());
    let trust = TrustOptions { store_path: Some(one.store_path()), ..TrustOptions::default() };
    for stage in [&one, &other] {
        let consent = stage.consent();
        TrustStore::grant(&trust, consent.folder(), TrustGrant::new(&consent.manifest, 1)).unwrap();
    }
    assert_eq!(TrustStore::open(&trust).unwrap().grants().count(), 2);
    assert_eq!(one.trust_state(), TrustState::Trusted);
    assert_eq!(other.trust_state(), TrustState::New, "it has a person of its own");
}
