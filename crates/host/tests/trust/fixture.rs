//! A project, a user with a state directory, and a host that works in the project.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use pintle_host::contract::UntrustedGuardPolicy;
use pintle_host::event::CATALOGUE;
use pintle_host::loader::{LayerDirs, ProjectTrust, TrustGrant, TrustOptions, TrustState, TrustStore};
use pintle_host::{Event, EventName, LoadedRuntime, Origin, Outcome, Runtime};
use serde_json::Value;
use tempfile::TempDir;

/// A guard and an observer that are programs, a module with functions of which one has a capability, and a Markdown
/// file that is not a hook.
pub(crate) const PROJECT: [(&str, &str); 9] = [
    (
        "agent.yaml",
        "agents:\n  root:\n    model: openai/gpt-4o\n    instruction: help\n    hooks:\n      \
         pre_tool_use:\n        - matcher: shell\n          hooks:\n            - {name: guard, type: command, \
         command: '. ./hooks/lib.sh; exec ./hooks/guard.sh'}\n      \
         session_start:\n        - {name: hello, type: command, command: 'cat words/hello.txt'}\n",
    ),
    ("hooks/guard.sh", "#!/bin/sh\ncat >/dev/null\necho 'the guard says no' >&2\nexit 2\n"),
    ("hooks/lib.sh", "COLOUR=blue\n"),
    ("words/hello.txt", "hello from the project\n"),
    (
        "harn.toml",
        "[[hooks]]\nevent = \"UserPromptSubmit\"\nhandler = \"policy::judge\"\n\n\
         [[hooks]]\nevent = \"SessionEnd\"\nhandler = \"teller::tell\"\n",
    ),
    ("policy.star", "def judge(event):\n    if \"secret\" in event[\"prompt\"]:\n        return False\n"),
    ("teller.star", "def tell(event):\n    http.post(\"https://a.example/\", \"over\")\n"),
    ("src/extra.star", "WORDS = [\"a\"]\n"),
    ("README.md", "Nothing to load.\n"),
];

/// A project, and the user who works in it.
pub(crate) struct TrustFixture {
    folder: TempDir,
    pub(crate) guards: Option<UntrustedGuardPolicy>,
    pub(crate) without_dialect: Option<&'static str>,
}

impl TrustFixture {
    /// The project above, not trusted.
    pub(crate) fn new() -> Self {
        let fixture = Self::empty();
        for (file, text) in PROJECT {
            fixture.write(file, text);
        }
        pintle_testkit::make_executable(fixture.path("hooks/guard.sh"));
        fixture
    }

    /// An empty project.
    pub(crate) fn empty() -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap(), guards: None, without_dialect: None };
        fs::create_dir_all(fixture.path(".git")).unwrap();
        fixture
    }

    /// The project above, trusted.
    pub(crate) fn new_trusted() -> Self {
        let fixture = Self::new();
        fixture.grant_trust();
        fixture
    }

    /// A path of the project.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project").join(file)
    }

    /// The path of the trust file.
    pub(crate) fn store_path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("state/trust.json")
    }

    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn trust(&self) -> TrustOptions {
        TrustOptions { store_path: Some(self.store_path()), untrusted_guards: self.guards, ..TrustOptions::default() }
    }

    pub(crate) fn layers(&self) -> LayerDirs {
        let own = self.folder.path().canonicalize().unwrap().join("own");
        let config = own.is_dir().then_some(own);
        LayerDirs {
            cwd: self.path(""),
            config,
            excluded_dialect: self.without_dialect.map(str::to_owned),
            ..LayerDirs::default()
        }
    }

    /// The runtime of a host that works in the project.
    pub(crate) fn build_runtime(&self) -> LoadedRuntime {
        self.build_with_layers(self.layers())
    }

    pub(crate) fn build_with_layers(&self, layers: LayerDirs) -> LoadedRuntime {
        let built = Runtime::builder().layers(layers).trust(self.trust()).load();
        let found: Vec<String> = built.diagnostics.iter().map(ToString::to_string).collect();
        assert!(!built.has_errors(), "{found:?}");
        built
    }

    /// The trust state of the project.
    pub(crate) fn consent(&self) -> ProjectTrust {
        self.build_runtime().projects.into_iter().next().unwrap()
    }

    pub(crate) fn trust_state(&self) -> TrustState {
        self.consent().state
    }

    pub(crate) fn grant_trust(&self) {
        let consent = self.consent();
        TrustStore::grant(&self.trust(), consent.folder(), TrustGrant::new(&consent.manifest, 1)).unwrap();
        assert_eq!(self.trust_state(), TrustState::Trusted);
    }

    /// The outcome of a call of the shell.
    pub(crate) fn call_shell(&self) -> Outcome {
        self.fire(
            "tool.pre",
            serde_json::json!({"name": "shell", "args": {"command": "ls"}, "arguments": "{}", "id": "1"}),
        )
    }

    /// Fires the example of an event, with other fields.
    pub(crate) fn fire(&self, event: &str, fields: Value) -> Outcome {
        self.build_runtime().runtime.fire(&self.build_event(event, fields))
    }

    pub(crate) fn build_event(&self, event: &str, fields: Value) -> Event {
        let def = CATALOGUE.iter().find(|def| def.name == event).unwrap();
        let mut payload = def.example();
        if let (Value::Object(payload), Value::Object(fields)) = (&mut payload, fields) {
            payload.extend(fields);
        }
        let origin = Origin { cwd: self.path("").display().to_string(), ..Origin::default() };
        Event::new(EventName::parse(event).unwrap(), payload, Arc::new(origin))
    }
}
