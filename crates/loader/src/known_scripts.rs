//! Remembers what scripts were found to be, so that a process that handles one event compiles only those that it calls.
//!
//! The file in the state directory has, for each script of one set of hooks, by the digest of its text and of everything
//! else that decides how it compiles: that it compiles, what its hook can do, and which tool names and other literals are
//! in it. Only scripts that compiled without an error are in it, so one that does not is found at every load. A script
//! from the file is compiled when it is first asked, and a guard whose script then does not compile denies.
//!
//! The file is used only if it is this user's own, if no other user can read, write or replace it, if it is outside the
//! projects that the hooks are from, and if this very program wrote it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::{env, fs};

use pintle_contract::{
    BuiltHandler, BuiltMatcher, Capability, Diagnostic, Event, Failure, FailureKind, Handler, HandlerFactory,
    HandlerSpec, HookCall, HookDeclaration, HookInfluence, LoadedPlugin, MatchResult, Matcher, MatcherSpec,
    ScriptSource, ScriptTexts, Severity, SubjectFilter, ToolSpec, Verdict, to_hex,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::private_file::{create_private_dir, read_private_file};
use crate::trust::digest_bytes;

/// The version of the file's format.
const FORMAT: u32 = 1;
/// How many scripts are worth a file. Fewer compile sooner.
pub(crate) const MANY: usize = 32;
/// The most scripts, and the largest file, that are remembered.
const MOST_SCRIPTS: usize = 20_000;
pub(crate) const MOST_BYTES: u64 = 32 << 20;
/// The most files of the directory.
const MOST_FILES: usize = 32;

/// A factory that does not compile the scripts that are known to compile before they are asked.
#[derive(Debug)]
pub struct KnownScripts<F> {
    factory: F,
    /// The file, and the program that reads and writes it; `None` if none can be used.
    file: Option<(PathBuf, String)>,
    read_scripts: OnceLock<HashMap<String, Arc<ScriptFacts>>>,
    /// The scripts of this load, and whether any of them is new.
    used_scripts: Mutex<(BTreeMap<String, Arc<ScriptFacts>>, bool)>,
}

/// What is remembered of a hook that is a script.
#[derive(Debug, Serialize, Deserialize)]
struct ScriptFacts {
    guard: bool,
    influence: HookInfluence,
    may_wait: bool,
    needs_order: bool,
    capabilities: Vec<Capability>,
    texts: ScriptTexts,
    matcher: Option<MatcherFacts>,
}

/// What is remembered of the condition of such a hook.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct MatcherFacts {
    subjects: SubjectFilter,
    shown: String,
}

/// The format of the file.
#[derive(Debug, Serialize, Deserialize)]
struct ScriptsFile {
    program: String,
    scripts: BTreeMap<String, Arc<ScriptFacts>>,
}

impl<F> KnownScripts<F> {
    /// A factory that remembers the scripts of one place in a directory. Without a directory it remembers nothing.
    #[must_use]
    pub fn new(factory: F, dir: Option<&Path>, place: &Path) -> Self {
        let name = digest_bytes(place.as_os_str().as_encoded_bytes());
        let file = dir.and_then(|dir| Some((dir.join(format!("{name}.json")), describe_program()?)));
        Self { factory, file, read_scripts: OnceLock::new(), used_scripts: Mutex::default() }
    }

    /// Writes the file if this load has a script that is not in it.
    ///
    /// # Errors
    /// When it cannot be written. The next load compiles the scripts again.
    pub fn save(&self) -> io::Result<()> {
        let used = self.used_scripts.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((path, program)) = self.file.as_ref().filter(|_| used.1 && used.0.len() <= MOST_SCRIPTS) else {
            return Ok(());
        };
        make_room_beside(path)?;
        let file = ScriptsFile { program: program.clone(), scripts: used.0.clone() };
        let text = serde_json::to_vec(&file)?;
        pintle_files::replace_private_file(path, |file| file.write_all(&text))
    }

    fn known_scripts(&self) -> &HashMap<String, Arc<ScriptFacts>> {
        self.read_scripts.get_or_init(|| {
            let file = self.file.as_ref().and_then(|(path, program)| read_scripts(path, program));
            file.map(|file| file.scripts.into_iter().collect()).unwrap_or_default()
        })
    }
}

/// Makes room for a file in the directory of what is remembered.
pub(crate) fn make_room_beside(path: &Path) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    create_private_dir(dir)?;
    let others: Vec<PathBuf> = pintle_files::read_dir(dir)?.flatten().map(|entry| entry.path()).collect();
    if others.len() >= MOST_FILES {
        // What was in them is found out again.
        others.iter().try_for_each(fs::remove_file)?;
    }
    Ok(())
}

/// How many directories above that of a hook's file may be the project's, as in `.harness/hooks`.
const PROJECT_DEPTH: usize = 3;

/// Whether a file is in a project that hooks are from, whose author could have written it. What contains the user's home
/// directory is not the project of another author.
pub(crate) fn is_in_project_of<'f>(file: &Path, hook_files: impl Iterator<Item = &'f Path>) -> bool {
    let Some(file) = file.ancestors().find(|dir| pintle_files::exists(dir)).map(pintle_files::real_path) else {
        return true;
    };
    let home = pintle_files::home_dir().map(|home| pintle_files::real_path(&home)).unwrap_or_default();
    let folders: BTreeSet<&Path> = hook_files.filter_map(Path::parent).collect();
    folders.into_iter().any(|folder| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let folder = pintle_files::real_path(folder);
        folder.ancestors().take(PROJECT_DEPTH).any(|dir| file.starts_with(dir) && !home.starts_with(dir))
    })
}

/// What distinguishes this program from any other that may read or write the file. It is the one that was found first.
pub(crate) fn describe_program() -> Option<String> {
    static PROGRAM: OnceLock<Option<String>> = OnceLock::new();
    let describe = || {
        let program = env::current_exe().ok().filter(|program| pintle_files::is_file(program))?;
        Some(format!("{FORMAT} {} {:?}", env!("CARGO_PKG_VERSION"), pintle_files::file_state(program)))
    };
    PROGRAM.get_or_init(describe).clone()
}

fn read_scripts(path: &Path, program: &str) -> Option<ScriptsFile> {
    let bytes = read_private_file(path, MOST_BYTES)?;
    serde_json::from_slice::<ScriptsFile>(&bytes).ok().filter(|file| file.program == program)
}

/// The digest of everything that decides how a hook's script compiles; `None` for any other hook.
fn script_key(hook: &HookDeclaration) -> Option<String> {
    let HandlerSpec::Script(script) = &hook.handler else { return None };
    let condition = match &hook.matcher {
        None => "",
        Some(MatcherSpec::Expression(condition)) => &condition.text,
        Some(_) => return None,
    };
    let mut hasher = Sha256::new();
    let named = [&*hook.name, hook.event.as_str(), &hook.event_alias, hook.codec.dialect(), condition, &script.text];
    for text in named.into_iter().chain(hook.tools.iter().map(String::as_str)) {
        hasher.update(text.len().to_le_bytes());
        hasher.update(text.as_bytes());
    }
    Some(to_hex(&hasher.finalize()))
}

impl ScriptFacts {
    /// What was found of a script that was compiled; `None` if it did not compile, or is not like other scripts.
    fn of_built(
        hook: &HookDeclaration,
        (handler, matcher): &(BuiltHandler, BuiltMatcher),
        capabilities: Vec<Capability>,
    ) -> Option<Self> {
        let mut findings = handler.diagnostics.iter().chain(&matcher.diagnostics);
        if findings.any(|found| found.severity == Severity::Error) {
            return None;
        }
        let running = handler.handler.as_deref()?;
        let condition = matcher.matcher.as_deref();
        let is_usual = running.kind() == SCRIPT
            && running.redactor().is_none()
            && running.call_reads() == Default::default()
            && !running.hears_calls_as_made()
            && running.written_tool_names().is_empty()
            && condition.is_none_or(|condition| {
                condition.threshold_percent().is_none() && condition.written_subjects() == condition.subjects()
            });
        let mut texts = matcher.texts.clone();
        texts.extend(handler.texts.clone());
        is_usual.then(|| Self {
            guard: handler.guard,
            influence: running.influence(&hook.event_alias),
            may_wait: running.may_wait(),
            needs_order: running.needs_order(),
            capabilities,
            texts,
            matcher: condition
                .map(|condition| MatcherFacts { subjects: condition.subjects(), shown: condition.describe() }),
        })
    }
}

/// The kind of handlers that are scripts.
pub(crate) const SCRIPT: &str = "script";

impl<F: HandlerFactory + Clone + Debug + Send + Sync + 'static> KnownScripts<F> {
    /// The handler and the matcher of a known script, which is compiled when one of them is asked.
    fn build_known(&self, hook: &HookDeclaration, facts: &Arc<ScriptFacts>) -> (BuiltHandler, BuiltMatcher) {
        let known = Arc::new(KnownScript {
            hook: hook.clone(),
            factory: self.factory.clone(),
            facts: Arc::clone(facts),
            handler: OnceLock::new(),
            matcher: OnceLock::new(),
        });
        let matcher = facts.matcher.is_some().then(|| Arc::clone(&known) as Arc<dyn Matcher>);
        let handler = BuiltHandler { handler: Some(known), guard: facts.guard, ..BuiltHandler::default() };
        (handler, BuiltMatcher { matcher, texts: facts.texts.clone(), ..BuiltMatcher::default() })
    }
}

impl<F: HandlerFactory + Clone + Debug + Send + Sync + 'static> HandlerFactory for KnownScripts<F> {
    fn build_handler(&self, declaration: &HookDeclaration) -> BuiltHandler {
        self.factory.build_handler(declaration)
    }

    fn build_matcher(&self, declaration: &HookDeclaration) -> BuiltMatcher {
        self.factory.build_matcher(declaration)
    }

    fn build_all(&self, declarations: &[HookDeclaration]) -> Vec<(BuiltHandler, BuiltMatcher)> {
        let keys: Vec<Option<String>> = declarations.iter().map(script_key).collect();
        let hook_files = || declarations.iter().filter_map(|hook| hook.location.path());
        let is_usable = |(file, _): &(PathBuf, String)| !is_in_project_of(file, hook_files());
        if keys.iter().flatten().count() < MANY || !self.file.as_ref().is_some_and(is_usable) {
            return self.factory.build_all(declarations);
        }
        let known = self.known_scripts();
        let facts_of = |key: &Option<String>| key.as_ref().and_then(|key| known.get(key));
        let new = declarations.iter().zip(&keys).filter(|(_, key)| facts_of(key).is_none());
        let new: Vec<HookDeclaration> = new.map(|(hook, _)| hook.clone()).collect();
        let mut built = self.factory.build_all(&new).into_iter();
        let mut used = self.used_scripts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut parts = Vec::with_capacity(declarations.len());
        for (hook, key) in declarations.iter().zip(keys) {
            if let Some(facts) = facts_of(&key) {
                parts.push(self.build_known(hook, facts));
                used.0.extend(key.map(|key| (key, Arc::clone(facts))));
                continue;
            }
            let own = built.next();
            let own = own.unwrap_or_else(|| (self.build_handler(hook), self.build_matcher(hook)));
            if let Some(key) = key
                && let Some(facts) = ScriptFacts::of_built(hook, &own, self.factory.capabilities(hook))
            {
                used.0.insert(key, Arc::new(facts));
                used.1 = true;
            }
            parts.push(own);
        }
        parts
    }

    fn check_tool(&self, tool: &ToolSpec) -> Vec<Diagnostic> {
        self.factory.check_tool(tool)
    }

    fn load_plugin(&self, name: &str, module: &ScriptSource) -> LoadedPlugin {
        self.factory.load_plugin(name, module)
    }

    fn check_verify(&self, owner: &str, script: &ScriptSource) -> Vec<Diagnostic> {
        self.factory.check_verify(owner, script)
    }

    fn check_calls(&self, declaration: &HookDeclaration) -> Vec<Diagnostic> {
        self.factory.check_calls(declaration)
    }

    fn check_guard(&self, declaration: &HookDeclaration) -> Vec<Diagnostic> {
        self.factory.check_guard(declaration)
    }

    fn capabilities(&self, declaration: &HookDeclaration) -> Vec<Capability> {
        let used = self.used_scripts.lock().unwrap_or_else(PoisonError::into_inner);
        let facts = script_key(declaration).and_then(|key| used.0.get(&key));
        facts.map_or_else(|| self.factory.capabilities(declaration), |facts| facts.capabilities.clone())
    }
}

/// A script that is known to compile, and is compiled when it is asked.
#[derive(Debug)]
struct KnownScript<F> {
    hook: HookDeclaration,
    factory: F,
    facts: Arc<ScriptFacts>,
    handler: OnceLock<Option<Arc<dyn Handler>>>,
    matcher: OnceLock<Option<Arc<dyn Matcher>>>,
}

/// What is wrong with a script that compiled before and does not any more.
pub(crate) const NOT_COMPILED: &str = "its script does not compile; run `pintle validate` for details";

impl<F: HandlerFactory> KnownScript<F> {
    fn handler(&self) -> Option<&dyn Handler> {
        self.handler.get_or_init(|| self.factory.build_handler(&self.hook).handler).as_deref()
    }
}

impl<F: HandlerFactory + Debug + Send + Sync> Matcher for KnownScript<F> {
    fn matches(&self, event: &Event) -> MatchResult {
        match self.matcher.get_or_init(|| self.factory.build_matcher(&self.hook).matcher) {
            Some(matcher) => matcher.matches(event),
            // As if it were cut short, the hook fails.
            None => MatchResult::Failed(Failure::new(FailureKind::Crash, NOT_COMPILED)),
        }
    }

    fn subjects(&self) -> SubjectFilter {
        self.facts.matcher.as_ref().map_or(SubjectFilter::Any, |facts| facts.subjects.clone())
    }

    fn describe(&self) -> String {
        self.facts.matcher.as_ref().map(|facts| facts.shown.clone()).unwrap_or_default()
    }
}

impl<F: HandlerFactory + Debug + Send + Sync> Handler for KnownScript<F> {
    fn kind(&self) -> &'static str {
        SCRIPT
    }

    fn may_wait(&self) -> bool {
        self.facts.may_wait
    }

    fn influence(&self, event_alias: &str) -> HookInfluence {
        match event_alias == &*self.hook.event_alias {
            true => self.facts.influence,
            false => self.handler().map_or(HookInfluence::MayChange, |handler| handler.influence(event_alias)),
        }
    }

    fn needs_order(&self) -> bool {
        self.facts.needs_order
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        match self.handler() {
            Some(handler) => handler.call(call),
            None if call.hook.guard => Verdict::deny(format!("a guard of this event could not run: {NOT_COMPILED}")),
            None => Verdict::failed(Failure::new(FailureKind::Error, NOT_COMPILED)),
        }
    }
}
