//! Reads the editor's messages, and answers them.

use std::collections::BTreeMap;
use std::env;
use std::io::BufRead;
use std::thread::JoinHandle;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::completion::complete;
use super::definition::find_definition;
use super::documents::{DocumentVersion, OpenDocument, OpenDocuments, OpenedDocument, TextChange, path_of};
use super::framing::{ReadMessage, frame_message, read_message};
use super::hover::hover;
use super::positions::TextPosition;
use super::publish::DocumentChecker;
use crate::error::CliStatus;
use crate::options::UserOptions;
use crate::terminal::Terminal;

/// The server, which lives as long as the editor's connection.
#[derive(Debug)]
pub(super) struct LanguageServer {
    terminal: Terminal,
    documents: OpenDocuments,
    checker: DocumentChecker,
    thread: Option<JoinHandle<()>>,
    phase: ServerPhase,
    /// Whether the editor can be told to ask for hints again.
    refreshes_hints: bool,
    /// Whether documents changed since they were last checked.
    is_stale: bool,
}

/// How far the connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServerPhase {
    Started,
    Initialized,
    ShutDown,
    Exited,
}

/// Why a request is not answered.
#[derive(Debug)]
struct RequestFailure {
    code: i32,
    message: String,
}

impl RequestFailure {
    const PARSE: i32 = -32_700;
    const INVALID_REQUEST: i32 = -32_600;
    const UNKNOWN_METHOD: i32 = -32_601;
    const INVALID_PARAMS: i32 = -32_602;
    const NOT_INITIALIZED: i32 = -32_002;

    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

#[derive(Debug, Deserialize)]
struct OpenParams {
    #[serde(rename = "textDocument")]
    document: OpenedDocument,
}

#[derive(Debug, Deserialize)]
struct ChangeParams {
    #[serde(rename = "textDocument")]
    document: DocumentVersion,
    #[serde(rename = "contentChanges")]
    changes: Vec<TextChange>,
}

#[derive(Debug, Deserialize)]
struct DocumentParams {
    #[serde(rename = "textDocument")]
    document: DocumentAddress,
}

#[derive(Debug, Deserialize)]
struct PositionParams {
    #[serde(rename = "textDocument")]
    document: DocumentAddress,
    position: TextPosition,
}

#[derive(Debug, Deserialize)]
struct DocumentAddress {
    uri: String,
}

impl LanguageServer {
    pub(super) fn start(terminal: Terminal, user: UserOptions) -> Self {
        let (checker, thread) = DocumentChecker::start(terminal.clone(), user);
        Self {
            terminal,
            documents: OpenDocuments::default(),
            checker,
            thread,
            phase: ServerPhase::Started,
            refreshes_hints: false,
            is_stale: false,
        }
    }

    /// Serves until the editor says that it ends, or its connection ends.
    pub(super) fn serve(mut self, input: &mut (impl BufRead + HasMore)) -> CliStatus {
        let mut was_shut_down = false;
        // An input that cannot be read has ended, and so has an editor that reads no answers.
        while self.phase != ServerPhase::Exited
            && !self.terminal.is_closed()
            && let Ok(Some(message)) = read_message(input)
        {
            match message {
                ReadMessage::Whole(message) => self.handle(message),
                ReadMessage::Malformed(problem) => {
                    self.answer(&Value::Null, Err(RequestFailure::new(RequestFailure::PARSE, problem)));
                }
            }
            was_shut_down |= self.phase == ServerPhase::ShutDown;
            // What is typed faster than it is read is checked once.
            if self.is_stale && !input.has_more() {
                self.is_stale = false;
                self.checker.check(self.documents.snapshot(), self.refreshes_hints);
            }
        }
        self.checker.end();
        if let Some(thread) = self.thread.take() {
            // It has printed what made it panic.
            let _ = thread.join();
        }
        if was_shut_down { CliStatus::Done } else { CliStatus::Failed }
    }

    fn handle(&mut self, message: Value) {
        let id = message.get("id").cloned();
        let is_id = |id: &Value| id.is_string() || id.is_number();
        let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
        let params = message.get("params").cloned().unwrap_or_default();
        match (method, id) {
            (Some(method), None) => self.notify(&method, params),
            (Some(method), Some(id)) if is_id(&id) => {
                let result = self.request(&method, params);
                self.answer(&id, result);
            }
            // The answer of a request to the editor, which none of them needs.
            (None, Some(_)) if message.get("result").is_some() || message.get("error").is_some() => {}
            _ => {
                let failure = RequestFailure::new(RequestFailure::INVALID_REQUEST, "the message is not a request");
                self.answer(&Value::Null, Err(failure));
            }
        }
    }

    fn answer(&self, id: &Value, result: Result<Value, RequestFailure>) {
        let message = match result {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(RequestFailure { code, message }) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
            }
        };
        self.terminal.write_exact(&frame_message(&message), "");
    }

    fn notify(&mut self, method: &str, params: Value) {
        if method == "exit" {
            self.phase = ServerPhase::Exited;
        }
        if self.phase != ServerPhase::Initialized {
            return;
        }
        // A notification has no answer that could say what is wrong with it.
        match method {
            "textDocument/didOpen" => {
                if let Ok(OpenParams { document }) = read_params(params) {
                    self.documents.open(document);
                    self.is_stale = true;
                }
            }
            "textDocument/didChange" => {
                if let Ok(ChangeParams { document, changes }) = read_params(params) {
                    self.documents.change(&document, &changes);
                    self.is_stale = true;
                }
            }
            "textDocument/didClose" => {
                if let Ok(DocumentParams { document }) = read_params(params) {
                    self.documents.close(&document.uri);
                    self.is_stale = true;
                }
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.is_stale = true,
            _ => {}
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Result<Value, RequestFailure> {
        match (self.phase, method) {
            (ServerPhase::Started, "initialize") => Ok(self.initialize(&params)),
            (ServerPhase::Started, _) => {
                Err(RequestFailure::new(RequestFailure::NOT_INITIALIZED, "the server is not initialized"))
            }
            (ServerPhase::Initialized, "shutdown") => {
                self.phase = ServerPhase::ShutDown;
                Ok(Value::Null)
            }
            (ServerPhase::Initialized, "textDocument/inlayHint") => {
                let DocumentParams { document } = read_params(params)?;
                Ok(self.hints_of(&document.uri))
            }
            (ServerPhase::Initialized, "textDocument/completion") => {
                self.answer_at(params, |_, document, position| complete(document, position))
            }
            (ServerPhase::Initialized, "textDocument/hover") => {
                self.answer_at(params, |_, document, position| hover(document, position))
            }
            (ServerPhase::Initialized, "textDocument/definition") => {
                self.answer_at(params, |server, document, position| {
                    find_definition(document, position, &server.documents, &server.checker.declared_names())
                })
            }
            (ServerPhase::Initialized, "initialize") | (ServerPhase::ShutDown | ServerPhase::Exited, _) => {
                Err(RequestFailure::new(RequestFailure::INVALID_REQUEST, format!("`{method}` is not allowed now")))
            }
            (ServerPhase::Initialized, _) => {
                Err(RequestFailure::new(RequestFailure::UNKNOWN_METHOD, format!("there is no method `{method}`")))
            }
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.phase = ServerPhase::Initialized;
        let refresh = params.pointer("/capabilities/workspace/inlayHint/refreshSupport");
        self.refreshes_hints = refresh.and_then(Value::as_bool).unwrap_or_default();
        let folder = params.pointer("/workspaceFolders/0/uri").or_else(|| params.get("rootUri"));
        if let Some(folder) = folder.and_then(Value::as_str).and_then(path_of) {
            // Paths in examples are relative to the folder. One that does not exist has no files to check either.
            let _ = env::set_current_dir(folder);
        }
        json!({
            "serverInfo": {"name": "pintle", "version": env!("CARGO_PKG_VERSION")},
            "capabilities": {
                "positionEncoding": "utf-16",
                "textDocumentSync": {"openClose": true, "change": 2, "save": true},
                "completionProvider": {"triggerCharacters": [":", " ", "\"", "'", "[", "."]},
                "hoverProvider": true,
                "definitionProvider": true,
                "inlayHintProvider": true,
            },
        })
    }

    /// Answers a request about a position of a document; `null` if the document is not open.
    fn answer_at(
        &self,
        params: Value,
        answer: impl FnOnce(&Self, &OpenDocument, TextPosition) -> Value,
    ) -> Result<Value, RequestFailure> {
        let PositionParams { document, position } = read_params(params)?;
        Ok(self.documents.find(&document.uri).map_or(Value::Null, |document| answer(self, document, position)))
    }

    /// The outcome of each example of a document, behind its first line.
    fn hints_of(&self, uri: &str) -> Value {
        let Some(document) = self.documents.find(uri) else { return Value::Null };
        let lines: BTreeMap<u32, &str> = (0_u32..).zip(document.text.split('\n')).collect();
        let hint = |example: super::publish::ShownExample| {
            let line = example.range.start.line;
            let end = lines.get(&line).map_or(0, |text| text.trim_end_matches('\r').encode_utf16().count());
            let (label, tooltip) = match example.summary {
                Ok(decision) => (format!("✓ {decision}"), String::from("the example holds")),
                Err(problem) => (String::from("✗ fails"), problem),
            };
            json!({"position": {"line": line, "character": end}, "label": label, "paddingLeft": true, "tooltip": tooltip})
        };
        self.checker.examples_of(uri).into_iter().map(hint).collect()
    }
}

fn read_params<T: DeserializeOwned>(params: Value) -> Result<T, RequestFailure> {
    serde_json::from_value(params).map_err(|error| {
        RequestFailure::new(RequestFailure::INVALID_PARAMS, format!("the parameters are not valid: {error}"))
    })
}

/// An input that knows whether more was already read.
pub(super) trait HasMore {
    /// Whether bytes wait.
    fn has_more(&self) -> bool;
}

impl<R: std::io::Read> HasMore for std::io::BufReader<R> {
    fn has_more(&self) -> bool {
        !self.buffer().is_empty()
    }
}
