//! `cargo lab view`: looks at the page of `pintle view` in a browser, at two widths, on a light and on a dark ground.
//!
//! `check.mjs` tells the browser what to do. The page is that of a user whose agents made some calls, of which some have
//! texts that a page could take for something else.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use pintle_testkit::example_guard;
use serde_json::{Value, json};
use xtask::{ChoreReport, SourceWorkspace, capture_output};

use crate::clients::build_pintle;
use crate::site::find_browser;

const PICTURES: &str = "target/view/pictures";
/// The package that checks whether everyone can use a page, and its version.
const AXE: &str = "axe-core";
const AXE_VERSION: &str = "4.14.1";
/// Milliseconds of a day.
const DAY_MS: u64 = 86_400_000;

/// Why the user's guard denies.
const DENIAL: &str = "disks are not formatted here";
/// Agents, how many days ago they made a call, and its command.
const CALLS: &[(&str, u64, &str)] = &[
    ("claude", 9, "git push --force origin main"),
    ("claude", 9, "cargo test --workspace"),
    ("codex", 5, "rm -rf /"),
    ("codex", 5, "crash"),
    ("codex", 5, "npm test"),
    ("gemini", 3, "mkfs /dev/sda"),
    ("gemini", 3, "ls -la"),
    ("claude", 1, "git push --force origin main"),
    ("claude", 1, "fetch https://example.com/a/long/path/that/goes/on/and/on/until/it/is/wider/than/a/telephone"),
    ("claude", 1, "rm -rf ~"),
    ("claude", 1, "cat <<'E' > a.txt\none\ntwo\nthree\nE"),
    ("gemini", 1, "mkfs <script>alert(1)</script><img src=x onerror=alert(1)> \u{1b}[2J\u{7}\u{202e}txet"),
    ("codex", 0, "mkfs /dev/sdb"),
    ("codex", 0, "ls"),
    ("claude", 0, "deploy now"),
];
/// The call that is made while the page is looked at.
const NEWEST: (&str, &str) = ("gemini", "mkfs while you look");

/// Makes some calls, and looks at all views of the page.
pub(crate) fn run(workspace: &SourceWorkspace, _: &[String]) -> Result<ChoreReport, String> {
    let browser = find_browser()?;
    let axe = install_axe(&workspace.root.join("target/view"))?;
    let pintle = build_pintle(workspace)?;
    let pictures = workspace.root.join(PICTURES);
    fs::create_dir_all(&pictures).map_err(|error| format!("cannot create `{PICTURES}`: {error}"))?;
    let user = PageUser::new(pintle)?;
    for (host, days_ago, command) in CALLS {
        user.call(host, &format!("{host}-{days_ago}"), command)?;
    }
    for (host, days_ago, _) in CALLS {
        user.move_back(host, &format!("{host}-{days_ago}"), *days_ago)?;
    }
    let (mut page, link) = user.start_page()?;
    let mut check = Command::new("node");
    check.arg(workspace.root.join("lab/src/view/check.mjs")).args([browser, &link]).arg(axe).arg(&pictures);
    let looked = user.watch(&mut check);
    // It ends with the chore in any case.
    let _ = page.kill();
    let _ = page.wait();
    let mut lines = looked?;
    let passed = lines.is_empty();
    lines.push(format!("the page is drawn in {PICTURES}"));
    Ok(ChoreReport { lines, passed })
}

/// Installs axe unless it is installed already, and returns its script.
fn install_axe(dir: &Path) -> Result<PathBuf, String> {
    let script = dir.join("node_modules").join(AXE).join("axe.min.js");
    if !script.exists() {
        fs::create_dir_all(dir).map_err(|error| format!("cannot create `{}`: {error}", dir.display()))?;
        let package = format!("{AXE}@{AXE_VERSION}");
        let mut npm = Command::new("npm");
        capture_output(npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(dir).arg(package))?;
    }
    Ok(script)
}

/// A user with the guard and some packs.
struct PageUser {
    root: tempfile::TempDir,
    pintle: PathBuf,
}

impl PageUser {
    fn new(pintle: PathBuf) -> Result<Self, String> {
        let root = tempfile::tempdir().map_err(|error| format!("no directory: {error}"))?;
        let user = Self { root, pintle };
        for (path, text) in [
            ("config/policy.yaml", "use: [shell, git]\n"),
            ("config/hooks/guard.md", &example_guard(DENIAL)),
            ("project/readme.txt", ""),
            ("state/readme.txt", ""),
        ] {
            let path = user.root.path().join(path);
            let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
            made.map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
        }
        Ok(user)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let path = |name: &str| self.root.path().join(name);
        let mut command = Command::new(&self.pintle);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", path("project")).env("PINTLE_USER_SETUP", "1");
        command.env("PINTLE_CONFIG_DIR", path("config")).env("PINTLE_STATE_DIR", path("state"));
        command.args(arguments).current_dir(path("project")).stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    }

    /// Makes a call of an agent's tool.
    fn call(&self, host: &str, session: &str, command: &str) -> Result<(), String> {
        let event = if host == "gemini" { "BeforeTool" } else { "PreToolUse" };
        let tool = if host == "gemini" { "run_shell_command" } else { "Bash" };
        let payload = json!({
            "session_id": session,
            "cwd": self.root.path().join("project"),
            "hook_event_name": event,
            "tool_name": tool,
            "tool_use_id": format!("id of {command}"),
            "tool_input": {"command": command},
        });
        let told = |error: std::io::Error| format!("`pintle hook`: {error}");
        let mut child = self.command(&["hook", host, event]).stderr(Stdio::null()).spawn().map_err(told)?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(payload.to_string().as_bytes()).map_err(told)?;
        }
        child.wait_with_output().map(drop).map_err(told)
    }

    /// Moves a session to some days before. Its digests are not right any more, which only `tape verify` looks at.
    fn move_back(&self, host: &str, session: &str, days: u64) -> Result<(), String> {
        let path = self.root.path().join("state/bridge").join(host).join(session).join("tape.jsonl");
        let told = |error: &dyn std::fmt::Display| format!("`{}`: {error}", path.display());
        let text = fs::read_to_string(&path).map_err(|error| told(&error))?;
        let mut moved = String::new();
        let now_ms =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_err(|error| told(&error))?;
        let wanted_day = now_ms.as_millis() as u64 / DAY_MS - days;
        for line in text.lines() {
            let mut record: Value = serde_json::from_str(line).map_err(|error| told(&error))?;
            for name in ["at_ms", "started_ms"] {
                if let Some(time) = record.get_mut(name)
                    && let Some(time_ms) = time.as_u64()
                {
                    *time = json!(wanted_day * DAY_MS + time_ms % DAY_MS);
                }
            }
            moved += &format!("{record}\n");
        }
        fs::write(&path, moved).map_err(|error| told(&error))
    }

    /// Starts the page, and returns its link.
    fn start_page(&self) -> Result<(Child, String), String> {
        let told = |error: &dyn std::fmt::Display| format!("`pintle view`: {error}");
        let mut child = self.command(&["view"]).spawn().map_err(|error| told(&error))?;
        let mut line = String::new();
        let output = child.stdout.take().ok_or_else(|| told(&"no output"))?;
        BufReader::new(output).read_line(&mut line).map_err(|error| told(&error))?;
        let said: Value = serde_json::from_str(&line).map_err(|error| told(&error))?;
        let field = |name: &str| said.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let token = fs::read_to_string(field("token_file")).map_err(|error| told(&error))?;
        Ok((child, format!("{}#token={}", field("url"), token.trim())))
    }

    /// Runs the check, makes a call when it asks for one, and returns the faults that it finds.
    fn watch(&self, check: &mut Command) -> Result<Vec<String>, String> {
        let told = |error: std::io::Error| format!("node: {error}");
        let mut child = check.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(told)?;
        let output = child.stdout.take().ok_or("node has no output")?;
        let mut faults = Vec::new();
        for line in BufReader::new(output).lines() {
            match line.map_err(told)? {
                line if line == "make a call" => self.call(NEWEST.0, "newest", NEWEST.1)?,
                line => faults.push(line),
            }
        }
        match child.wait().map_err(told)?.success() {
            true => Ok(faults),
            false => Err(String::from("`check.mjs` failed")),
        }
    }
}
