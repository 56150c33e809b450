//! Tests a command's input and the use of its output.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pintle_contract::{
    Codec, CommandSpec, Event, Failure, FailureKind, FailurePolicy, HandlerFactory, HandlerOutput, HookDeclaration,
    Origin, Payload, Verdict, VerdictKind,
};
use serde_json::{Value, json};

use crate::fixture::{CommandFixture, OutputCodec, build_handler, command_declaration, shell_command, test_factory};

#[test]
fn exit_codes_signals_and_outputs_reach_the_codec() {
    let cases = [
        ("true", "exit 0||"),
        ("echo out; echo err >&2; exit 3", "exit 3|out|err"),
        ("exit 2", "exit 2||"),
        ("kill -SEGV $$", "signal 11||"),
        ("exec 0<&- 1>&- 2>&-; exit 4", "exit 4||"),
        ("printf '\\377\\376'", "exit 0|\u{fffd}\u{fffd}|"),
        ("cat", r#"exit 0|{"event":"tool.pre","session":"","payload":{"name":"shell"}}|"#),
    ];
    for (text, told) in cases {
        assert_eq!(CommandFixture::new(shell_command(text)).call_output(), told, "{text}");
    }
    // 127 is the shell's exit code for a missing program; the shell itself exists.
    assert!(CommandFixture::new(shell_command("pintle-no-such-program")).call_output().starts_with("exit 127||"));
}

#[test]
fn guard_without_a_program_of_its_script_fails_unless_it_denies() {
    let call = |policy: FailurePolicy, spec: CommandSpec| {
        let declaration = HookDeclaration { default_on_error: policy, ..command_declaration("tool.pre", spec) };
        CommandFixture::from_handler(test_factory().build_handler(&declaration).handler.unwrap()).call_hook()
    };
    let swallowed = "CMD=$(cat | pintle-no-such-program -r .x); echo \"allow $CMD\"; exit 0";
    let failure = Failure::new(
        FailureKind::Missing,
        "its script runs `pintle-no-such-program`, which is not on the PATH; install it",
    );
    assert_eq!(call(FailurePolicy::Closed, shell_command(swallowed)).kind, VerdictKind::Failed(failure));
    assert!(matches!(call(FailurePolicy::Open, shell_command(swallowed)).kind, VerdictKind::Allow { .. }));
    // What the script says itself about the program, and a program on the hook's own path.
    for text in ["pintle-no-such-program || echo none", "if false; then pintle-no-such-program; fi; echo x"] {
        assert!(matches!(call(FailurePolicy::Closed, shell_command(text)).kind, VerdictKind::Allow { .. }), "{text}");
    }
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("pintle-no-such-program");
    fs::write(&program, "#!/bin/sh\necho found\n").unwrap();
    pintle_testkit::make_executable(&program);
    let path = format!("{}:/usr/bin:/bin", dir.path().display());
    let spec = CommandSpec { environment: vec![(String::from("PATH"), path)], ..shell_command(swallowed) };
    let found = VerdictKind::Allow { reason: String::from("exit 0|allow found|") };
    assert_eq!(call(FailurePolicy::Closed, spec).kind, found);
}

#[test]
fn the_shell_is_sh_unless_one_is_named() {
    assert_eq!(CommandFixture::new(shell_command("echo $0")).call_output(), "exit 0|/bin/sh|");
    let dir = tempfile::tempdir().unwrap();
    let shell = dir.path().join("shell");
    fs::write(&shell, "#!/bin/sh\necho \"$@\"\n").unwrap();
    pintle_testkit::make_executable(&shell);
    let spec = CommandSpec { shell: Some(shell.to_str().unwrap().to_owned()), ..shell_command("a b") };
    assert_eq!(CommandFixture::new(spec).call_output(), "exit 0|-c a b|");
    let spec = CommandSpec { shell: Some(String::from("/dev/null/such/shell")), ..shell_command("a b") };
    let missing = "program `/dev/null/such/shell` not found; install it or give its full path";
    assert_eq!(CommandFixture::new(spec).call_failure(), Failure::new(FailureKind::Missing, missing));
}

/// The session's directory, the hook's, whether that is expanded, the resulting directory, and a warning.
type DirectoryCase<'a> = (&'a str, Option<&'a str>, bool, &'a str, Option<&'a str>);

#[test]
fn the_working_directory_is_the_sessions_or_one_below_or_another() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir(root.join("below")).unwrap();
    let root = root.to_str().unwrap();
    let home = std::env::home_dir().unwrap().display().to_string();
    let here = std::env::current_dir().unwrap();
    let here = here.to_str().unwrap();
    let empty = "the working directory `$PINTLE_NOT_SET` expands to nothing; the session's own is used";
    let below = format!("{root}/below");
    let gone = format!("the working directory `/dev/null/such/dir` is gone; the hook is started in `{here}`");
    let cases: [DirectoryCase<'_>; 9] = [
        // An agent may remove its own directory; its guards are started all the same.
        ("/dev/null/such/dir", None, false, here, Some(&gone)),
        ("", None, false, here, None),
        (root, None, false, root, None),
        (root, Some("below"), false, &below, None),
        (root, Some("/"), false, "/", None),
        ("", Some("/"), false, "/", None),
        (root, Some("~"), true, &home, None),
        (root, Some("${env.PINTLE_NOT_SET}below"), true, &below, None),
        (root, Some("$PINTLE_NOT_SET"), true, root, Some(empty)),
    ];
    for (cwd, directory, expands, expected, warning) in cases {
        let spec = CommandSpec { directory: directory.map(str::to_owned), expands, ..shell_command("pwd -P") };
        let mut fixture = CommandFixture::new(spec);
        fixture.event.origin = Arc::new(Origin { cwd: cwd.to_owned(), ..Origin::default() });
        let verdict = fixture.call_hook();
        let mut expected = Verdict::allow(format!("exit 0|{expected}|"));
        expected.warnings.extend(warning.map(str::to_owned));
        assert_eq!(verdict, expected, "{cwd:?} {directory:?}");
    }
}

#[test]
fn a_missing_directory_is_a_failure() {
    for expands in [false, true] {
        let spec = CommandSpec { directory: Some(String::from("/dev/null/such")), expands, ..shell_command("true") };
        let message = "the working directory `/dev/null/such` does not exist; create it or name another";
        assert_eq!(CommandFixture::new(spec).call_failure(), Failure::new(FailureKind::NotStarted, message));
    }
}

#[test]
fn variables_replace_and_are_expanded_only_when_the_dialect_does() {
    let set = |value: &str, expands| CommandSpec {
        environment: vec![(String::from("PINTLE_SET"), value.to_owned())],
        expands,
        ..shell_command("echo \"$PINTLE_SET,${PATH:+path}\"")
    };
    let path = std::env::var("PATH").unwrap();
    let cases = [
        ("red", true, String::from("red,path")),
        ("$HOME", true, String::from("$HOME,path")),
        ("${env.PATH}", true, format!("{path},path")),
        ("${env.PINTLE_NOT_SET}", true, String::from(",path")),
        ("${env.PATH}", false, String::from("${env.PATH},path")),
    ];
    for (value, expands, told) in cases {
        assert_eq!(CommandFixture::new(set(value, expands)).call_output(), format!("exit 0|{told}|"), "{value}");
    }
}

#[test]
fn a_program_need_not_read_its_input_and_may_read_all_of_it() {
    for (text, told) in [("true", "exit 0||"), ("exec 0<&-; true", "exit 0||"), ("wc -c", "exit 0|8388671|")] {
        let mut fixture = CommandFixture::new(shell_command(text));
        fixture.event = fixture.event.with_payload(Payload::new(json!({"name": "x".repeat(8 << 20)})));
        let length = serde_json::to_vec(&OutputCodec.encode(&fixture.event, "tool.pre")).unwrap().len();
        assert_eq!(fixture.call_output(), told.replace("8388671", &length.to_string()), "{text}");
    }
}

#[test]
fn a_flood_is_read_to_its_end_kept_to_the_limit_and_marked() {
    for (text, cut) in [
        ("head -c 200000000 /dev/zero | tr '\\0' y; exit 5", "exit 5 cut|y|"),
        ("head -c 200000000 /dev/zero | tr '\\0' y >&2; exit 5", "exit 5 cut||y"),
    ] {
        let mut fixture = CommandFixture::new(shell_command(text));
        fixture.hook.limits.output_bytes = 1000;
        assert_eq!(fixture.call_output(), cut.replace('y', &"y".repeat(1000)), "{text}");
    }
}

#[test]
fn failures_name_the_limit_and_never_the_script() {
    for (timeout_ms, message) in [(250, "timed out after 250 ms"), (1_000, "timed out after 1 s")] {
        let fixture = CommandFixture::new(shell_command("sleep 600 # a long script")).with_timeout(timeout_ms);
        assert_eq!(fixture.call_failure(), Failure::new(FailureKind::Timeout, message));
    }
    let fixture = CommandFixture::new(shell_command("sleep 600"));
    fixture.cancel.cancel();
    assert_eq!(fixture.call_failure(), Failure::new(FailureKind::Cancelled, "the call was cancelled"));
}

#[test]
fn a_call_that_is_cancelled_while_it_runs_ends() {
    let dir = tempfile::tempdir().unwrap();
    let ready = dir.path().join("ready");
    let fixture = CommandFixture::new(shell_command(&format!("echo >{}; sleep 600", ready.display())));
    let failure = std::thread::scope(|scope| {
        let called = scope.spawn(|| fixture.call_failure());
        while !ready.exists() {
            std::thread::yield_now();
        }
        fixture.cancel.cancel();
        called.join().unwrap()
    });
    assert_eq!(failure.kind, FailureKind::Cancelled);
}

#[test]
fn a_hook_is_a_guard_where_it_can_stop_something() {
    for (event, default_on_error, guard) in [
        ("tool.pre", FailurePolicy::Open, true),
        ("session.end", FailurePolicy::Open, false),
        ("session.end", FailurePolicy::Closed, true),
    ] {
        let mut declared = command_declaration(event, shell_command("true"));
        declared.default_on_error = default_on_error;
        let built = test_factory().build_handler(&declared);
        assert_eq!((built.guard, built.diagnostics), (guard, Vec::new()), "{event} {default_on_error:?}");
    }
    let kinds = [false, true].map(|keep| {
        let handler = build_handler(CommandSpec { keep, ..shell_command("true") }).handler.unwrap();
        (handler.kind(), handler.may_wait(), handler.needs_order())
    });
    assert_eq!(kinds, [("command", true, false), ("worker", true, true)]);
}

/// Counts how often a payload is encoded.
#[derive(Debug, Default)]
struct CountingCodec(AtomicUsize);

impl Codec for CountingCodec {
    fn dialect(&self) -> &'static str {
        "counting"
    }

    fn encode(&self, _event: &Event, event_alias: &str) -> Option<Value> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Some(json!(event_alias))
    }

    fn decode(&self, event: &Event, event_alias: &str, answer: HandlerOutput) -> Verdict {
        OutputCodec.decode(event, event_alias, answer)
    }
}

#[test]
fn hooks_of_one_dialect_and_spelling_share_one_text() {
    let codec = Arc::new(CountingCodec::default());
    let event = CommandFixture::new(shell_command("true")).event;
    let ask = |spelling: &str, event: &Event, keep| {
        let mut declared = command_declaration("tool.pre", CommandSpec { keep, ..shell_command("cat") });
        declared.codec = Arc::clone(&codec) as Arc<dyn Codec>;
        let mut fixture = CommandFixture::from_handler(test_factory().build_handler(&declared).handler.unwrap());
        fixture.hook.event_alias = Arc::from(spelling);
        fixture.event = event.clone();
        assert_eq!(fixture.call_output(), format!("exit 0|{spelling:?}|"));
        codec.0.load(Ordering::Relaxed)
    };
    assert_eq!(ask("one", &event, false), 1);
    assert_eq!(ask("one", &event, false), 1);
    assert_eq!(ask("two", &event, false), 2);
    // A persistent command reads a line, which is another text.
    assert_eq!(ask("one", &event, true), 3);
    let other = Event { origin: Arc::new(Origin { session: String::from("s"), ..Origin::default() }), ..event };
    assert_eq!(ask("one", &other, false), 4);
}
