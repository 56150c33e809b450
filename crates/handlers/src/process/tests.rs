use super::*;

fn shell_spec(script: &str) -> ProcessSpec {
    ProcessSpec::new("/bin/sh", vec![String::from("-c"), script.to_owned()])
}

/// A script, its output on both streams, and its exit code or the signal that killed it.
type ProcessCase = (&'static str, &'static str, &'static str, Option<i32>, Option<i32>);

#[test]
fn outputs_codes_and_signals_are_told_apart() {
    let cases: &[ProcessCase] = &[
        ("echo out; echo err >&2", "out\n", "err\n", Some(0), None),
        ("exit 3", "", "", Some(3), None),
        ("kill -TERM $$", "", "", None, Some(15)),
    ];
    for (script, stdout, stderr, exit_code, signal) in cases {
        let output = run(&shell_spec(script), &CancelToken::default()).unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), *stdout, "{script}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), *stderr, "{script}");
        assert_eq!((output.exit_code, output.signal), (*exit_code, *signal), "{script}");
        assert!(!output.timed_out && !output.truncated, "{script}");
    }
}

#[test]
fn input_larger_than_a_pipe_goes_through_and_need_not_be_read() {
    let mut spec = shell_spec("cat");
    spec.stdin = vec![b'x'; 300_000].into();
    assert_eq!(run(&spec, &CancelToken::default()).unwrap().stdout.len(), 300_000);
    spec = shell_spec("exec 0<&-; echo done");
    spec.stdin = vec![b'x'; 300_000].into();
    assert_eq!(run(&spec, &CancelToken::default()).unwrap().stdout, b"done\n");
}

#[test]
fn too_much_output_is_cut_and_marked() {
    let mut spec = shell_spec("yes | head -c 100000");
    spec.output_bytes = 1_000;
    let output = run(&spec, &CancelToken::default()).unwrap();
    assert_eq!((output.stdout.len(), output.truncated, output.exit_code), (1_000, true, Some(0)));
}

#[test]
fn the_deadline_ends_a_flood_and_every_descendant() {
    let mut spec = shell_spec("sleep 600 & echo $!; yes >&2");
    spec.timeout_ms = 100;
    let output = run(&spec, &CancelToken::default()).unwrap();
    assert!(output.timed_out);
    assert_gone(&output.stdout);
}

#[test]
fn a_descendant_that_holds_the_pipes_neither_delays_nor_outlives_the_call() {
    let mut spec = shell_spec("sleep 600 & echo $!");
    spec.timeout_ms = 500_000;
    let output = run(&spec, &CancelToken::default()).unwrap();
    assert!(!output.timed_out);
    assert_gone(&output.stdout);
}

/// A killed process may still be ending, or stay a zombie until it is reaped; it only has to end.
fn assert_gone(printed: &[u8]) {
    let pid = String::from_utf8_lossy(printed).trim().to_owned();
    let runs = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let state = stat.rsplit(')').next()?.split_whitespace().next()?.to_owned();
        (!["Z", "X"].contains(&state.as_str())).then_some(())
    };
    assert!(pid.parse::<u32>().is_ok(), "no process id in {pid:?}");
    assert!((0..1_000_000).any(|_| runs().is_none()), "process {pid} still runs");
}

#[test]
fn a_missing_program_and_a_cancelled_call_are_errors() {
    let missing = run(&ProcessSpec::new("pintle-no-such-program", Vec::new()), &CancelToken::default()).unwrap_err();
    assert_eq!(missing.to_string(), "program `pintle-no-such-program` not found; install it or give its full path");
    let cancel = CancelToken::default();
    cancel.cancel();
    assert!(matches!(run(&shell_spec("sleep 600"), &cancel), Err(ProcessError::Cancelled)));
    let mut spec = shell_spec("true");
    spec.directory = Some(PathBuf::from("/dev/null/such/directory"));
    assert!(matches!(run(&spec, &CancelToken::default()), Err(ProcessError::Start { .. })));
}

#[test]
fn the_environment_is_as_asked_for() {
    let mut spec = shell_spec("echo \"$PINTLE_COLOUR-$HOME\"");
    spec.environment = ProcessEnvironment::Exactly(vec![(String::from("PINTLE_COLOUR"), String::from("red"))]);
    assert_eq!(run(&spec, &CancelToken::default()).unwrap().stdout, b"red-\n");
}
