//! Finds the same directory in the other worktrees of its git repository.

use std::path::{Path, PathBuf};

/// What git calls its directory in a worktree, or the file that names it.
const GIT: &str = ".git";

/// The directory as it is in each other worktree of its repository. A worktree is one only if the repository knows it:
/// a directory cannot say by itself to what repository it belongs.
pub(super) fn counterparts(dir: &Path) -> Vec<PathBuf> {
    let root = dir.ancestors().find(|dir| pintle_files::symlink_metadata(dir.join(GIT)).is_ok());
    let Some((root, repository)) = root.and_then(|root| Some((root, repository_of(root)?))) else { return Vec::new() };
    let Ok(below) = dir.strip_prefix(root) else { return Vec::new() };
    let linked = pintle_files::read_dir(repository.join("worktrees")).into_iter().flatten().flatten();
    let linked = linked.filter_map(|entry| Some(read_path(&entry.path(), "gitdir")?.parent()?.to_owned()));
    let roots = repository.parent().map(Path::to_owned).into_iter().chain(linked);
    let others = roots.filter(|other| other != root && repository_of(other).as_ref() == Some(&repository));
    others.map(|other| if below.as_os_str().is_empty() { other } else { other.join(below) }).collect()
}

/// The repository of a worktree, without links in its path.
fn repository_of(root: &Path) -> Option<PathBuf> {
    let git = root.join(GIT);
    if pintle_files::symlink_metadata(&git).ok()?.is_dir() {
        return pintle_files::canonicalize(git).ok();
    }
    let text = pintle_files::read_text(&git).ok()?;
    let own = pintle_files::canonicalize(root.join(text.trim_end().strip_prefix("gitdir: ")?)).ok()?;
    let repository = read_path(&own, "commondir")?;
    let is_known = read_path(&own, "gitdir")? == pintle_files::canonicalize(git).ok()?
        && own.parent()? == repository.join("worktrees");
    is_known.then_some(repository)
}

/// The path in a file of git, without links in it.
fn read_path(dir: &Path, name: &str) -> Option<PathBuf> {
    let text = pintle_files::read_text(dir.join(name)).ok()?;
    pintle_files::canonicalize(dir.join(text.trim_end())).ok()
}
