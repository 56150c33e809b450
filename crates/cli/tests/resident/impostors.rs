//! Whoever else listens on the socket, or sends a call, gains nothing.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;

use pintle_hook::{CallMessage, HookAnswer, MAX_CALL_BYTES, ResidentReply, ResidentRequest, read_frame, write_frame};

use crate::fixture::{CLIENT, FULL, ResidentFixture, is_denied};

const DENY_ALL: &str =
    "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return block(\"not here\")\n---\n";

fn guarded() -> ResidentFixture {
    ResidentFixture::new().with_file(".harness/hooks/guard.md", DENY_ALL)
}

/// Listens in place of a resident, and says yes to every call. Returns whether anything was sent to it.
fn listen_and_allow(fixture: &ResidentFixture) -> thread::JoinHandle<bool> {
    let mut resident = fixture.start_resident();
    let socket = fixture.sockets().remove(0);
    resident.kill();
    fs::remove_file(&socket).unwrap();
    let listener = UnixListener::bind(&socket).unwrap();
    thread::spawn(move || {
        let (mut caller, _) = listener.accept().unwrap();
        for reply in [ResidentReply::Accepted { within_ms: 1_000 }, ResidentReply::Answer(HookAnswer::default())] {
            let _ = write_frame(&mut caller, &reply.to_bytes());
        }
        let mut heard = Vec::new();
        let _ = caller.read_to_end(&mut heard);
        !heard.is_empty()
    })
}

#[test]
fn another_program_on_the_socket_is_told_nothing_and_not_believed() {
    let fixture = guarded();
    let impostor = listen_and_allow(&fixture);
    assert!(is_denied(&fixture.ask(CLIENT, "ls")));
    assert!(!impostor.join().unwrap(), "the payload went to another program");
}

#[test]
fn a_directory_that_others_may_use_is_not_used() {
    let fixture = guarded();
    let _resident = fixture.start_resident();
    assert!(is_denied(&fixture.ask(CLIENT, "ls")));
    assert_eq!(fixture.answered(), 1);
    let dir = fixture.state(CLIENT).join("serve");
    for mode in [0o755, 0o777, 0o711] {
        fs::set_permissions(&dir, fs::Permissions::from_mode(mode)).unwrap();
        assert!(is_denied(&fixture.ask(CLIENT, "ls")), "{mode:o}");
    }
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).unwrap();
    let moved = fixture.path("moved");
    fs::rename(&dir, &moved).unwrap();
    symlink(&moved, &dir).unwrap();
    assert!(is_denied(&fixture.ask(CLIENT, "ls")), "a link");
    fs::remove_file(&dir).unwrap();
    fs::rename(&moved, &dir).unwrap();
    // It ends if it looks for its socket while the directory is away.
    assert!(fixture.answered() <= 1, "the others were answered without the resident");
}

/// Sends bytes to the resident, and reads what it says.
fn send(fixture: &ResidentFixture, bytes: &[u8]) -> Vec<u8> {
    let mut stream = UnixStream::connect(&fixture.sockets()[0]).unwrap();
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut said = Vec::new();
    let _ = stream.read_to_end(&mut said);
    said
}

#[test]
fn a_forged_message_does_nothing_that_the_program_would_not_do() {
    let fixture = guarded();
    let _resident = fixture.start_resident();
    let call = |arguments: &[&str]| {
        let arguments = arguments.iter().map(|text| text.as_bytes().to_vec()).collect();
        let cwd = fixture.path("project").display().to_string().into_bytes();
        let version = env!("CARGO_PKG_VERSION").as_bytes().to_vec();
        CallMessage { version, arguments, cwd, payload: fixture.shell_payload("ls") }
    };
    let framed = |request: &ResidentRequest| {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &request.to_bytes()).unwrap();
        bytes
    };
    // Commands other than `hook`, and lines that the full program refuses.
    for arguments in [
        &["trust", "--yes"][..],
        &["pause", "4h"],
        &["hook"],
        &["hook", "nobody"],
        &["hook", "claude", "NoEvent"],
        &["hook", "claude", "--unknown"],
        &[],
    ] {
        let said = send(&fixture, &framed(&ResidentRequest::Call(call(arguments))));
        let reply = ResidentReply::from_bytes(&read_frame(&mut &said[..], 1 << 16).unwrap()).unwrap();
        assert!(matches!(reply, ResidentReply::Declined(_)), "{arguments:?}: {reply:?}");
    }
    let relative = CallMessage { cwd: b"project".to_vec(), ..call(&["hook", "claude", "PreToolUse"]) };
    let said = send(&fixture, &framed(&ResidentRequest::Call(relative)));
    assert!(matches!(ResidentReply::from_bytes(&said[4..]).unwrap(), ResidentReply::Declined(_)));
    // Bytes that are no message, and lengths that promise more than comes.
    for bytes in [&b""[..], b"x", b"\xff\xff\xff\xff", b"\x01\x00\x00\x00?", b"\x00\x00\x00\x00", &[0x41; 4096]] {
        send(&fixture, bytes);
    }
    let long = u32::try_from(MAX_CALL_BYTES).unwrap().to_le_bytes();
    send(&fixture, &[&long[..], &[b'C'; 100]].concat());
    // It goes on answering.
    assert!(is_denied(&fixture.ask(CLIENT, "ls")));
    assert_eq!(fixture.answered(), 1);
}

#[test]
fn a_caller_of_another_version_is_declined_and_the_old_resident_ends() {
    let fixture = guarded();
    let mut resident = fixture.start_resident();
    let call = CallMessage { version: b"0.0.0".to_vec(), ..CallMessage::default() };
    let mut bytes = Vec::new();
    write_frame(&mut bytes, &ResidentRequest::Call(call).to_bytes()).unwrap();
    let said = send(&fixture, &bytes);
    assert!(matches!(ResidentReply::from_bytes(&said[4..]).unwrap(), ResidentReply::Declined(_)));
    assert!(resident.wait());
    assert!(is_denied(&fixture.ask(FULL, "ls")));
}

/// A resident in a view of the files of its own, in which the guard is another file.
#[test]
fn a_resident_that_sees_other_files_is_not_believed() {
    let fixture = guarded().with_file("allow.md", &DENY_ALL.replace("block(\"not here\")", "allow()"));
    let script = format!(
        "mount --bind '{}' '{}' && exec '{FULL}' serve --resident --state-dir '{}'",
        fixture.path("project/allow.md").display(),
        fixture.path("project/.harness/hooks/guard.md").display(),
        fixture.state(CLIENT).display(),
    );
    let mut command = fixture.command("unshare");
    command.args(["--mount", "--map-root-user", "sh", "-c", &script]);
    let Some(_resident) = fixture.start_as_resident(command) else {
        return eprintln!("this machine lets a user have no view of the files: this was NOT checked");
    };
    assert!(is_denied(&fixture.ask(CLIENT, "ls")));
    assert_eq!(fixture.answered(), 0);
}
