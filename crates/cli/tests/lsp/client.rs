//! A small editor.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use pintle_testkit::PATIENCE;
use serde_json::{Value, json};

/// An editor with a project.
pub(crate) struct EditorClient {
    root: tempfile::TempDir,
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    requests: u64,
    /// The texts of the open documents, with their versions.
    pub(crate) texts: BTreeMap<String, (String, i64)>,
    /// The newest findings of each document.
    pub(crate) findings: BTreeMap<String, Vec<Value>>,
    /// The versions of the documents that they are about.
    pub(crate) checked: BTreeMap<String, i64>,
}

impl EditorClient {
    /// Starts the server in a project with these files.
    pub(crate) fn start<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Self {
        let root = tempfile::tempdir().unwrap();
        for dir in ["home", "config", "state", "project"] {
            fs::create_dir(root.path().join(dir)).unwrap();
        }
        let project = root.path().join("project");
        for (path, text) in files {
            let path = project.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_pintle"));
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", root.path().join("home"));
        command.env("PINTLE_CONFIG_DIR", root.path().join("config")).env("PINTLE_STATE_DIR", root.path().join("state"));
        command.args(["lsp", "--stdio"]).current_dir(&project).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (send, messages) = channel();
        std::thread::spawn(move || {
            loop {
                let mut length = None;
                loop {
                    let mut line = String::new();
                    if output.read_line(&mut line).unwrap() == 0 {
                        return;
                    }
                    match line.trim_end().split_once(": ") {
                        None => break,
                        Some((_, value)) => length = value.parse::<usize>().ok(),
                    }
                }
                let mut body = vec![0; length.unwrap()];
                output.read_exact(&mut body).unwrap();
                if send.send(serde_json::from_slice(&body).unwrap()).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self {
            root,
            child,
            input,
            messages,
            requests: 0,
            texts: BTreeMap::new(),
            findings: BTreeMap::new(),
            checked: BTreeMap::new(),
        }
    }

    /// Starts the server, and says what editors say first.
    pub(crate) fn start_initialized<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Self {
        let mut editor = Self::start(files);
        let root = editor.uri("");
        let answer = editor.request("initialize", json!({"capabilities": {}, "rootUri": root}));
        assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-16");
        editor.notify("initialized", json!({}));
        editor
    }

    pub(crate) fn project(&self) -> std::path::PathBuf {
        self.root.path().join("project")
    }

    pub(crate) fn uri(&self, path: &str) -> String {
        let project = self.project();
        let path = if path.is_empty() { project } else { project.join(path) };
        format!("file://{}", path.display())
    }

    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        // A server that has ended reads nothing.
        let _ = self.input.as_mut().unwrap().write_all(bytes);
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request, and returns its answer.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.answer_of(&json!(id))
    }

    /// The answer with this ID; other messages before it are taken note of.
    pub(crate) fn answer_of(&mut self, id: &Value) -> Value {
        loop {
            let message = self.next_message();
            if message["id"] == *id && message.get("method").is_none() {
                return message;
            }
        }
    }

    fn next_message(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).unwrap();
        if message["method"] == "textDocument/publishDiagnostics" {
            let params = &message["params"];
            let uri = params["uri"].as_str().unwrap();
            self.findings.insert(uri.to_owned(), params["diagnostics"].as_array().unwrap().clone());
            self.checked.insert(uri.to_owned(), params["version"].as_i64().unwrap_or_default());
        }
        message
    }

    /// The findings of the newest text of an open document.
    pub(crate) fn findings_of(&mut self, path: &str) -> Vec<Value> {
        let uri = self.uri(path);
        let version = self.texts.get(path).map(|(_, version)| *version);
        loop {
            let message = self.next_message();
            let params = &message["params"];
            if params["uri"] == *uri && version.is_none_or(|version| params["version"] == version) {
                return self.findings[&uri].clone();
            }
        }
    }

    pub(crate) fn open(&mut self, path: &str, text: &str) {
        self.texts.insert(path.to_owned(), (text.to_owned(), 1));
        let document = json!({"uri": self.uri(path), "languageId": "x", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Replaces the first place of a text in a document.
    pub(crate) fn edit(&mut self, path: &str, old: &str, new: &str) {
        let (text, version) = self.texts.get_mut(path).unwrap();
        let start = text.find(old).unwrap_or_else(|| panic!("`{old}` is not in {path}"));
        let range = json!({"start": position(text, start), "end": position(text, start + old.len())});
        text.replace_range(start..start + old.len(), new);
        *version += 1;
        let version = *version;
        let document = json!({"uri": self.uri(path), "version": version});
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": [{"range": range, "text": new}]}),
        );
    }

    /// Asks about the place behind a text of a document.
    pub(crate) fn ask_behind(&mut self, method: &str, path: &str, before: &str) -> Value {
        let text = &self.texts[path].0;
        let at = text.find(before).unwrap_or_else(|| panic!("`{before}` is not in {path}")) + before.len();
        let at = position(text, at);
        let uri = self.uri(path);
        self.request(method, json!({"textDocument": {"uri": uri}, "position": at}))
    }

    /// Ends the connection as editors do. Returns the exit status.
    pub(crate) fn end(mut self) -> Option<i32> {
        let answer = self.request("shutdown", Value::Null);
        assert_eq!(answer["result"], Value::Null);
        self.notify("exit", Value::Null);
        self.wait()
    }

    /// Closes the connection without a word. Returns the exit status.
    pub(crate) fn wait(mut self) -> Option<i32> {
        self.input.take();
        self.child.wait().unwrap().code()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        Path::new(&self.project()).join(path).exists()
    }
}

impl Drop for EditorClient {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The position of a byte, counted in the units of the protocol.
pub(crate) fn position(text: &str, byte: usize) -> Value {
    let before = &text[..byte];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    json!({"line": before.matches('\n').count(), "character": before[line_start..].encode_utf16().count()})
}
