//! Policy files that extend others: what is merged, what is refused, and where `pintle fetch` gets them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;

use sha2::{Digest, Sha256};

use crate::fixture::{CliFixture, snapshot};

const BASE: &str = "\
version: 1
requires: '>=0.1'
use: [git, shell]
rules:
  git.force-push: deny
  git.delete-remote: ask
  shell.delete-outside: {allow: [/mnt/scratch/**]}
deny:
  - run: npm publish
";
const OWN: &str = "\
rules:
  git.force-push: ask
  shell.delete-outside: {allow: [/mnt/builds/**]}
deny:
  - run: cargo publish
";

/// A file that does not load, and a part of what is said about it.
const FAULTS: &[(&str, &str)] = &[
    ("version: 2\nuse: [git]\n", "this Pintle reads policy files of version 1"),
    ("requires: newest\nuse: [git]\n", "`newest` is not a range of versions"),
    ("requires: '>=99'\nuse: [git]\n", "this policy is for Pintle >=99, and this is"),
    ("extends: ../other.yaml\n", "does not exist, or cannot be read"),
    ("extends: policy.yaml\nuse: [git]\n", "extends itself"),
    ("extends: round.yaml\nuse: [git]\n", "extends itself"),
    ("extends: /etc/passwd\n", "`/etc/passwd` is not the path of a policy file"),
    ("extends: https://policy.example/policy.yaml\n", "is not the path of a policy file"),
    ("extends: [7]\n", "extends[0] must be a mapping, not a number"),
    ("extends: [[a.yaml]]\n", "extends[0] must be a mapping, not a list"),
    ("extends: [{git: https://a.example/b}]\n", "extends[0] has no `revision`"),
    ("extends: [{git: https://a.example/b, revision: main}]\n", "`main` is not the whole hash of a commit"),
    ("extends: [{git: 'ext::sh -c id', revision: HASH}]\n", "is not the address of a repository"),
    ("extends: [{git: --upload-pack=id, revision: HASH}]\n", "is not the address of a repository"),
    ("extends: [{git: https://a.example/b, revision: HASH, path: ../x.yaml}]\n", "is not the path of a policy file"),
    ("extends: [{git: https://a.example/b, revison: HASH}]\n", "did you mean `revision`"),
    ("extends: [{git: https://a.example/b, revision: HASH}]\n", "run `pintle fetch`"),
    ("extends: [{oci: ghcr.io/a/b:latest}]\n", "is not an artifact with its digest"),
    (
        "extends: [{oci: 'a.example/b@sha256:HASH', git: https://a.example/b}]\n",
        "needs `git` with `revision`, or `oci`",
    ),
    ("extends: bad.yaml\nuse: [git]\n", "pack `shel`"),
];

const HASH: &str = "a123456789012345678901234567890123456789";

#[test]
fn what_cannot_be_extended_turns_nothing_on_and_is_said() {
    for (text, expected) in FAULTS {
        let fixture = CliFixture::new_empty()
            .with_file(".harness/policy.yaml", text.replace("HASH", HASH))
            .with_file(".harness/round.yaml", "extends: policy.yaml\n")
            .with_file(".harness/bad.yaml", "use: [shel]\n");
        let (out, err, status) = fixture.pintle(&["validate"]).run_to_parts();
        assert!(status == Some(3) && format!("{out}{err}").contains(expected), "{text}: {status:?} {out}{err}");
        let (out, err, status) = fixture.pintle(&["try", "ls"]).run_to_parts();
        assert!(status == Some(2) && out.contains("Pintle itself"), "{text}: {out}{err}");
    }
}

fn decision_of(fixture: &CliFixture, command: &str) -> String {
    let (out, err, _) = fixture.pintle(&["try", command, "--json"]).run_to_parts();
    let judged: serde_json::Value = serde_json::from_str(&out).unwrap_or_default();
    judged.get("decision").and_then(serde_json::Value::as_str).unwrap_or(&err).to_owned()
}

/// What the policy of [`OWN`] on top of [`BASE`] decides.
fn assert_merged(fixture: &CliFixture) {
    for (command, expected) in [
        ("git push --force", "ask"),
        ("git push origin --delete old", "ask"),
        ("npm publish", "deny"),
        ("cargo publish", "deny"),
        ("rm -rf /mnt/scratch/x /mnt/builds/y", "allow"),
        ("rm -rf /mnt/other", "ask"),
        ("ls", "allow"),
    ] {
        assert_eq!(decision_of(fixture, command), expected, "{command}");
    }
}

#[test]
fn a_file_adds_to_what_it_extends_and_its_rules_count() {
    let fixture = CliFixture::new_empty()
        .with_file("team/base.yaml", BASE)
        .with_file("team/all.yaml", "extends: [base.yaml, base.yaml]\n")
        .with_file(".harness/policy.yaml", format!("extends: [../team/all.yaml, ../team/base.yaml]\n{OWN}"));
    assert_merged(&fixture);
    snapshot!("extends_hooks", fixture.pintle(&["hooks"]).run_to_screen());
    snapshot!("extends_rules", fixture.pintle(&["rules"]).run_to_screen());
    // What is extended is read again whenever it changes, also by a hook that reads little.
    let payload = |session: &str, command: &str| {
        serde_json::json!({
            "session_id": session, "transcript_path": "", "cwd": fixture.path(""), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t",
        })
        .to_string()
    };
    let is_denied = |session: &str, command: &str| {
        let input = payload(session, command);
        let (out, ..) = fixture.pintle(&["hook", "claude", "PreToolUse"]).with_input(&input).run_to_parts();
        out.contains("\"deny\"")
    };
    assert!(is_denied("one", "npm publish") && is_denied("one", "npm publish") && !is_denied("one", "ls"));
    fs::write(fixture.path("team/base.yaml"), BASE.replace("npm publish", "yarn publish")).unwrap();
    assert!(!is_denied("two", "npm publish") && is_denied("two", "yarn publish"));
    assert!(is_denied("one", "npm publish"), "a guard that changed during a session denies");
    // A base is policy, too.
    assert!(is_denied("two", "echo > team/base.yaml"));
    fs::remove_file(fixture.path("team/base.yaml")).unwrap();
    assert!(is_denied("two", "ls") && is_denied("three", "ls"), "without a base, nothing is known to be guarded");
}

/// Each policy of the guide loads once what it extends is there.
#[test]
fn policies_of_the_guide_for_a_team_load() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/for-a-team.md")).unwrap();
    let blocks: Vec<&str> = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 2);
    let base = ".harness/fetched/git.example/acme/policy@5f1d3c0a9be2477d8c6e0b1a2f3e4d5c6b7a8f90/policy.yaml";
    for block in &blocks {
        let fixture = CliFixture::new_empty().with_file(".harness/policy.yaml", block).with_file(base, blocks[0]);
        let (out, err, status) = fixture.pintle(&["validate", "--deny-warnings"]).run_to_parts();
        assert_eq!(status, Some(0), "{block}{out}{err}");
        assert_eq!(decision_of(&fixture, "npm publish"), "deny", "{block}");
    }
}

fn git(dir: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(dir).args(["-c", "user.name=a", "-c", "user.email=a@b.example"]).args(arguments);
    let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_git_revision_is_fetched_once_and_compared_on_request() {
    let fixture = CliFixture::new_empty().with_file("team/rules/base.yaml", BASE);
    let team = fixture.path("team");
    git(&team, &["init", "--quiet", "."]);
    git(&team, &["add", "."]);
    git(&team, &["commit", "--quiet", "-m", "a policy"]);
    let revision = git(&team, &["rev-parse", "HEAD"]);
    // What is fetched stays what it was.
    fs::write(fixture.path("team/rules/base.yaml"), "use: [git]\n").unwrap();
    git(&team, &["commit", "--quiet", "-a", "-m", "another"]);
    let extends = |path: &str, revision: &str| {
        format!("extends: [{{git: 'file://{}', revision: '{revision}', path: {path}}}]\n{OWN}", team.display())
    };
    let put = |text: &str| {
        fs::create_dir_all(fixture.path(".harness")).unwrap();
        fs::write(fixture.path(".harness/policy.yaml"), text).unwrap();
    };
    let fetch = |arguments: &[&str]| fixture.pintle(&[&["fetch"], arguments].concat()).run_to_parts();
    put(&extends("rules/base.yaml", &revision));
    assert_eq!(fetch(&["--check"]).2, Some(1));
    let (out, err, status) = fetch(&[]);
    assert!(status == Some(0) && out.starts_with("fetched "), "{out}{err}");
    assert_merged(&fixture);
    assert!(fetch(&[]).0.starts_with("present "));
    assert!(fetch(&["--check"]).0.starts_with("same "));
    let fetched = fixture.path(&format!(".harness/fetched{}@{revision}/rules/base.yaml", team.display()));
    fs::write(&fetched, BASE.replace("npm publish", "nothing")).unwrap();
    let (out, _, status) = fetch(&["--check"]);
    assert!(status == Some(1) && out.starts_with("changed "), "{out}");
    for (path, revision, expected) in
        [("absent.yaml", revision.as_str(), "has no file `absent.yaml`"), ("rules/base.yaml", HASH, HASH)]
    {
        put(&extends(path, revision));
        let (out, err, status) = fetch(&[]);
        assert!(status != Some(0) && err.contains(expected), "{path}: {out}{err}");
    }
}

/// A registry that wants a token, and has these answers by path. It gives the token to this login only, if there is one.
fn start_registry(answers: BTreeMap<String, Vec<u8>>, login: Option<&'static str>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let registry = listener.local_addr().unwrap().to_string();
    let realm = format!("http://{registry}/token");
    let answers = Arc::new(answers);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines: Vec<String> = BufReader::new(stream.try_clone().unwrap())
                .lines()
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty())
                .collect();
            let path = lines.first().unwrap().split(' ').nth(1).unwrap().to_owned();
            let has_token = lines.iter().any(|line| line.eq_ignore_ascii_case("authorization: Bearer of-the-test"));
            let has_login = login.is_none_or(|login| {
                lines.iter().any(|line| line.eq_ignore_ascii_case(&format!("authorization: Basic {login}")))
            });
            let (status, head, body) = match answers.get(&path) {
                _ if path.starts_with("/token") && !has_login => ("401 Unauthorized", String::new(), b"{}".to_vec()),
                _ if path == "/token?scope=repository:acme/policy:pull&service=the-test" => {
                    ("200 OK", String::new(), b"{\"token\": \"of-the-test\"}".to_vec())
                }
                _ if !has_token => {
                    let head = format!("WWW-Authenticate: Bearer realm=\"{realm}\",service=\"the-test\"\r\n");
                    ("401 Unauthorized", head, Vec::new())
                }
                Some(body) => ("200 OK", String::new(), body.clone()),
                None => ("404 Not Found", String::new(), Vec::new()),
            };
            let head =
                format!("HTTP/1.1 {status}\r\n{head}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            stream.write_all(&[head.as_bytes(), &body].concat()).unwrap();
        }
    });
    registry
}

fn digest_of(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// The answers of a registry that has the base policy, and the digest of its artifact.
fn base_artifact() -> (BTreeMap<String, Vec<u8>>, String) {
    let blob = digest_of(BASE.as_bytes());
    let layer = serde_json::json!({"digest": blob, "annotations": {"org.opencontainers.image.title": "policy.yaml"}});
    let manifest = serde_json::json!({"schemaVersion": 2, "layers": [layer]}).to_string();
    let digest = digest_of(manifest.as_bytes());
    let at = |below: &str| format!("/v2/acme/policy/{below}");
    let forged = digest_of(b"another");
    let answers = BTreeMap::from([
        (at(&format!("manifests/{digest}")), manifest.clone().into_bytes()),
        (at(&format!("manifests/{forged}")), manifest.into_bytes()),
        (at(&format!("blobs/{blob}")), BASE.as_bytes().to_vec()),
    ]);
    (answers, digest)
}

fn put_artifact(fixture: &CliFixture, registry: &str, digest: &str, more: &str) {
    fs::create_dir_all(fixture.path(".harness")).unwrap();
    let text = format!("extends: [{{oci: '{registry}/acme/policy:1@{digest}'{more}}}]\n{OWN}");
    fs::write(fixture.path(".harness/policy.yaml"), text).unwrap();
}

#[test]
fn an_artifact_of_a_registry_is_what_its_digest_says() {
    let (answers, digest) = base_artifact();
    let forged = digest_of(b"another");
    let registry = start_registry(answers, None);
    let fixture = CliFixture::new_empty();
    let fetch = |digest: &str, more: &str| {
        put_artifact(&fixture, &registry, digest, more);
        fixture.pintle(&["fetch"]).run_to_parts()
    };
    let (out, err, status) = fetch(&digest, "");
    assert!(status == Some(0) && out.starts_with("fetched "), "{out}{err}");
    assert_merged(&fixture);
    for (digest, more, expected) in [
        (forged.as_str(), "", "has another digest than"),
        (&digest_of(b"absent"), "", "the registry answers 404"),
        (&digest, ", path: other.yaml", "name one of its files with `path`: policy.yaml"),
    ] {
        let (out, err, status) = fetch(digest, more);
        assert!(status == Some(3) && err.contains(expected), "{expected}: {out}{err}");
    }
}

/// The login of `docker login` is asked of the program that its settings name; one that fails is an error with what it says.
#[cfg(unix)]
#[test]
fn a_private_registry_gets_the_login_of_docker() {
    let (answers, digest) = base_artifact();
    // `ada:secret`.
    let registry = start_registry(answers, Some("YWRhOnNlY3JldA=="));
    let fixture = CliFixture::new_empty();
    put_artifact(&fixture, &registry, &digest, "");
    let helper = fixture.path("bin/docker-credential-fake");
    fs::create_dir_all(fixture.path("bin")).unwrap();
    let path = format!("{}:{}", fixture.path("bin").display(), std::env::var("PATH").unwrap());
    let home = fixture.path("home").display().to_string();
    let fetch = |config: &str, script: &str| {
        let _ = fs::remove_dir_all(fixture.path(".harness/fetched"));
        fs::create_dir_all(fixture.path("home/.docker")).unwrap();
        fs::write(fixture.path("home/.docker/config.json"), config.replace("REGISTRY", &registry)).unwrap();
        fs::write(&helper, script.replace("REGISTRY", &registry)).unwrap();
        pintle_testkit::make_executable(&helper);
        fixture.pintle(&["fetch"]).with_variable("HOME", &home).with_variable("PATH", &path).run_to_parts()
    };
    let knows = "#!/bin/sh\n[ \"$1\" = get ] && [ \"$(cat)\" = REGISTRY ] && echo '{\"Username\": \"ada\", \"Secret\": \"secret\"}'\n";
    let knows_none = "#!/bin/sh\necho credentials not found in native keychain\nexit 1\n";
    let locked = "#!/bin/sh\necho the keychain is locked\nexit 1\n";
    let of_registry = r#"{"credHelpers": {"REGISTRY": "fake"}}"#;
    let of_all = r#"{"credsStore": "fake"}"#;
    let in_file = r#"{"credsStore": "fake", "auths": {"REGISTRY": {"auth": "YWRhOnNlY3JldA=="}}}"#;
    for (config, script) in [(of_registry, knows), (of_all, knows), (in_file, knows_none)] {
        let (out, err, status) = fetch(config, script);
        assert!(status == Some(0) && out.starts_with("fetched "), "{config}: {out}{err}");
    }
    for (config, script, expected) in [
        ("{}", knows, "the registry refused the login"),
        (of_all, locked, "the keychain is locked"),
        (of_all, "#!/bin/sh\necho nonsense\n", "what `docker-credential-fake` prints"),
        (r#"{"credsStore": "absent"}"#, knows, "docker-credential-absent"),
    ] {
        let (out, err, status) = fetch(config, script);
        assert!(status == Some(3) && err.contains(expected), "{expected}: {out}{err}");
    }
}
