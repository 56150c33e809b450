//! Texts of files that an editor has not saved yet.
//!
//! What an editor shows is what its user means, so it is read instead of what is on the disk. Nothing is written.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

thread_local! {
    /// The texts that this thread reads instead of files.
    static TEXTS: RefCell<UnsavedTexts> = RefCell::default();
}

/// The texts of files, by their paths. A clone shares the texts.
#[derive(Debug, Clone, Default)]
pub struct UnsavedTexts(Arc<BTreeMap<PathBuf, Arc<str>>>);

impl UnsavedTexts {
    /// The texts of these files. Each is found by the path that is given and by the one without links.
    #[must_use]
    pub fn new(texts: impl IntoIterator<Item = (PathBuf, Arc<str>)>) -> Self {
        let mut by_path = BTreeMap::new();
        for (path, text) in texts {
            by_path.insert(crate::real_path(&path), Arc::clone(&text));
            by_path.insert(path, text);
        }
        Self(Arc::new(by_path))
    }

    /// Reads these texts instead of the files during a piece of work.
    pub fn read_during<T>(&self, work: impl FnOnce() -> T) -> T {
        let _end = EndOfTexts(TEXTS.replace(self.clone()));
        work()
    }

    /// The texts that this thread reads.
    pub(crate) fn of_this_thread() -> Self {
        TEXTS.with_borrow(Clone::clone)
    }
}

/// Ends the use of texts, also if the work panics.
struct EndOfTexts(UnsavedTexts);

impl Drop for EndOfTexts {
    fn drop(&mut self) {
        TEXTS.set(std::mem::take(&mut self.0));
    }
}

/// The text that is read instead of a file.
pub(crate) fn find_text(path: &Path) -> Option<Arc<str>> {
    TEXTS.with_borrow(|texts| match texts.0.is_empty() {
        true => None,
        false => texts.0.get(path).or_else(|| texts.0.get(&std::path::absolute(path).ok()?)).cloned(),
    })
}

/// Whether a text is read instead of a file, which need not exist.
#[must_use]
pub fn is_unsaved(path: impl AsRef<Path>) -> bool {
    find_text(path.as_ref()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsaved_text_is_read_instead_of_the_file_and_only_during_the_work() {
        let dir = tempfile::tempdir().unwrap();
        let (saved, new) = (dir.path().join("saved"), dir.path().join("new"));
        std::fs::write(&saved, "old").unwrap();
        let text = |path: &Path, text: &str| (path.to_owned(), Arc::from(text));
        let texts = UnsavedTexts::new([text(&saved, "edited"), text(&new, "né")]);
        texts.read_during(|| {
            assert_eq!(crate::read_text(&saved).unwrap(), "edited");
            assert_eq!(crate::read(&new).unwrap(), "né".as_bytes());
            assert_eq!(crate::read_head_sized(&new, 1).unwrap(), (b"n".to_vec(), 3));
            assert!(crate::is_file(&new) && crate::exists(&new));
            let handle = crate::WatchHandle::of_this_thread();
            let in_thread = std::thread::scope(|scope| {
                scope.spawn(|| handle.take_part(|| crate::read_text(&saved).unwrap())).join().unwrap()
            });
            assert_eq!(in_thread, "edited");
        });
        assert_eq!(crate::read_text(&saved).unwrap(), "old");
        assert!(!crate::is_file(&new) && crate::read(&new).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_file_has_its_unsaved_text() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let texts = UnsavedTexts::new([(link.clone(), Arc::from("edited"))]);
        assert_eq!(
            texts.read_during(|| (crate::read_text(&file).unwrap(), crate::read_text(&link).unwrap())),
            (String::from("edited"), String::from("edited"))
        );
    }
}
