//! Checks documents on a thread of their own, and shows the editor what was found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use pintle_host::contract::{Location, SourceFile};
use pintle_host::files::real_path;
use pintle_host::{Diagnostic, Severity};
use serde_json::{Value, json};

use super::check::{CheckReport, check_documents};
use super::documents::{OpenDocument, uri_of};
use super::framing::frame_message;
use super::positions::{LineStarts, TextRange, range_of};
use crate::options::UserOptions;
use crate::terminal::Terminal;

/// The outcome of one example, beside its first line.
#[derive(Debug, Clone)]
pub(super) struct ShownExample {
    pub(super) range: TextRange,
    /// The decision if it holds; what differs if it does not.
    pub(super) summary: Result<String, String>,
}

/// A hook or a rule, and where it is declared.
#[derive(Debug, Clone)]
pub(super) struct DeclaredName {
    pub(super) name: String,
    pub(super) uri: String,
    pub(super) range: TextRange,
}

/// Checks what it is told, the newest texts first, and publishes the findings.
#[derive(Debug, Clone)]
pub(super) struct DocumentChecker(Arc<CheckerState>);

#[derive(Debug, Default)]
struct CheckerState {
    job: Mutex<CheckJob>,
    changed: Condvar,
    examples: Mutex<BTreeMap<String, Vec<ShownExample>>>,
    declared: Mutex<Vec<DeclaredName>>,
}

/// What is to be checked next.
#[derive(Debug, Default)]
struct CheckJob {
    documents: Option<Vec<OpenDocument>>,
    /// Whether the editor can be told to ask for the outcomes again.
    refreshes_hints: bool,
    has_ended: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DocumentChecker {
    /// Starts the thread. Without one, nothing is checked.
    pub(super) fn start(terminal: Terminal, user: UserOptions) -> (Self, Option<thread::JoinHandle<()>>) {
        let checker = Self(Arc::default());
        let own = checker.clone();
        let run = move || own.run(&terminal, &user);
        let thread = thread::Builder::new().name(String::from("document checker")).spawn(run);
        (checker, thread.ok())
    }

    /// Has the documents checked, instead of those that wait.
    pub(super) fn check(&self, documents: Vec<OpenDocument>, refreshes_hints: bool) {
        let mut job = lock(&self.0.job);
        (job.documents, job.refreshes_hints) = (Some(documents), refreshes_hints);
        self.0.changed.notify_one();
    }

    /// Ends the thread after the documents that wait.
    pub(super) fn end(&self) {
        lock(&self.0.job).has_ended = true;
        self.0.changed.notify_one();
    }

    /// The outcomes of the examples in a document, as far as they were checked.
    pub(super) fn examples_of(&self, uri: &str) -> Vec<ShownExample> {
        lock(&self.0.examples).get(uri).cloned().unwrap_or_default()
    }

    /// The hooks and rules that were loaded.
    pub(super) fn declared_names(&self) -> Vec<DeclaredName> {
        lock(&self.0.declared).clone()
    }

    fn run(&self, terminal: &Terminal, user: &UserOptions) {
        let mut published = BTreeSet::new();
        let mut request = 0_u64;
        while let Some((documents, refreshes_hints)) = self.next_job() {
            let report = check_documents(&documents, user);
            let addresses = FileAddresses::new(&documents);
            *lock(&self.0.examples) = show_examples(&report, &addresses);
            *lock(&self.0.declared) = list_declared(&report, &addresses);
            for message in publish_messages(&report, &documents, &addresses, &mut published) {
                terminal.write_exact(&frame_message(&message), "");
            }
            if refreshes_hints {
                request += 1;
                let refresh = json!({"jsonrpc": "2.0", "id": format!("hints {request}"), "method": "workspace/inlayHint/refresh"});
                terminal.write_exact(&frame_message(&refresh), "");
            }
        }
    }

    /// The next documents; waits for them. `None` at the end.
    fn next_job(&self) -> Option<(Vec<OpenDocument>, bool)> {
        let mut job = lock(&self.0.job);
        loop {
            if let Some(documents) = job.documents.take() {
                return Some((documents, job.refreshes_hints));
            }
            if job.has_ended {
                return None;
            }
            job = self.0.changed.wait(job).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The addresses of files: as the editor writes them, if it shows the file.
struct FileAddresses(BTreeMap<PathBuf, String>);

impl FileAddresses {
    fn new(documents: &[OpenDocument]) -> Self {
        let open =
            documents.iter().filter_map(|document| Some((real_path(document.path.as_ref()?), document.uri.clone())));
        Self(open.collect())
    }

    fn address_of(&self, location: &Location) -> Option<String> {
        let path = location.path()?;
        self.0.get(&real_path(path)).cloned().or_else(|| uri_of(path))
    }
}

fn list_declared(report: &CheckReport, addresses: &FileAddresses) -> Vec<DeclaredName> {
    let listed = report.declared.iter().filter_map(|(name, location)| {
        let (uri, file) = (addresses.address_of(location)?, location.file.as_ref()?);
        Some(DeclaredName { name: name.clone(), uri, range: range_of(&file.text, location.span) })
    });
    listed.collect()
}

fn show_examples(report: &CheckReport, addresses: &FileAddresses) -> BTreeMap<String, Vec<ShownExample>> {
    let mut shown: BTreeMap<String, Vec<ShownExample>> = BTreeMap::new();
    for result in &report.results {
        let location = result.location();
        if let (Some(uri), Some(file)) = (addresses.address_of(location), &location.file) {
            let range = range_of(&file.text, location.span);
            let summary = result.summary().map(str::to_owned);
            shown.entry(uri).or_default().push(ShownExample { range, summary });
        }
    }
    shown
}

/// The findings of every document and of every file that has or had some.
fn publish_messages(
    report: &CheckReport,
    documents: &[OpenDocument],
    addresses: &FileAddresses,
    published: &mut BTreeSet<String>,
) -> Vec<Value> {
    let mut by_uri: BTreeMap<String, Vec<Value>> =
        std::mem::take(published).into_iter().map(|uri| (uri, Vec::new())).collect();
    for document in documents {
        by_uri.entry(document.uri.clone()).or_default();
    }
    // Findings come file by file.
    let (mut last_file, mut lines): (Option<&Arc<SourceFile>>, _) = (None, LineStarts::new(""));
    for found in &report.findings {
        let location = &found.diagnostic.location;
        let uri = addresses.address_of(location).unwrap_or_else(|| found.uri.clone());
        let file = location.file.as_ref();
        if !last_file.zip(file).is_some_and(|(last, file)| Arc::ptr_eq(last, file)) {
            (last_file, lines) = (file, LineStarts::new(file.map_or("", |file| &file.text)));
        }
        by_uri.entry(uri).or_default().push(show_diagnostic(&found.diagnostic, &lines));
    }
    published.extend(by_uri.iter().filter(|(_, found)| !found.is_empty()).map(|(uri, _)| uri.clone()));
    let message = |(uri, diagnostics): (String, Vec<Value>)| {
        let mut params = json!({"uri": uri, "diagnostics": diagnostics});
        let version = documents.iter().find(|document| document.uri == uri).map(|document| document.version);
        if let (Some(version), Some(params)) = (version, params.as_object_mut()) {
            params.insert(String::from("version"), Value::from(version));
        }
        json!({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params})
    };
    by_uri.into_iter().map(message).collect()
}

/// A diagnostic as the protocol has it. One without a place is shown at the start.
fn show_diagnostic(diagnostic: &Diagnostic, lines: &LineStarts<'_>) -> Value {
    let severity = match diagnostic.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Note => 3,
    };
    let help = diagnostic.help.as_deref().map(|help| format!("\n{help}")).unwrap_or_default();
    json!({
        "range": lines.range_of(diagnostic.location.span),
        "severity": severity,
        "code": diagnostic.code,
        "source": "pintle",
        "message": format!("{}{help}", diagnostic.message),
    })
}
