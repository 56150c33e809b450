//! What would change.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use pintle::loader::UserDirs;
use similar::TextDiff;

use super::entry::{self, Placed};
use super::settings::Settings;
use super::{Entry, Form, Handler, InstallFault, Options, Scope, Site, backup, line, programs};
use crate::Host;

/// What installing or uninstalling would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The files, in order; empty when all is as it should be.
    pub changes: Vec<Change>,
    /// The folder of the person's own hooks that the command lines name, when it is not there yet. It is made first:
    /// a folder that is named and missing denies.
    pub folder: Option<PathBuf>,
    /// Nothing above this folder is ever removed.
    pub(super) base: PathBuf,
}

/// What becomes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file, or what a link of that name leads to.
    pub path: PathBuf,
    /// Its text; nothing when it is not there yet.
    pub before: Option<String>,
    /// Its text afterwards; nothing when it is removed.
    pub after: Option<String>,
    /// Where a copy of it as it is now is kept.
    pub backup: Option<PathBuf>,
    /// Copies that are needed no more.
    pub obsolete: Vec<PathBuf>,
    /// Whether it is a program.
    pub executable: bool,
}

impl Plan {
    /// What installing Pintle in a host would change. Our own entries of before are replaced.
    ///
    /// # Errors
    /// When a file cannot be read, is no settings file, or is somebody else's, or a folder cannot be named.
    pub fn install(host: &'static Host, site: &Site, scope: Scope, options: &Options) -> Result<Self, InstallFault> {
        let folder = missing(options)?;
        let entries = entry::entries(host, options)?;
        let path = site.path(scope, host.install.place(scope));
        let changes = match &host.install.form {
            form @ (Form::Groups(handler) | Form::Flat(handler)) => {
                let wanted: Vec<Placed> = entries.iter().map(|entry| entry::placed(handler, entry)).collect();
                into_settings(host, &path, form, handler, &wanted)?.into_iter().collect()
            }
            Form::Programs => into_folder(host, &path, &entries)?,
        };
        Ok(Self { changes, folder, base: site.base(scope).to_owned() })
    }

    /// What removing Pintle from a host would change.
    ///
    /// # Errors
    /// When a file cannot be read or is no settings file.
    pub fn uninstall(host: &'static Host, site: &Site, scope: Scope) -> Result<Self, InstallFault> {
        let path = site.path(scope, host.install.place(scope));
        let changes = match &host.install.form {
            form @ (Form::Groups(handler) | Form::Flat(handler)) => {
                out_of_settings(host, &path, form, handler)?.into_iter().collect()
            }
            Form::Programs => {
                let ours = programs::present(&path, host.name).into_iter();
                ours.map(|(path, text)| Change::of(path, Some(text), None)).collect()
            }
        };
        Ok(Self { changes, folder: None, base: site.base(scope).to_owned() })
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.folder.is_none()
    }
}

/// The folder of the person's own hooks when it has yet to be made. All folders have to be such as a line can name.
fn missing(options: &Options) -> Result<Option<PathBuf>, InstallFault> {
    let UserDirs { config, state, managed } = &options.folders;
    let is_text = |path: &PathBuf| path.to_str().is_some_and(|text| !text.contains(char::is_control));
    if let Some(path) = [config, state, managed].into_iter().flatten().find(|path| !is_text(path)) {
        return Err(InstallFault::Unwritable { path: path.clone() });
    }
    Ok(config.clone().filter(|folder| !folder.is_dir()))
}

/// The entries of ours that a scope of a host has.
///
/// # Errors
/// When a file cannot be read or is no settings file.
pub fn installed(host: &'static Host, site: &Site, scope: Scope) -> Result<Vec<Entry>, InstallFault> {
    let path = site.path(scope, host.install.place(scope));
    let (form, handler) = match &host.install.form {
        form @ (Form::Groups(handler) | Form::Flat(handler)) => (form, handler),
        Form::Programs => {
            let entry = |(path, text): (PathBuf, String)| {
                let event = path.file_name()?.to_str()?.to_owned();
                Some(Entry { event, command: programs::command(&text, host.name)?.to_owned(), timeout_ms: 0 })
            };
            return Ok(programs::present(&path, host.name).into_iter().filter_map(entry).collect());
        }
    };
    let path = followed(&path);
    let Some(text) = read(&path)? else { return Ok(Vec::new()) };
    let unreadable = |why| InstallFault::Unreadable { path: path.clone(), why };
    let placed = Settings::parse(&text, form, handler, host.name).and_then(|settings| settings.placed());
    let entry = |(event, value): Placed| {
        let command = value.get(handler.command)?.as_str()?.to_owned();
        Some(Entry { event, command, timeout_ms: (handler.timeout_ms)(&value) })
    };
    Ok(placed.map_err(unreadable)?.into_iter().filter_map(entry).collect())
}

impl Change {
    fn of(path: PathBuf, before: Option<String>, after: Option<String>) -> Self {
        Self { path, before, after, backup: None, obsolete: Vec::new(), executable: false }
    }

    /// The change as a unified diff with three lines of surroundings.
    #[must_use]
    pub fn diff(&self, shown: &str) -> String {
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        let name = |text: Option<&str>| if text.is_some() { shown.to_owned() } else { String::from("/dev/null") };
        let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
        diff.unified_diff().header(&name(before), &name(after)).to_string()
    }
}

fn into_settings(
    host: &'static Host,
    path: &Path,
    form: &Form,
    handler: &Handler,
    wanted: &[Placed],
) -> Result<Option<Change>, InstallFault> {
    let path = followed(path);
    let before = read(&path)?;
    let text = before.clone().unwrap_or_default();
    let after = Settings::parse(&text, form, handler, host.name)
        .and_then(|mut settings| settings.put(wanted).map(|()| settings.text()))
        .map_err(|why| InstallFault::Unreadable { path: path.clone(), why })?;
    if before.as_deref() == Some(after.as_str()) {
        return Ok(None);
    }
    let backup = before.as_deref().and_then(|text| backup::next(&path, text));
    Ok(Some(Change { backup, ..Change::of(path, before, Some(after)) }))
}

fn out_of_settings(
    host: &'static Host,
    path: &Path,
    form: &Form,
    handler: &Handler,
) -> Result<Option<Change>, InstallFault> {
    let path = followed(path);
    let Some(before) = read(&path)? else { return Ok(None) };
    let unreadable = |why| InstallFault::Unreadable { path: path.clone(), why };
    let parse = |text: &str| Settings::parse(text, form, handler, host.name);
    let mut settings = parse(&before).map_err(unreadable)?;
    let mut placed = settings.placed().map_err(unreadable)?;
    if placed.is_empty() {
        return Ok(None);
    }
    // In the order in which they were put there: how one is laid out may depend on those before it.
    placed.sort_by_key(|placed| host.rows.iter().position(|row| row.name == placed.0));
    // When the file is a copy of before with our entries in it, nothing else has happened since: the copy is put back.
    let copies = backup::of(&path);
    let clean: Vec<String> = copies
        .iter()
        .filter_map(|copy| pintle::files::read_text(copy).ok())
        .filter(|text| parse(text).and_then(|was| was.placed()).is_ok_and(|placed| placed.is_empty()))
        .collect();
    let original =
        clean.iter().find(|text| parse(text).is_ok_and(|mut was| was.put(&placed).is_ok() && was.text() == before));
    if let Some(original) = original {
        let after = Some(original.clone());
        return Ok(Some(Change { obsolete: copies, ..Change::of(path, Some(before), after) }));
    }
    settings.take().map_err(unreadable)?;
    // Without a copy of before us there was no file before us.
    if clean.is_empty() && settings.is_bare() {
        return Ok(Some(Change { obsolete: copies, ..Change::of(path, Some(before), None) }));
    }
    Ok(Some(Change::of(path, Some(before), Some(settings.text()))))
}

fn into_folder(host: &'static Host, folder: &Path, entries: &[Entry]) -> Result<Vec<Change>, InstallFault> {
    let mut changes = Vec::new();
    for entry in entries {
        let path = folder.join(&entry.event);
        let before = read(&path)?;
        if before.as_deref().is_some_and(|text| !programs::is_ours(text, host.name)) {
            return Err(InstallFault::Taken { path });
        }
        let after = programs::text(entry);
        if before.as_deref() != Some(after.as_str()) {
            changes.push(Change { executable: true, ..Change::of(path, before, Some(after)) });
        }
    }
    let stale = programs::present(folder, host.name).into_iter();
    let stale = stale.filter(|(path, _)| !entries.iter().any(|entry| path.ends_with(&entry.event)));
    changes.extend(stale.map(|(path, text)| Change::of(path, Some(text), None)));
    Ok(changes)
}

/// What a path leads to when it is a link, also one to a file that is not there yet.
fn followed(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match fs::read_link(path) {
        Ok(target) => path.parent().unwrap_or(path).join(target),
        Err(_) => path.to_owned(),
    }
}

/// The text of a file; nothing when it is not there.
pub(super) fn read(path: &Path) -> Result<Option<String>, InstallFault> {
    match pintle::files::read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(fault) if fault.kind() == ErrorKind::InvalidData => {
            Err(InstallFault::Unreadable { path: path.to_owned(), why: String::from("it is no UTF-8 text") })
        }
        Err(fault) if fault.kind() == ErrorKind::NotFound => Ok(None),
        Err(fault) => Err(InstallFault::file("read", path, &fault)),
    }
}

/// The program of an entry's command line.
#[must_use]
pub fn program(host: &Host, entry: &Entry) -> Option<String> {
    line::ours(&entry.command, host.name)
}
