//! The paths of a line: where they are, and what the line did to them before.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::state::MAX_ENTRIES;
use super::{CommandWalk, ProgramCall, ShellArg, TextFlow, TextTaint, program_name};
use crate::CallSite;
use crate::command_files::FileUse;
use crate::paths::{PlacedPath, UNKNOWN, matches_glob, place_path, place_plain, tags_of_path};
use crate::{Operation, OperationKind, OperationTag, PathPlace};

/// The longest path of a directory that is entered.
const MAX_DIRECTORY: usize = 512;
/// The most secrets of a directory.
const MAX_SWEPT: usize = 4;
/// The most places that are remembered.
const MAX_PLACED: usize = 64;

/// Where paths are that were asked for in the same directory: one argument is placed several times.
#[derive(Debug, Default)]
pub(super) struct PlacedPaths {
    cwd: Option<Rc<Path>>,
    /// Those of plain paths, and those of patterns.
    known: [FxHashMap<String, PlacedPath>; 2],
}

impl PlacedPaths {
    fn find(&mut self, call_site: &CallSite<'_>, cwd: Option<&Rc<Path>>, text: &str, is_pattern: bool) -> PlacedPath {
        let is_same_directory = match (&self.cwd, cwd) {
            (Some(known), Some(cwd)) => Rc::ptr_eq(known, cwd),
            (None, None) => true,
            _ => false,
        };
        if !is_same_directory || self.known.iter().any(|known| known.len() >= MAX_PLACED) {
            self.known.iter_mut().for_each(FxHashMap::clear);
            self.cwd = cwd.cloned();
        }
        // A directory that a pattern stands for makes a pattern of every path in it.
        let is_pattern = is_pattern || cwd.is_some_and(|cwd| !text.starts_with('/') && has_wildcard(cwd));
        let [plain, patterns] = &mut self.known;
        let known = if is_pattern { patterns } else { plain };
        if let Some(placed) = known.get(text) {
            return placed.clone();
        }
        let placed = place_path(call_site, cwd.map(Rc::as_ref), text, is_pattern);
        known.insert(text.to_owned(), placed.clone());
        placed
    }
}

impl CommandWalk<'_> {
    /// Places the path of an argument, through the links that the line makes.
    pub(crate) fn place(&self, arg: &ShellArg) -> PlacedPath {
        self.place_text(&arg.text, arg.is_pattern)
    }

    pub(crate) fn place_text(&self, text: &str, is_pattern: bool) -> PlacedPath {
        // Without a home directory, it may be any.
        let home = || self.site.home.map_or_else(|| UNKNOWN.to_string(), |home| home.display().to_string());
        let text = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => Cow::from(format!("{}{rest}", home())),
            _ => Cow::from(text),
        };
        let find = |text: &str| match &self.notes.named {
            // Only the path counts.
            Some(_) => place_plain(self.state.cwd.as_deref(), text),
            None => self.placed.borrow_mut().find(self.site, self.state.cwd.as_ref(), text, is_pattern),
        };
        let placed = find(&text);
        let Some(path) = placed.path.as_ref().filter(|_| !self.state.links.is_empty()) else { return placed };
        let linked = path.ancestors().find_map(|parent| {
            let target = self.state.links.get(parent)?;
            Some(target.join(path.strip_prefix(parent).ok()?))
        });
        match linked {
            Some(target) => find(&target.to_string_lossy()),
            None => placed,
        }
    }

    /// Adds what is done to a path.
    pub(crate) fn push_path(&mut self, operation: Operation, arg: &ShellArg) -> PlacedPath {
        let placed = self.place(arg);
        let mut operation = operation.written(arg.shown());
        if let (PathPlace::Unknown, true, Some(directory)) = (placed.place, arg.is_known(), &self.state.cwd_source) {
            operation.written = format!("{directory}/{}", operation.written);
        }
        operation.path = placed.path.as_ref().map(|path| path.to_string_lossy().replace(UNKNOWN, "*"));
        operation.place = Some(placed.place);
        let operation = placed.tags.iter().fold(operation, |operation, tag| operation.tag(*tag));
        self.push(operation);
        placed
    }

    /// Adds that a directory is made if Pintle or an agent would find hooks in it. Returns whether it is such a one.
    pub(crate) fn push_hook_directory(&mut self, program: &str, arg: &ShellArg) -> bool {
        let below = ShellArg { text: format!("{}/x", arg.text.trim_end_matches('/')), ..arg.clone() };
        let guarded = [OperationTag::AgentSettings, OperationTag::Pintle];
        let is_guarded = self.place(&below).tags.iter().any(|tag| guarded.contains(tag));
        if is_guarded {
            self.push_path(Operation::new(OperationKind::Write, program).action("make"), arg);
        }
        is_guarded
    }

    /// Adds a directory that a program makes, or fills with what it fetches.
    pub(crate) fn push_made_directory(&mut self, program: &str, arg: &ShellArg) {
        if !self.push_hook_directory(program, arg) {
            self.push_watched(Operation::new(OperationKind::Write, program).action("make"), arg);
        }
    }

    /// What is read from the file of a descriptor: `/dev/fd/3`, or that of a process substitution.
    fn descriptor_content<'a>(&'a self, arg: &'a ShellArg) -> Option<&'a TextFlow> {
        let name = arg.text.strip_prefix("/dev/fd/").or_else(|| arg.text.strip_prefix("/proc/self/fd/"))?;
        arg.content.as_deref().or_else(|| self.state.inputs.get(name))
    }

    /// Reads a file, and gives what is known of its content.
    pub(crate) fn read_file(&mut self, program: &str, arg: &ShellArg, is_recursive: bool) -> TextFlow {
        if program.is_empty() {
            self.note_file(FileUse::Input, arg);
        }
        if let Some(content) = self.descriptor_content(arg) {
            return content.clone();
        }
        if arg.text == "-" || arg.text.starts_with("/dev/fd/") || arg.text == "/dev/stdin" {
            return TextFlow::from_taint(arg.taint);
        }
        if matches!(arg.text.as_str(), "/dev/null" | "/dev/zero" | "/dev/urandom" | "/dev/random" | "/dev/tty") {
            return TextFlow::known("");
        }
        if let Some(secret) = self.listed_secret(arg) {
            return self.read_file(program, &secret, is_recursive);
        }
        let operation = Operation::new(OperationKind::Read, program).tag_if(is_recursive, OperationTag::Recursive);
        let placed = if arg.is_swept { self.push_probable(operation, arg) } else { self.push_path(operation, arg) };
        if let Some(flow) = placed.path.as_ref().and_then(|path| self.files.get(path)) {
            let mut flow = flow.clone();
            flow.taint |= TextTaint::FILE;
            return flow;
        }
        let is_secret = placed.tags.contains(&OperationTag::Secret);
        let is_version = arg.text.rsplit('/').next().is_some_and(is_version_file);
        let taint = match (is_secret, is_version) {
            (true, _) => TextTaint::FILE | TextTaint::SECRET,
            (false, true) => TextTaint::NONE,
            (false, false) => TextTaint::FILE,
        };
        let redirected = (program.is_empty() && self.notes_files()).then(|| Box::new(arg.clone()));
        TextFlow { taint, files: self.code_path(arg).into_iter().collect(), redirected, ..TextFlow::default() }
    }

    /// A secret among the files that another command lists as this argument: `cat $(find ~ -name .netrc)`.
    fn listed_secret(&self, arg: &ShellArg) -> Option<ShellArg> {
        let listed = arg.content.as_ref().filter(|_| !arg.is_known())?.listed.iter();
        listed.map(|listed| &listed.root).find(|root| self.place(root).tags.contains(&OperationTag::Secret)).cloned()
    }

    /// Adds what may be done to a secret.
    fn push_probable(&mut self, mut operation: Operation, arg: &ShellArg) -> PlacedPath {
        let placed = self.place(arg);
        operation = operation.written(arg.shown()).tag(OperationTag::ProbableSecret);
        operation.path = placed.path.as_ref().map(|path| path.to_string_lossy().into_owned());
        operation.place = Some(placed.place);
        self.push(operation);
        placed
    }

    /// The secrets among the files of a directory, and the path of each below it.
    pub(crate) fn secrets_in(&self, directory: &ShellArg) -> Vec<(ShellArg, PathBuf)> {
        let path = self.place(directory).path.filter(|_| !directory.is_pattern && directory.is_known());
        let Some((project, path)) = self.site.files.zip(path) else { return Vec::new() };
        let is_secret = |file: &PathBuf| tags_of_path(self.site, file, false).contains(&OperationTag::Secret);
        let files = project.list_files(&path).into_iter().filter(is_secret).take(MAX_SWEPT);
        files
            .filter_map(|file| {
                let within = file.strip_prefix(&path).ok()?.to_owned();
                let text = format!("{}/{}", directory.text.trim_end_matches('/'), within.display());
                Some((ShellArg { is_swept: true, ..ShellArg::new(text) }, within))
            })
            .collect()
    }

    /// Reads the secrets among the files of directories that a program reads as a whole, but for those that an option
    /// excludes.
    pub(crate) fn sweep(&mut self, call: &ProgramCall<'_>, directories: &[&ShellArg]) -> TextTaint {
        let mut taint = TextTaint::NONE;
        for (secret, within) in directories.iter().flat_map(|directory| self.secrets_in(directory)).collect::<Vec<_>>()
        {
            if !excludes(call.args, &within) {
                taint |= self.read_file(call.name, &secret, false).taint;
            }
        }
        taint
    }

    /// What the line wrote to a file before, if it did.
    pub(crate) fn written_before(&self, arg: &ShellArg) -> Option<TextFlow> {
        if let Some(content) = self.descriptor_content(arg) {
            return Some(content.clone());
        }
        if self.files.is_empty() && self.unpacked.is_empty() {
            return None;
        }
        let path = self.place(arg).path?;
        let unpacked = || {
            let (_, taint) = self.unpacked.iter().find(|(directory, _)| path.starts_with(directory))?;
            Some(TextFlow::from_taint(*taint))
        };
        self.files.get(&path).cloned().or_else(unpacked)
    }

    /// Whether the line has files from elsewhere.
    pub(crate) fn has_fetched(&self) -> bool {
        let mut taints =
            self.files.values().map(|flow| flow.taint).chain(self.unpacked.iter().map(|(_, taint)| *taint));
        taints.any(|taint| taint.has(TextTaint::NETWORK))
    }

    /// Whether the line got a file of one of these names, with blanks between, from elsewhere. It is one that programs look
    /// for in the working directory and below. What comes as a whole project is not looked at.
    pub(crate) fn has_fetched_file(&self, names: &str) -> bool {
        let is_here = |path: &Path| self.state.cwd.as_ref().is_none_or(|cwd| path.starts_with(cwd));
        self.files.iter().any(|(path, flow)| {
            let is_named = || names.split_whitespace().any(|name| path.ends_with(name));
            flow.taint.has(TextTaint::NETWORK) && is_here(path) && is_named()
        })
    }

    /// What is known of a file from elsewhere, or of such files in a directory.
    pub(crate) fn fetched_taint(&self, path: &str) -> Option<TextTaint> {
        if path.is_empty() || !self.has_fetched() {
            return None;
        }
        let path = self.place_text(path, false).path?;
        let written = self.files.iter().filter(|(file, _)| file.starts_with(&path)).map(|(_, flow)| flow.taint);
        let unpacked = self
            .unpacked
            .iter()
            .filter(|(directory, _)| path.starts_with(directory) || directory.starts_with(&path))
            .map(|(_, taint)| *taint);
        let taint = written.chain(unpacked).fold(TextTaint::NONE, |taint, more| taint | more);
        taint.has(TextTaint::NETWORK).then_some(taint)
    }

    /// Records that the line puts files from elsewhere into a directory.
    pub(crate) fn note_unpacked(&mut self, directory: &ShellArg, taint: TextTaint) {
        if let Some(path) = self.place(directory).path {
            self.unpacked.push((path, taint));
        }
    }

    /// Records that the line makes a directory.
    pub(crate) fn note_made(&mut self, directory: &ShellArg) {
        self.made_dirs.extend(self.find_directory(directory));
    }

    /// Records that the line writes to a file. Whatever was written to it before may still be in it: the line may take a
    /// course in which this write does not happen, or it appends.
    pub(crate) fn note_written(&mut self, arg: &ShellArg, flow: TextFlow) {
        let Some(path) = self.place(arg).path else { return };
        match self.files.get_mut(&path) {
            Some(known) if *known == flow => {}
            Some(known) => known.add_text(flow),
            None => drop(self.files.insert(path, flow)),
        }
    }

    /// Writes a file.
    pub(crate) fn write_file(&mut self, program: &str, arg: &ShellArg, action: &str, mut flow: TextFlow) {
        if program.is_empty() {
            self.note_file(FileUse::Output, arg);
        }
        // What the file held before is still in it.
        if matches!(action, "append" | "edit") || flow.text.is_none() && flow.taint == TextTaint::NONE {
            flow.add_files(self.code_path(arg));
        }
        if arg.text == "/dev/fd/63" {
            self.write_substituted(&flow);
        }
        self.push_path(Operation::new(OperationKind::Write, program).action(action), arg);
        self.note_written(arg, flow);
    }

    /// Runs a program that only says what it would do to files.
    pub(crate) fn run_dry(&mut self, program: &str, run: impl FnOnce(&mut Self) -> TextFlow) -> TextFlow {
        let from = self.operations.len();
        let flow = run(self);
        let changes = |operation: &Operation| {
            use OperationKind::{Delete, Move, Permission, Upload, Write};
            operation.program == program && matches!(operation.kind, Delete | Move | Permission | Upload | Write)
        };
        let done = self.operations.split_off(from.min(self.operations.len()));
        self.operations.extend(done.into_iter().filter(|operation| !changes(operation)));
        flow
    }

    /// `>(COMMAND)` gives what is written to a command.
    pub(crate) fn write_substituted(&mut self, flow: &TextFlow) {
        if let Some(script) = self.consumer.take() {
            self.in_subshell(|walk| walk.called(|walk| walk.run_script(&script, flow)));
        }
    }

    /// Records a link from `link` to `target`.
    pub(crate) fn note_link(&mut self, target: &ShellArg, link: &ShellArg) {
        if self.state.links.len() >= MAX_ENTRIES {
            self.push_full();
        } else if let (Some(target), Some(link)) = (self.place(target).path, self.place(link).path) {
            self.state.links.insert(link, target);
        }
    }

    /// Records that a program of the machine gets another name.
    pub(crate) fn note_program(&mut self, arg: &ShellArg, copy: &ShellArg) {
        let name = self.copied_program(arg).unwrap_or_else(|| program_name(&arg.text));
        if self.is_program(&name)
            && let Some(path) = self.place(copy).path
        {
            self.programs.insert(path, name);
        }
    }

    /// The program that the line gave another name.
    pub(super) fn copied_program(&self, written: &ShellArg) -> Option<String> {
        let is_path = written.text.contains('/') || self.changes_path();
        if self.programs.is_empty() || !is_path {
            return None;
        }
        self.programs.get(&self.place(written).path?).cloned()
    }

    /// Runs what follows in a directory that another program enters.
    pub(crate) fn enter_directory(&mut self, arg: &ShellArg) {
        self.note_directory(arg);
        self.state.cwd_source = self.directory_source(arg);
        self.state.cwd = self.find_directory(arg);
    }

    /// The directory of an argument; `None` if it cannot be known.
    pub(crate) fn find_directory(&self, arg: &ShellArg) -> Option<Rc<Path>> {
        let path = if arg.is_known() { self.place(arg).path } else { None };
        path.filter(|path| path.as_os_str().len() <= MAX_DIRECTORY).map(Rc::from)
    }

    /// How the line names a directory that cannot be known.
    pub(crate) fn directory_source(&self, arg: &ShellArg) -> Option<Rc<str>> {
        let shown = arg.shown();
        match &self.state.cwd_source {
            Some(source) if self.state.cwd.is_none() && arg.is_known() => Some(format!("{source}/{shown}").into()),
            _ => Some(shown.into()),
        }
    }

    pub(crate) fn previous_cwd(&self) -> Option<Rc<Path>> {
        self.state.previous_cwd.clone()
    }

    /// Paths of another machine are not paths of this one.
    pub(crate) fn forget_places(&mut self, from: usize) {
        for operation in self.operations.iter_mut().skip(from) {
            if operation.place.is_some_and(|place| !matches!(place, PathPlace::Root | PathPlace::Device)) {
                operation.place = Some(PathPlace::Outside);
            }
            operation.path = None;
            operation.tags.retain(|tag| {
                !matches!(tag, OperationTag::AgentSettings | OperationTag::Pintle | OperationTag::GitDirectory)
            });
        }
    }

    pub(crate) fn cwd(&self) -> Option<&Path> {
        self.state.cwd.as_deref()
    }
}

fn has_wildcard(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().iter().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}

/// Whether options exclude a file, or say in another file which ones are meant.
fn excludes(args: &[ShellArg], within: &Path) -> bool {
    let name = within.file_name().unwrap_or_default().to_string_lossy();
    let is_meant = |pattern: &str| {
        let pattern = pattern.trim_start_matches("./").trim_start_matches("*/").trim_matches('/');
        // A `*` of these patterns also matches a leading dot.
        matches_glob(&format!("/{pattern}"), &format!("/{name}"))
            || within.starts_with(pattern)
            || within.to_str() == Some(pattern)
    };
    args.iter().enumerate().any(|(index, arg)| {
        let text = arg.text.as_str();
        let lists = ["--exclude-from", "--exclude-vcs", "--filter", "--files-from", "-T", "-X"];
        let value = text.strip_prefix("--exclude=").or_else(|| text.strip_prefix("-x!")).or_else(|| {
            let before = args.get(index.checked_sub(1)?)?;
            matches!(before.text.as_str(), "--exclude" | "-x" | "-xr").then_some(text)
        });
        value.is_some_and(is_meant) || lists.iter().any(|list| text.starts_with(list))
    })
}

/// Files that hold nothing but the number of a version, which is a part of many addresses.
fn is_version_file(name: &str) -> bool {
    matches!(name, "VERSION" | "version" | "version.txt" | "VERSION.txt" | "rust-toolchain" | ".nvmrc")
        || name.starts_with('.') && name.ends_with("-version")
}
