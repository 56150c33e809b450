//! Plans the changes of installing and uninstalling.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use pintle_host::files;
use pintle_host::loader::UserDirs;
use similar::TextDiff;

use super::entry::{self, PlacedHandler};
use super::settings::{SettingsFile, SettingsShape};
use super::{
    EntryFormat, InstallEnvironment, InstallError, InstallOptions, InstallScope, InstalledEntry, backup,
    installed_line, line, programs,
};
use crate::HostDef;

/// The changes of installing or uninstalling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallPlan {
    /// The files, in order; empty if everything is up to date.
    pub changes: Vec<SettingsChange>,
    /// The directory of the user's own hooks that the command lines name, if it does not exist yet. It is created
    /// first, because a missing named directory denies guarded events.
    pub config_dir: Option<PathBuf>,
    /// Nothing above this directory is ever removed.
    pub(super) base: PathBuf,
    /// The scope of the settings.
    pub scope: InstallScope,
    /// The settings file, or the directory of executables.
    pub settings_path: PathBuf,
    /// How many of the host's events are installed.
    pub event_count: usize,
    /// What is in the file, or in the files, if only Pintle writes them; empty if Pintle is removed.
    pub(super) own_text: String,
    /// Whether Pintle is removed.
    pub(super) is_removal: bool,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsChange {
    /// The file, or the target of a link.
    pub path: PathBuf,
    /// Its text; `None` if it does not exist yet.
    pub before: Option<String>,
    /// Its new text; `None` if it is removed.
    pub after: Option<String>,
    /// The path of a backup of the current file.
    pub backup: Option<PathBuf>,
    /// Backups that are no longer needed.
    pub obsolete_backups: Vec<PathBuf>,
    /// Whether it is a program.
    pub is_executable: bool,
}

impl InstallPlan {
    /// Plans to install Pintle in a host. Earlier entries are replaced.
    ///
    /// # Errors
    /// When a file cannot be read, is not a valid settings file, or belongs to another program, or a directory cannot
    /// be written on a command line.
    pub fn install(
        host: &'static HostDef,
        environment: &InstallEnvironment,
        scope: InstallScope,
        options: &InstallOptions,
    ) -> Result<Self, InstallError> {
        let dir = missing_config_dir(options)?;
        let entries = entry::entries_for(host, options)?;
        let path = require_settings_path(host, environment, scope)?;
        let (changes, own_text) = match &host.install.form {
            form @ (EntryFormat::Groups(handler) | EntryFormat::Flat(handler)) => {
                let wanted: Vec<PlacedHandler> =
                    entries.iter().map(|entry| entry::to_placed_handler(handler, entry)).collect();
                let format = SettingsShape::new(host, scope, form, handler);
                let path = resolve_link(&path);
                let own = settings_with("", &path, format, &wanted)?;
                (plan_settings_install(path, format, &wanted)?.into_iter().collect(), own)
            }
            EntryFormat::Programs => {
                let texts = entries.iter().map(|entry| format!("# {}\n{}", entry.event, programs::program_text(entry)));
                (plan_program_install(host, &resolve_link(&path), &entries)?, texts.collect())
            }
            EntryFormat::Module { write } => {
                let text = write(host, &entries);
                (plan_module_install(host, &resolve_link(&path), &text)?, text)
            }
        };
        let base = removal_base(&path, environment.removal_limit(scope));
        Ok(Self {
            changes,
            config_dir: dir,
            base,
            scope,
            settings_path: path,
            event_count: entries.len(),
            own_text,
            is_removal: false,
        })
    }

    /// Plans to remove Pintle from a host.
    ///
    /// # Errors
    /// When a file cannot be read or is not a valid settings file.
    pub fn uninstall(
        host: &'static HostDef,
        environment: &InstallEnvironment,
        scope: InstallScope,
    ) -> Result<Self, InstallError> {
        let path = require_settings_path(host, environment, scope)?;
        let changes = match &host.install.form {
            form @ (EntryFormat::Groups(handler) | EntryFormat::Flat(handler)) => {
                plan_settings_removal(host, &path, SettingsShape::new(host, scope, form, handler))?
                    .into_iter()
                    .collect()
            }
            EntryFormat::Programs => {
                let ours = programs::list_own_programs(&resolve_link(&path), host.name).into_iter();
                ours.map(|(path, text)| SettingsChange::new(path, Some(text), None)).collect()
            }
            EntryFormat::Module { .. } => {
                let present = read_if_exists(&path)?.filter(|text| is_own_module(host, text));
                let link = path.is_symlink().then(|| path.clone());
                let files = present.into_iter().flat_map(|text| {
                    let files = link.iter().cloned().chain([resolve_link(&path)]);
                    files.map(move |path| SettingsChange::new(path, Some(text.clone()), None)).collect::<Vec<_>>()
                });
                files.collect()
            }
        };
        let base = removal_base(&path, environment.removal_limit(scope));
        let own_text = String::new();
        Ok(Self {
            changes,
            config_dir: None,
            base,
            scope,
            settings_path: path,
            event_count: 0,
            own_text,
            is_removal: true,
        })
    }

    /// Whether nothing has to change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.config_dir.is_none()
    }
}

/// The directory of the user's own hooks, if it must be created. Every directory must be writable on a command line.
fn missing_config_dir(options: &InstallOptions) -> Result<Option<PathBuf>, InstallError> {
    let UserDirs { config, state, managed } = &options.folders;
    let is_text = |path: &PathBuf| path.to_str().is_some_and(|text| !text.contains(char::is_control));
    if let Some(path) = [config, state, managed].into_iter().flatten().find(|path| !is_text(path)) {
        return Err(InstallError::UnusableFolder { path: path.clone() });
    }
    // A directory of each user is the user's own to create.
    Ok(config.clone().filter(|dir| dir.is_absolute() && !dir.is_dir()))
}

/// The settings file of a scope, or the directory of executables.
fn require_settings_path(
    host: &HostDef,
    environment: &InstallEnvironment,
    scope: InstallScope,
) -> Result<PathBuf, InstallError> {
    let missing = InstallError::NoScope { title: host.title, scope: scope.as_str() };
    let path = host.install.location(scope).map(|place| environment.settings_path(scope, place)).ok_or(missing)?;
    if scope == InstallScope::Managed {
        environment.require_inside(&path)?;
    }
    Ok(path)
}

/// The installed entries of a host and scope.
///
/// # Errors
/// When a file cannot be read or is not a valid settings file.
pub fn installed_entries(
    host: &'static HostDef,
    environment: &InstallEnvironment,
    scope: InstallScope,
) -> Result<Vec<InstalledEntry>, InstallError> {
    let Some(place) = host.install.location(scope) else { return Ok(Vec::new()) };
    let path = environment.settings_path(scope, place);
    let settings_form = match &host.install.form {
        form @ (EntryFormat::Groups(handler) | EntryFormat::Flat(handler)) => Some((form, handler)),
        EntryFormat::Module { .. } => None,
        EntryFormat::Programs => {
            let entry = |(path, text): (PathBuf, String)| {
                let event = path.file_name()?.to_str()?.to_owned();
                Some(InstalledEntry {
                    event,
                    command: programs::own_command_line(&text, host.name)?.to_owned(),
                    timeout_ms: 0,
                })
            };
            return Ok(programs::list_own_programs(&path, host.name).into_iter().filter_map(entry).collect());
        }
    };
    let path = resolve_link(&path);
    let Some(text) = read_if_exists(&path)? else { return Ok(Vec::new()) };
    let Some((form, handler)) = settings_form else { return Ok(installed_line::own_entries(&text, host.name)) };
    let unreadable = |why| InstallError::Unreadable { path: path.clone(), reason: why };
    let format = SettingsShape::new(host, scope, form, handler);
    let placed = SettingsFile::parse(&text, format).and_then(|settings| settings.own_handlers());
    let entry = |(event, value): PlacedHandler| {
        let command = value.get(handler.command)?.as_str()?.to_owned();
        Some(InstalledEntry { event, command, timeout_ms: (handler.timeout_ms)(&value) })
    };
    Ok(placed.map_err(unreadable)?.into_iter().filter_map(entry).collect())
}

impl SettingsChange {
    fn new(path: PathBuf, before: Option<String>, after: Option<String>) -> Self {
        Self { path, before, after, backup: None, obsolete_backups: Vec::new(), is_executable: false }
    }

    /// The change as a unified diff with three lines of context.
    #[must_use]
    pub fn diff(&self, shown: &str) -> String {
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        let name = |text: Option<&str>| if text.is_some() { shown.to_owned() } else { String::from("/dev/null") };
        let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
        diff.unified_diff().header(&name(before), &name(after)).to_string()
    }
}

/// The text of a settings file with these installed handlers.
fn settings_with(
    text: &str,
    path: &Path,
    format: SettingsShape<'_>,
    wanted: &[PlacedHandler],
) -> Result<String, InstallError> {
    SettingsFile::parse(text, format)
        .and_then(|mut settings| settings.set_handlers(wanted).map(|()| settings.text()))
        .map_err(|why| InstallError::Unreadable { path: path.to_owned(), reason: why })
}

fn plan_settings_install(
    path: PathBuf,
    format: SettingsShape<'_>,
    wanted: &[PlacedHandler],
) -> Result<Option<SettingsChange>, InstallError> {
    let before = read_if_exists(&path)?;
    let after = settings_with(before.as_deref().unwrap_or_default(), &path, format, wanted)?;
    if before.as_deref() == Some(after.as_str()) {
        return Ok(None);
    }
    let backup = before.as_deref().and_then(|text| backup::next_copy_path(&path, text));
    Ok(Some(SettingsChange { backup, ..SettingsChange::new(path, before, Some(after)) }))
}

fn plan_settings_removal(
    host: &'static HostDef,
    path: &Path,
    format: SettingsShape<'_>,
) -> Result<Option<SettingsChange>, InstallError> {
    // A link would dangle without its file.
    let is_link = path.is_symlink();
    let path = resolve_link(path);
    let Some(before) = read_if_exists(&path)? else { return Ok(None) };
    let unreadable = |why| InstallError::Unreadable { path: path.clone(), reason: why };
    let parse = |text: &str| SettingsFile::parse(text, format);
    let mut settings = parse(&before).map_err(unreadable)?;
    let mut placed = settings.own_handlers().map_err(unreadable)?;
    if placed.is_empty() {
        return Ok(None);
    }
    // In the order of installation: the layout of an entry may depend on earlier ones.
    placed.sort_by_key(|placed| host.events.iter().position(|def| def.name == placed.0));
    // If the file is a backup plus the installed entries, nothing else has changed since: the backup is restored.
    let copies = backup::list_copies(&path);
    let clean: Vec<String> = copies
        .iter()
        .filter_map(|copy| pintle_host::files::read_text(copy).ok())
        .filter(|text| parse(text).and_then(|was| was.own_handlers()).is_ok_and(|placed| placed.is_empty()))
        .collect();
    let original = clean
        .iter()
        .find(|text| parse(text).is_ok_and(|mut was| was.set_handlers(&placed).is_ok() && was.text() == before));
    if let Some(original) = original {
        let after = Some(original.clone());
        return Ok(Some(SettingsChange { obsolete_backups: copies, ..SettingsChange::new(path, Some(before), after) }));
    }
    settings.remove_handlers().map_err(unreadable)?;
    // Without a backup the file did not exist before the installation.
    if clean.is_empty() && settings.is_empty() && !is_link {
        return Ok(Some(SettingsChange { obsolete_backups: copies, ..SettingsChange::new(path, Some(before), None) }));
    }
    Ok(Some(SettingsChange::new(path, Some(before), Some(settings.text()))))
}

fn plan_program_install(
    host: &'static HostDef,
    dir: &Path,
    entries: &[InstalledEntry],
) -> Result<Vec<SettingsChange>, InstallError> {
    let mut changes = Vec::new();
    for entry in entries {
        let path = dir.join(&entry.event);
        let before = read_if_exists(&path)?;
        if before.as_deref().is_some_and(|text| !programs::is_own_program(text, host.name)) {
            return Err(InstallError::ForeignProgram { path });
        }
        let after = programs::program_text(entry);
        if before.as_deref() != Some(after.as_str()) {
            changes.push(SettingsChange { is_executable: true, ..SettingsChange::new(path, before, Some(after)) });
        }
    }
    let stale = programs::list_own_programs(dir, host.name).into_iter();
    let stale = stale.filter(|(path, _)| !entries.iter().any(|entry| path.ends_with(&entry.event)));
    changes.extend(stale.map(|(path, text)| SettingsChange::new(path, Some(text), None)));
    Ok(changes)
}

fn is_own_module(host: &HostDef, text: &str) -> bool {
    !installed_line::own_entries(text, host.name).is_empty()
}

fn plan_module_install(host: &HostDef, path: &Path, after: &str) -> Result<Vec<SettingsChange>, InstallError> {
    let before = read_if_exists(path)?;
    match &before {
        Some(text) if text == after => Ok(Vec::new()),
        Some(text) if !is_own_module(host, text) => Err(InstallError::ForeignProgram { path: path.to_owned() }),
        _ => Ok(vec![SettingsChange::new(path.to_owned(), before, Some(after.to_owned()))]),
    }
}

/// The path without links, even if there is nothing yet.
fn resolve_link(path: &Path) -> PathBuf {
    if let Ok(real) = files::canonicalize(path) {
        return real;
    }
    if let Ok(target) = fs::read_link(path) {
        return path.parent().unwrap_or(path).join(target);
    }
    let real = |dir: &Path| Some(files::canonicalize(dir).ok()?.join(path.strip_prefix(dir).ok()?));
    path.ancestors().find_map(real).unwrap_or_else(|| path.to_owned())
}

/// Nothing above this directory is removed. A directory that a link leads to existed before, and stays.
fn removal_base(path: &Path, limit: &Path) -> PathBuf {
    let mut below = path.ancestors().take_while(|dir| *dir != limit && dir.starts_with(limit));
    let link = below.find(|dir| dir.is_symlink());
    match link {
        Some(link) if link == path && !path.is_dir() => resolve_link(path).parent().unwrap_or(limit).to_owned(),
        Some(link) => resolve_link(link),
        None => limit.to_owned(),
    }
}

/// The text of a file; `None` if it does not exist.
pub(super) fn read_if_exists(path: &Path) -> Result<Option<String>, InstallError> {
    match pintle_host::files::read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Err(InstallError::Unreadable { path: path.to_owned(), reason: String::from("it is not UTF-8 text") })
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(InstallError::from_io("read", path, &error)),
    }
}

/// The program of an entry's command line.
#[must_use]
pub fn program_of(host: &HostDef, entry: &InstalledEntry) -> Option<String> {
    line::parse_own_command(&entry.command, host.name)
}
