//! A project, and the program that serves its hooks.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::schema::assert_fits;

/// How long anything may take before a test gives up. Far more than it needs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Asks about a tool, changes another, and refuses the third call of a session.
const HOOKS: [(&str, &str); 4] = [
    (
        "ask_deploy",
        "payload[\"name\"] == \"deploy\"\nscript: |\n  def handle(event, payload):\n      return ask(\"deploying needs the user\")",
    ),
    (
        "shape",
        "payload[\"name\"] == \"fetch\"\nscript: |\n  def handle(event, payload):\n      return modify({\"args\": {\"url\": \"https://example.com\"}})",
    ),
    (
        "twice",
        "payload[\"name\"] == \"count\"\nscript: |\n  def handle(event, payload):\n      metrics.incr(\"calls\")\n      \
         return block(\"twice is enough\") if metrics.get(\"calls\") > 2 else allow()",
    ),
    (
        "tell",
        "payload[\"name\"] == \"tell\"\nscript: |\n  def handle(event, payload):\n      transcript.inject_reminder(\"be brief\")\n      return allow()",
    ),
];

/// A directory with a project, a home and the user's own settings.
pub(crate) struct ServeFixture {
    root: tempfile::TempDir,
}

impl ServeFixture {
    pub(crate) fn new() -> Self {
        let fixture = Self { root: tempfile::tempdir().unwrap() };
        for dir in ["home", "config", "state"] {
            fs::create_dir(fixture.path(dir)).unwrap();
        }
        fixture.write(".harness/policy.yaml", "use: [shell]\n");
        for (name, body) in HOOKS {
            fixture.write(&format!(".harness/hooks/{name}.md"), &format!("---\nevent: tool.pre\nwhen: {body}\n---\n"));
        }
        fixture
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path("project").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The program with arguments, in the project.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pintle"));
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.path("home")).env("PINTLE_USER_SETUP", "1");
        command.env("PINTLE_CONFIG_DIR", self.path("config")).env("PINTLE_STATE_DIR", self.path("state"));
        command.args(arguments).current_dir(self.path("project"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// A server of this project for one host.
    pub(crate) fn start_stdio(&self, arguments: &[&str]) -> StdioHost {
        let mut child = self.command(&["serve", "--stdio", "--hooks", "."]).args(arguments).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        StdioHost { child, stdin, lines, early: HashMap::new(), last_id: 0 }
    }

    /// A server of this project for hosts that ask over HTTP.
    pub(crate) fn start_http(&self, arguments: &[&str]) -> HttpHost {
        HttpHost::start(self.command(&["serve", "--hooks", ".", "--http"]).args(arguments))
    }
}

/// A host over standard input and output.
pub(crate) struct StdioHost {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    early: HashMap<String, Value>,
    last_id: u64,
}

impl StdioHost {
    /// Sends a text as it is.
    pub(crate) fn send_text(&mut self, text: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(text).and_then(|()| stdin.flush()).unwrap();
    }

    /// Sends a request, and returns its ID.
    pub(crate) fn send(&mut self, mut request: Value) -> Value {
        self.last_id += 1;
        request["id"] = json!(self.last_id);
        self.send_text(format!("{request}\n").as_bytes());
        request["id"].clone()
    }

    /// The next answer, to whatever request.
    pub(crate) fn next_answer(&mut self) -> Value {
        let answer = self.lines.recv_timeout(PATIENCE).unwrap();
        assert_fits("Answer", &answer);
        answer
    }

    /// The answer to a request.
    pub(crate) fn answer_to(&mut self, id: &Value) -> Value {
        loop {
            if let Some(answer) = self.early.remove(&id.to_string()) {
                return answer;
            }
            let answer = self.next_answer();
            self.early.insert(answer["id"].to_string(), answer);
        }
    }

    /// Sends a request that is well formed, and waits for its result.
    pub(crate) fn ask(&mut self, request: Value) -> Value {
        assert_fits("Request", &request);
        let id = self.send(request);
        let answer = self.answer_to(&id);
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// Sends a request, and waits for the code of its error.
    pub(crate) fn ask_error(&mut self, request: Value) -> String {
        let id = self.send(request);
        let answer = self.answer_to(&id);
        answer["error"]["code"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    pub(crate) fn open(&mut self, session: &str) {
        assert_eq!(self.ask(json!({"op": "open", "session": session}))["opened"], true);
    }

    /// Tries to open a session, and returns the code of the error if there is one.
    pub(crate) fn send_open(&mut self, session: &str) -> Value {
        let id = self.send(json!({"op": "open", "session": session}));
        self.answer_to(&id)["error"]["code"].clone()
    }

    /// The result of deciding on a call.
    pub(crate) fn decide(&mut self, session: &str, id: &str, name: &str, args: Value) -> Value {
        self.ask(decide_request(session, id, name, args))
    }

    /// Closes standard input, and waits for the end; gives the exit status.
    pub(crate) fn end(&mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.child.wait().unwrap().code()
    }
}

impl Drop for StdioHost {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The request about a call.
pub(crate) fn decide_request(session: &str, id: &str, name: &str, args: Value) -> Value {
    json!({"op": "decide", "session": session, "call": {"id": id, "name": name, "args": args}})
}

/// A host over HTTP.
pub(crate) struct HttpHost {
    child: Child,
    pub(crate) address: String,
    pub(crate) token: String,
    pub(crate) token_file: PathBuf,
}

impl HttpHost {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let first: Value = serde_json::from_str(&first).unwrap();
        let token_file = PathBuf::from(first["token_file"].as_str().unwrap());
        let token = fs::read_to_string(&token_file).unwrap().trim().to_owned();
        let address = first["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
        Self { child, address, token, token_file }
    }

    /// Sends a request as it is, and gives the status and the body of the response.
    pub(crate) fn send_text(&self, text: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // A server that has decided need not read all of it.
        let _ = stream.write_all(text);
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response);
        let response = String::from_utf8(response).unwrap();
        let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, body.to_owned())
    }

    /// Sends a request with further header fields; `Host` and the token are there unless they are replaced.
    pub(crate) fn send(&self, line: &str, fields: &[(&str, &str)], body: &str) -> (u16, Value) {
        let bearer = format!("Bearer {}", self.token);
        let length = body.len().to_string();
        let mut all = vec![("Connection", "close"), ("Content-Length", &*length)];
        for (name, value) in [("Host", &*self.address), ("Authorization", &*bearer)] {
            if !fields.iter().any(|(given, _)| *given == name) {
                all.push((name, value));
            }
        }
        all.extend(fields);
        // An empty value leaves a field out.
        let written = all.iter().filter(|(_, value)| !value.is_empty());
        let head: String = written.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let (status, body) = self.send_text(format!("{line} HTTP/1.1\r\n{head}\r\n{body}").as_bytes());
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    /// Sends an operation.
    pub(crate) fn post(&self, operation: &str, body: &Value) -> (u16, Value) {
        let (status, answer) = self.send(&format!("POST /v1/{operation}"), &[], &body.to_string());
        assert_fits("Answer", &answer);
        (status, answer)
    }

    /// Asks the server to end, and waits for it; gives the exit status.
    pub(crate) fn terminate(&mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for HttpHost {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
