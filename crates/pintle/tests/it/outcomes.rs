//! Outcomes, approvals and tapes.

use std::sync::Mutex;

use pintle::events::{ToolPost, ToolPre, ToolResult};
use pintle::{
    ApprovalRequest, ApprovalResponse, Approver, Decision, Event, Hook, HookCall, Origin, Runtime, Tape, ToolCall,
    Verdict,
};
use serde_json::json;

#[derive(Debug)]
struct FixedApprover(ApprovalResponse, Mutex<Vec<String>>);

impl Approver for FixedApprover {
    fn request_approval(&self, request: &ApprovalRequest<'_>) -> ApprovalResponse {
        let reasons: Vec<String> = request.reasons().map(|(hook, why)| format!("{hook}: {why}")).collect();
        let shown = format!("{} {:?} {} {reasons:?}", request.event(), request.subject(), request.payload()["args"]);
        self.1.lock().unwrap().push(shown);
        self.0.clone()
    }
}

fn deploy() -> ToolCall {
    ToolCall::new("1", "deploy", json!({"to": "production"}))
}

#[test]
fn an_ask_runs_only_if_the_approver_says_so() {
    let asks = || Runtime::builder().hook(Hook::on::<ToolPre>(|_| Verdict::ask("sure?")).named("careful"));
    assert!(asks().build().unwrap().decide_tool_call(deploy()).is_err(), "without an approver");
    let event = || Event::new::<ToolPre>(json!({"id": "1", "name": "deploy", "args": {}})).unwrap();
    for (response, runs, decision) in [
        (ApprovalResponse::approved("ada"), true, Decision::Allow),
        (ApprovalResponse::refused("ada"), false, Decision::Deny),
        (ApprovalResponse::unavailable(), false, Decision::Deny),
        (ApprovalResponse::deferred(), false, Decision::Ask),
    ] {
        let runtime = asks().approver(FixedApprover(response.clone(), Mutex::default())).build().unwrap();
        assert_eq!(runtime.decide_tool_call(deploy()).is_ok(), runs, "{response:?}");
        let outcome = runtime.fire(&event());
        assert_eq!(outcome.decision(), decision, "{response:?}");
        assert_eq!(outcome.approved_by(), runs.then_some("ada"));
    }
}

#[test]
fn a_result_that_a_hook_withholds_does_not_reach_the_model() {
    let runtime = Runtime::builder()
        .on::<ToolResult>(|call| call.text("content")?.contains("key").then(|| Verdict::deny("it has a key")))
        .on::<ToolPost>(|call| (call.text("content")? == "long").then(|| Verdict::rewrite(json!({"content": "short"}))))
        .build()
        .unwrap();
    let conclude = |content: &str| runtime.conclude_tool_call(&deploy(), deploy().result(content));
    assert_eq!(conclude("fine").content(), "fine");
    assert!(!conclude("my key").content().contains("my key"));
    assert_eq!(conclude("long").content(), "short");
    let failed = runtime.conclude_tool_call(&deploy(), deploy().error("it broke"));
    assert!(failed.is_error() && failed.content() == "it broke");
}

#[test]
fn a_tape_replays_and_one_that_was_changed_is_found() {
    let tape = Tape::in_memory("s1");
    let builder = Runtime::builder().tape(&tape).redact_secrets(true);
    let runtime = builder.on::<ToolPre>(|_| Verdict::deny("not this")).build().unwrap();
    let life = runtime.life(&Origin::session("s1").turn(1));
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    assert!(life.decide_tool_call(ToolCall::new("1", "shell", json!({"command": secret}))).is_err());
    assert!(!runtime.redact(&format!("token {secret}")).contains(secret));
    let bytes = tape.to_bytes();
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(text.contains("not this") && !text.contains(secret), "{text}");
    assert_eq!(Tape::replay(&bytes), Ok(()));
    assert_eq!(Tape::verify(&bytes), Ok(()));
    let changed = text.replace("\"deny\"", "\"allow\"").into_bytes();
    assert_ne!(changed, bytes);
    assert!(Tape::verify(&changed).is_err() || Tape::replay(&changed).is_err());
    assert!(Tape::replay(b"no tape").is_err() && Tape::verify(b"no tape").is_err());
    assert!(tape.close().is_some() && tape.close().is_some());
}

#[test]
fn what_cannot_be_recorded_does_not_happen() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tape.jsonl");
    let tape = Tape::create(&file, "s1").unwrap();
    assert!(Tape::create(&file, "s1").is_err(), "a tape is never written over");
    let runtime = Runtime::builder().tape(&tape).build().unwrap();
    assert!(runtime.decide_tool_call(deploy()).is_ok() && tape.error().is_none());
    std::fs::remove_file(&file).unwrap();
    assert!(runtime.decide_tool_call(deploy()).is_err());
    assert!(tape.error().is_some());
}

#[test]
fn an_event_that_does_not_say_what_it_guards_is_denied_or_not_built() {
    let runtime = Runtime::builder().build().unwrap();
    for payload in [json!({"nmae": "shell"}), json!({"name": 3}), json!(null), json!([])] {
        match Event::new::<ToolPre>(payload.clone()) {
            Ok(event) => assert!(!runtime.fire(&event).is_allowed(), "{payload}"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!(runtime.decide_tool_call(ToolCall::new("1", "", json!({}))).is_err());
    assert!(runtime.decide_tool_call(ToolCall::new("1", "shell", json!("ls"))).is_err());
}

#[test]
fn a_call_without_a_directory_is_judged_in_that_of_the_program() {
    let runtime = Runtime::builder().packs(["shell"]).build().unwrap();
    let here = std::env::current_dir().unwrap().display().to_string();
    let decide = |command: &str, origin: &Origin, cwd: Option<&str>| {
        let call = ToolCall::new("1", "shell", json!({"command": command}));
        let call = cwd.into_iter().fold(call, ToolCall::cwd);
        runtime.life(origin).decide_tool_call(call).is_ok()
    };
    let (unnamed, named) = (Origin::default(), Origin::session("s").cwd(here.clone()));
    for command in
        ["rm -rf ..", "rm -rf .", "rm -rf ../sibling", "echo x > ../../../x", "rm -rf /etc/x", "cd .. && rm -rf x"]
    {
        for (origin, cwd) in [(&unnamed, None), (&named, None), (&unnamed, Some(&*here)), (&unnamed, Some("src"))] {
            assert_eq!(decide(command, origin, cwd), decide(command, &named, cwd), "{command}");
        }
    }
    // Whatever holds the project is outside of it; what is beside it may be a temporary directory.
    for command in ["rm -rf ..", "rm -rf .", "rm -rf /etc/x"] {
        assert!(!decide(command, &unnamed, None), "{command}");
    }
    assert!(decide("rm -rf target/x", &unnamed, None) && decide("rm -rf ../target", &unnamed, Some("src")));
    assert!(!decide("rm -rf ../..", &unnamed, Some("src")));
}

#[test]
fn a_hook_on_data_that_fails_withholds_it() {
    let panics = |_: &pintle::HookCall<'_, ToolResult>| -> () { panic!("odd") };
    let runtime = Runtime::builder().on::<ToolResult>(panics).build().unwrap();
    assert!(!runtime.conclude_tool_call(&deploy(), deploy().result("a secret")).content().contains("a secret"));
    let open = Hook::on::<ToolResult>(panics).on_failure(pintle::FailurePolicy::Open);
    let runtime = Runtime::builder().hook(open).build().unwrap();
    assert_eq!(runtime.conclude_tool_call(&deploy(), deploy().result("a secret")).content(), "a secret");
}

#[test]
fn nothing_is_inside_of_the_root_directory() {
    let runtime = Runtime::builder().packs(["shell"]).build().unwrap();
    let life = runtime.life(&Origin::session("s").cwd("/"));
    let decide =
        |command: &str| life.decide_tool_call(ToolCall::new("1", "shell", json!({"command": command}))).is_ok();
    for command in
        ["rm -rf etc", "rm -rf /etc/x", "rm -rf home/ann", "rm -rf usr/lib", "cd usr && rm -rf lib", "rm -rf ./*"]
    {
        assert!(!decide(command), "{command}");
    }
    assert!(decide("rm -rf tmp/x") && decide("ls etc"));
}

#[test]
fn nothing_is_inside_without_a_directory() {
    let runtime = Runtime::builder().packs(["shell"]).build().unwrap();
    for command in ["rm -rf /etc/x", "rm -rf /data/x", "rm -rf ~/x", "echo x > /etc/passwd", "cd / && rm -rf etc"] {
        let payload = json!({"name": "shell", "args": {"command": command}});
        let outcome = runtime.fire(&Event::new::<ToolPre>(payload).unwrap());
        assert!(!outcome.is_allowed(), "{command}");
    }
    let seen = std::sync::Arc::new(Mutex::new(Vec::new()));
    let inside = std::sync::Arc::clone(&seen);
    let watches = Hook::on::<ToolPre>(move |call| {
        inside.lock().unwrap().push(call.field("paths").map(|paths| paths[0]["inside"].clone()));
    });
    let runtime = Runtime::builder().hook(watches).build().unwrap();
    for directory in ["/", "/etc"] {
        let write = ToolCall::new("1", "write", json!({"path": "/etc/x", "content": ""}));
        assert!(runtime.life(&Origin::default().cwd(directory)).decide_tool_call(write).is_ok());
    }
    assert_eq!(*seen.lock().unwrap(), [Some(json!(false)), Some(json!(true))]);
}

#[test]
fn a_call_in_the_words_of_the_loop_is_judged_as_for_every_other_host() {
    let runtime = Runtime::builder().packs(["secrets"]).build().unwrap();
    let args = json!({"path": "~/.ssh/id_ed25519"});
    // A tool of a docker-agent toolset, whose words the call does not say.
    assert!(runtime.decide_tool_call(ToolCall::new("1", "read_file", args.clone())).is_err());
    let hook = Hook::on::<ToolPre>(|call: &HookCall<'_, ToolPre>| {
        let facts = ["kind", "category", "vocabulary"].map(|name| call.text(name).unwrap_or("none").to_owned());
        Verdict::notice(Verdict::pass(), facts.join(" "))
    });
    let runtime = Runtime::builder().hook(hook).build().unwrap();
    let event = Event::new::<ToolPre>(json!({"id": "1", "name": "read_file", "args": args})).unwrap();
    let outcome = runtime.fire(&event);
    assert_eq!(outcome.notices().collect::<Vec<_>>(), ["read filesystem pintle"]);
    assert_eq!((outcome.reason_for_model(), outcome.is_allowed()), (String::new(), true));
}
