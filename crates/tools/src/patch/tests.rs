use serde_json::{Value, json};

use super::*;

fn touched_files(text: &str) -> Value {
    to_calls(text).iter().map(|part| json!([part.name, part.args])).collect()
}

#[test]
fn every_file_of_a_patch_is_a_call_of_its_own() {
    let text = "*** Begin Patch\n\
        *** Add File: new.txt\n+one\n+two\n\
        *** Update File: old.txt\n*** Move to: moved.txt\n@@ fn x\n ctx\n-gone\n+come\n*** End of File\n\
        *** Update File: plain.txt\n@@\n-a\n+b\n@@\n c\n\
        *** Update File: from.txt\n*** Move to: to.txt\n\
        *** Delete File: dead.txt\n\
        *** End Patch\n";
    assert_eq!(
        touched_files(text),
        json!([
            ["write", {"path": "new.txt", "content": "one\ntwo\n"}],
            ["edit", {"path": "old.txt", "old": "ctx\ngone\n", "new": "ctx\ncome\n"}],
            ["delete", {"path": "old.txt"}],
            ["write", {"path": "moved.txt", "content": "ctx\ncome\n"}],
            ["edit", {"path": "plain.txt", "old": "a\nc\n", "new": "b\nc\n"}],
            ["delete", {"path": "from.txt"}],
            ["write", {"path": "to.txt", "content": ""}],
            ["delete", {"path": "dead.txt"}],
        ])
    );
}

#[test]
fn patch_header_is_found_as_leniently_as_clients_do_but_not_in_content() {
    for (text, wanted) in [
        ("", json!([])),
        ("no patch", json!([])),
        ("*** Delete File: a", json!([["delete", {"path": "a"}]])),
        ("cat <<EOF\n*** Begin Patch\n  *** Delete File: a  \r\nEOF", json!([["delete", {"path": "a"}]])),
        (
            "*** Add File: a\n+*** Delete File: b\n  *** Delete File: c",
            json!([["write", {"path": "a", "content": "*** Delete File: b\n"}], ["delete", {"path": "c"}]]),
        ),
        (
            "*** Update File: a\n *** Delete File: b\n+x",
            json!([["edit", {"path": "a", "old": "*** Delete File: b\n", "new": "*** Delete File: b\nx\n"}]]),
        ),
        ("*** Move to: a\n+x", json!([])),
        ("*** Add File: a\n*** End Patch\n+after", json!([["write", {"path": "a", "content": ""}]])),
    ] {
        assert_eq!(touched_files(text), wanted, "{text:?}");
    }
}

#[test]
fn a_patch_is_applied_where_the_command_went() {
    for (command, expected) in [
        ("apply_patch <<'EOF'\n*** Begin Patch\nHERE", ""),
        ("cd sub && apply_patch <<'EOF'\n*** Begin Patch\nHERE", "sub"),
        ("cd -- 'my dir'; cd ..\napply_patch '*** Begin Patch\nHERE", "my dir/.."),
        ("(pushd /tmp && apply_patch <<EOF\n*** Begin Patch\nHERE", "/tmp"),
        ("bash -lc \"cd sub && apply_patch <<'EOF'\n*** Begin Patch\nHERE", "sub"),
        ("apply_patch <<'EOF'\n*** Begin Patch\n+cd no\n cd no\ncd no\nHERE", ""),
        ("echo cd no && apply_patch <<'EOF'\n*** Begin Patch\nHERE", ""),
        ("cd a\n*** Begin Patch\n+cd no\n*** End Patch\nEOF\ncd b\napply_patch <<A\n*** Begin Patch\nHERE", "a/b"),
    ] {
        let line = command.split('\n').position(|line| line == "HERE").unwrap();
        let mut directory = WorkingDirectory::new(command, "");
        // Asking on the way changes nothing.
        (0..line).step_by(2).for_each(|line| drop(directory.before_line(line).clone()));
        assert_eq!(directory.before_line(line).display().to_string(), expected, "{command}");
    }
}
