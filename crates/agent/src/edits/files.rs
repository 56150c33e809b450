//! File changes that are queued for the `file.edited` hooks.

use pintle_host::event::FileEdited;

use super::{EditQueue, WorkspaceWatch, scan};
use crate::workspace::Workspace;

/// The delegation and tool that change a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EditAuthor<'a> {
    /// The delegation's id; empty for the agent that talks to the user.
    pub(crate) run: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) call_id: Option<&'a str>,
}

/// The workspace's files, with every change queued for hooks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TrackedFiles<'a> {
    pub(crate) workspace: &'a Workspace,
    /// The queue and the author of the edits; `None` if no hook listens.
    pub(crate) edit_sink: Option<(&'a EditQueue, EditAuthor<'a>)>,
}

impl TrackedFiles<'_> {
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<(), String> {
        self.queue_change(path, "write", None, || self.workspace.write(path, text))
    }

    /// Writes the new text of a file that was edited in part.
    pub(crate) fn edit(&self, path: &str, text: &str) -> Result<(), String> {
        self.queue_change(path, "edit", None, || self.workspace.write(path, text))
    }

    pub(crate) fn append(&self, path: &str, text: &str) -> Result<(), String> {
        self.queue_change(path, "append", None, || self.workspace.append(path, text))
    }

    pub(crate) fn remove(&self, path: &str) -> Result<(), String> {
        self.queue_change(path, "delete", None, || self.workspace.remove(path))
    }

    pub(crate) fn make_dir(&self, path: &str) -> Result<(), String> {
        if self.edit_sink.is_none() || self.workspace.exists(path).unwrap_or(false) {
            return self.workspace.make_dir(path);
        }
        self.queue_change(path, "create", None, || self.workspace.make_dir(path))
    }

    pub(crate) fn copy(&self, from: &str, to: &str) -> Result<(), String> {
        self.queue_change(to, "copy", Some(from), || self.workspace.copy(from, to))
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), String> {
        self.queue_change(to, "move", Some(from), || self.workspace.rename(from, to))
    }

    fn queue_change(
        &self,
        path: &str,
        operation: &'static str,
        from: Option<&str>,
        act: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let Some((edits, by)) = &self.edit_sink else { return act() };
        // Held during the change, so that no watched call takes the change for its own.
        let mut watch = edits.watch.lock();
        act()?;
        let size_bytes = self.workspace.stat(path).ok().filter(|stat| !stat.is_dir).map(|stat| stat.size_bytes);
        for path in from.into_iter().chain([path]) {
            self.refresh_stamp(&mut watch, path);
        }
        by.queue_edit(edits, self.workspace, path, operation, size_bytes, from);
        Ok(())
    }

    /// Updates the stamp of a path.
    fn refresh_stamp(&self, watch: &mut WorkspaceWatch, path: &str) {
        let Some(known) = &mut watch.stamps else { return };
        let Ok(path) = self.workspace.relative_path(path) else { return };
        let path = path.to_string_lossy().into_owned();
        match self.workspace.stat(&path) {
            Ok(stat) if !stat.is_dir => drop(known.insert(path, scan::file_stamp(&stat))),
            Ok(_) => {}
            // A directory that is gone takes its files along.
            Err(_) => known.retain(|file, _| *file != path && !file.starts_with(&format!("{path}/"))),
        }
    }
}

impl EditAuthor<'_> {
    pub(super) fn queue_edit(
        &self,
        edits: &EditQueue,
        workspace: &Workspace,
        path: &str,
        operation: &'static str,
        size_bytes: Option<u64>,
        from: Option<&str>,
    ) {
        let absolute = |path: &str| {
            let relative = workspace.relative_path(path).unwrap_or_else(|_| path.into());
            workspace.root().join(relative).display().to_string()
        };
        let payload = FileEdited {
            path: absolute(path),
            operation: operation.to_owned(),
            size_bytes,
            from: from.map(absolute),
            tool: Some(self.tool.to_owned()),
            call_id: self.call_id.map(str::to_owned),
            ..FileEdited::default()
        };
        edits.push(self.run, payload);
    }
}
