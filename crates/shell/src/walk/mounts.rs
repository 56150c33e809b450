//! Commands that see directories of this machine under other names.

use std::path::PathBuf;

use super::{CommandWalk, ShellArg};

impl CommandWalk<'_> {
    /// Runs with directories mounted: each path of this machine with its name inside.
    pub(crate) fn run_mounted(
        &mut self,
        mounts: &[(PathBuf, String)],
        workdir: Option<String>,
        run: impl FnOnce(&mut Self),
    ) {
        let links = self.state.links.clone();
        let cwd = self.state.cwd.take();
        for (path, inside) in mounts {
            self.state.links.insert(PathBuf::from(inside.trim_end_matches('/')), path.clone());
        }
        if let Some(workdir) = workdir {
            self.enter_directory(&ShellArg::new(workdir));
        }
        run(self);
        self.state.links = links;
        self.state.cwd = cwd;
    }
}
