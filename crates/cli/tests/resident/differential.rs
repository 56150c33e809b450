//! Random payloads, hooks and faults through both ways: the same answer, and the same records.

use std::env;
use std::path::Path;

use serde_json::{Value, json};

use crate::fixture::{CLIENT, FULL, ResidentFixture, is_denied, normalized, run};

/// How many calls are compared; `PINTLE_RESIDENT_CALLS` sets another number.
const CALLS: usize = 240;

/// Hooks of every kind that a call can meet: scripts with a state, programs, faults.
const HOOKS: [(&str, &str); 6] = [
    (".harness/policy.yaml", "use: [shell, git, secrets]\n"),
    (
        ".harness/hooks/count.md",
        "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      seen = cache.get(\"seen\") or 0\n      cache.set(\"seen\", \
         seen + 1)\n      if \"odd\" in str(payload[\"args\"]) and seen % 2 == 1:\n          return block(\"odd call %d\" % \
         seen)\n      return allow()\n---\n",
    ),
    (
        ".harness/hooks/fault.md",
        "---\nevent: tool.pre\nwhen: '\"fault\" in str(payload[\"args\"])'\non_failure: closed\nscript: |\n  def handle(event, \
         payload):\n      return 1 // 0\n---\n",
    ),
    // The user's own hook, a program.
    (
        "../config/hooks.d/program.yaml",
        "pre_tool_use:\n  - matcher: '*'\n    hooks:\n      - type: command\n        command: |\n          read -r line || true\n          \
         case $line in *program*) echo \"denied in $(pwd) at $HOME\" >&2; exit 2;; *crash*) kill -9 $$;; esac\n",
    ),
    ("notes.txt", "a note\n"),
    (
        ".harness/hooks/prompt.md",
        "---\nevent: prompt.submit\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n",
    ),
];

/// Numbers from a seed (xorshift64*).
struct PayloadDraw(u64);

impl PayloadDraw {
    fn draw_below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound as u64).unwrap()
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.draw_below(all.len())]
    }
}

/// What is done, drawn from the awkward too.
fn draw_payload(draw: &mut PayloadDraw, fixture: &ResidentFixture, number: usize) -> (&'static str, Vec<u8>) {
    let lines = [
        "ls -la",
        "rm -rf ~",
        "git push --force origin main",
        "echo odd",
        "echo fault",
        "echo program",
        "echo crash",
        "cat .env",
        "curl x | sh",
        "echo \u{1f511} 'quote\" \\ end",
        "cd /tmp && rm -rf *",
        "",
        "echo a; echo b # comment",
        "pintle trust --yes",
        "cat notes.txt > .harness/hooks/count.md",
        "cat notes.txt > /proc/self/cwd/.harness/hooks/count.md",
        "rm -rf /proc/self/cwd/build",
        "echo x > /dev/fd/0",
    ];
    let long = "x".repeat(draw.draw_below(60_000));
    let line = match draw.draw_below(12) {
        0 => format!("echo {long}"),
        _ => format!("{} # {}", draw.one_of(&lines), draw.draw_below(1_000)),
    };
    let input = match draw.draw_below(8) {
        0 => json!({"file_path": fixture.path("project").join("notes.txt"), "content": line}),
        1 => json!({"file_path": "/etc/passwd", "old_string": "a", "new_string": "b"}),
        2 => json!([line]),
        _ => json!({"command": line}),
    };
    let tool = *draw.one_of(&["Bash", "Bash", "Bash", "Write", "Edit", "mcp__x__y", "Unknown", ""]);
    let event = *draw.one_of(&["PreToolUse", "PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionEnd"]);
    let mut payload: Value = serde_json::from_slice(&fixture.payload(event, tool, &input)).unwrap();
    payload["session_id"] = json!(format!("s{}", number % 5));
    payload["tool_use_id"] = json!(format!("c{number}"));
    if draw.draw_below(10) == 0 {
        payload["cwd"] = json!(draw.one_of(&["/", "/dev/null/dir", "", "relative"]));
    }
    let mut bytes = payload.to_string().into_bytes();
    match draw.draw_below(20) {
        0 => bytes.truncate(draw.draw_below(bytes.len())),
        1 => bytes.splice(1..1, b"\"session_id\":\"other\",".iter().copied()).for_each(drop),
        2 => bytes = b"not json".to_vec(),
        3 => bytes.clear(),
        _ => {}
    }
    (event, bytes)
}

#[test]
fn both_ways_have_the_same_outcome() {
    let fixture = HOOKS.iter().fold(ResidentFixture::new(), |fixture, (path, text)| fixture.with_file(path, text));
    let count = env::var("PINTLE_RESIDENT_CALLS").ok().and_then(|text| text.parse().ok()).unwrap_or(CALLS);
    let _resident = fixture.start_resident();
    let mut draw = PayloadDraw(0x0d15_ea5e_5eed_0001);
    let (mut denied, root) = (0, fixture.path(""));
    let root = root.parent().unwrap_or(Path::new("/")).join(root.file_name().unwrap());
    for number in 0..count {
        let (event, payload) = draw_payload(&mut draw, &fixture, number);
        let shown = String::from_utf8_lossy(&payload[..payload.len().min(400)]).into_owned();
        let event = if draw.draw_below(25) == 0 { "SubagentStop" } else { event };
        let [full, client] = [FULL, CLIENT].map(|program| run(fixture.hook_command(program, event), &payload));
        assert_eq!(full.status.code(), client.status.code(), "{event} {shown}");
        for (full, client) in [(&full.stdout, &client.stdout), (&full.stderr, &client.stderr)] {
            assert_eq!(normalized(full, &root), normalized(client, &root), "{event} {shown}");
        }
        denied += usize::from(is_denied(&full));
    }
    assert!(denied > count / 10 && denied < count - count / 5, "{denied} of {count} are denied");
    let status = fixture.status();
    assert_eq!(status[0]["calls"].as_u64().unwrap(), count as u64, "{status:?}");
    for session in ["s0", "s1", "s2", "s3", "s4"] {
        let [full, client] = [FULL, CLIENT].map(|program| fixture.records(program, session));
        assert!(full.len() > 10, "{session} has {} records", full.len());
        assert_eq!(full.len(), client.len(), "{session}");
        for (full, client) in full.iter().zip(&client) {
            let text = |record: &Value| {
                let mut record = record.clone();
                // What is signed depends on the times and on the key of each state directory.
                if let Some(note) = record.get_mut("note") {
                    *note = json!(note.as_str().and_then(|note| note.lines().nth(1)));
                }
                normalized(record.to_string().as_bytes(), &root)
            };
            assert_eq!(text(full), text(client), "{session}");
        }
    }
}
