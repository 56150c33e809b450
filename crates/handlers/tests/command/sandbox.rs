//! Tests what a sandboxed program can still do. Without kernel support the hook does not build.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::net::TcpListener;

use pintle_contract::{CommandSpec, SandboxSpec};

use crate::fixture::{CommandFixture, build_handler, shell_command};

const READ_ONLY: SandboxSpec = SandboxSpec { read_only: true, no_network: false };
const NO_NETWORK: SandboxSpec = SandboxSpec { read_only: false, no_network: true };

/// The output of a program in a sandbox; `None` without kernel support, which must be an error of the hook.
fn sandboxed_output(spec: CommandSpec) -> Option<String> {
    let built = build_handler(spec);
    match built.handler {
        Some(handler) => Some(CommandFixture::from_handler(handler).call_output()),
        None => {
            assert_eq!(built.diagnostics.first().unwrap().code, "no_sandbox");
            None
        }
    }
}

#[test]
fn a_read_only_program_reads_prints_and_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "text").unwrap();
    let file = file.display();
    let cases = [
        (format!("cat {file}"), "exit 0|text|"),
        (format!("cat {file} >/dev/null && echo ok"), "exit 0|ok|"),
        (String::from("cat >/dev/null; echo out; echo err >&2"), "exit 0|out|err"),
        (format!("(echo more >>{file}) 2>/dev/null || echo refused"), "exit 0|refused|"),
        (format!("(echo more >{file}.new) 2>/dev/null || echo refused"), "exit 0|refused|"),
        (format!("rm {file} 2>/dev/null || echo refused"), "exit 0|refused|"),
        (format!("setsid sh -c 'mv {file} {file}.new 2>/dev/null || echo refused'"), "exit 0|refused|"),
    ];
    for (text, expected) in &cases {
        if let Some(told) = sandboxed_output(CommandSpec { sandbox: Some(READ_ONLY), ..shell_command(text) }) {
            assert_eq!(told, *expected, "{text}");
        }
    }
    assert_eq!(std::fs::read_to_string(dir.path().join("file")).unwrap(), "text");
    // This process and the next program are not restricted.
    assert_eq!(
        CommandFixture::new(shell_command(&format!("echo more >>{file} && cat {file}"))).call_output(),
        "exit 0|textmore|"
    );
}

#[test]
fn a_program_without_network_does_not_connect() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let bash = String::from("/bin/bash");
    assert!(std::path::Path::new(&bash).is_file(), "this test connects with `{bash}`, which is not there");
    let text = format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo connected || echo refused");
    let spec = |sandbox| CommandSpec { sandbox, shell: Some(bash.clone()), ..shell_command(&text) };
    assert_eq!(CommandFixture::new(spec(None)).call_output(), "exit 0|connected|");
    if let Some(told) = sandboxed_output(spec(Some(NO_NETWORK))) {
        assert_eq!(told, "exit 0|refused|");
    }
}
