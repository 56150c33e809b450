//! Reports the files that tools and the host changed to the hooks of `file.edited`.

use std::sync::Arc;

use pintle_host::Event;
use pintle_host::event::FileEdited;
use serde_json::{Map, Value};

use crate::edits::{EditAuthor, WatchedCall};
use crate::turn_context::TurnContext;

impl TurnContext {
    /// Fires `file.edited` for everything this turn's run has changed since the last time. What such a hook changes
    /// itself is reported the next time. A hook that fails does not keep the other edits from being reported.
    pub(crate) fn report_edits(&self) {
        self.fire_edits(Some(&self.origin.run));
    }

    /// Fires `file.edited` for the edits of all runs, when the session ends.
    pub(crate) fn report_all_edits(&self) {
        self.fire_edits(None);
    }

    fn fire_edits(&self, run: Option<&str>) {
        for payload in self.agent.shared.state.edits.take(run) {
            let _ = self.fire_end(&Event::from_payload(&payload, Arc::clone(&self.origin)));
        }
    }

    /// Queues an edit that the host reports.
    pub(crate) fn queue_host_edit(&self, path: &str, metadata: Map<String, Value>) {
        if !self.has_listener::<FileEdited>() {
            return;
        }
        let workspace = &self.agent.shared.workspace;
        let size = || workspace.stat(path).ok().map(|stat| stat.size_bytes);
        let payload = FileEdited::reported(&workspace.root().join(path), metadata, size);
        self.agent.shared.state.edits.push(&self.origin.run, payload);
    }

    /// Watches the workspace while a call runs, if a hook listens.
    pub(crate) fn watch_call<'a>(&'a self, tool: &'a str, call_id: &'a str) -> Option<WatchedCall<'a>> {
        let shared = &self.agent.shared;
        let author = EditAuthor { run: &self.origin.run, tool, call_id: Some(call_id) };
        self.has_listener::<FileEdited>().then(|| shared.state.edits.watch(&shared.workspace, author))
    }
}
