//! Remembers what hook files declare, so that a process that handles one event reads and compiles only those that it calls.
//!
//! Most hooks are about other events and tools than the one that is called. The file in the state directory has, for the
//! files of one path, a digest of what changes when one of them is touched, and for each hook its text and what the engine
//! asks of a hook before it is called. As long as the digest is the same, such a hook is made from that; its text is parsed
//! and compiled when it is first asked. If it then is not the hook that was remembered, it fails, and a guard denies. If any
//! file was added, removed or touched, all of them are read.
//!
//! The file is used under the conditions of [`crate::known_scripts`].

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use pintle_contract::{
    ByteSpan, CallLimits, CallReads, DenyEffect, EnforcementMode, Event, EventName, Failure, FailureKind,
    FailurePolicy, Handler, HandlerFactory, HandlerSpec, Hook, HookCall, HookId, HookInfluence, Location, MatchResult,
    Matcher, Profile, SourceFile, SourceTrust, SubjectFilter, Verdict, to_hex,
};
use pintle_dialects::{Artifact, ArtifactKind, ParsedProject};
use pintle_files::FileState;
use serde::{Deserialize, Serialize};
use serde_json::StreamDeserializer;
use serde_json::de::SliceRead;
use sha2::{Digest, Sha256};

use crate::compile::{DeclaredHook, compile_all};
use crate::discover::DiscoveredFile;
use crate::known_scripts::{MOST_BYTES, NOT_COMPILED, SCRIPT, describe_program, is_in_project_of, make_room_beside};
use crate::load::LoadOptions;
use crate::parse::parse_artifacts;
use crate::private_file::read_private_file;
use crate::read::name_without_ending;
use crate::trust::digest_bytes;

/// The version of the file's format.
const FORMAT: u32 = 2;

/// The hooks of earlier processes, in a directory of the user's own.
#[derive(Clone)]
pub struct KnownHooks {
    dir: PathBuf,
    program: String,
    factory: Arc<dyn HandlerFactory + Send + Sync>,
    keeps_declared: fn(&HandlerSpec) -> bool,
}

impl fmt::Debug for KnownHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownHooks").field("dir", &self.dir).finish_non_exhaustive()
    }
}

impl KnownHooks {
    /// The hooks that are remembered in a directory, and the factory that compiles one when it is asked. A handler for which
    /// `keeps_declared` holds is always among the declarations that were loaded.
    #[must_use]
    pub fn new(
        dir: &Path,
        factory: Arc<dyn HandlerFactory + Send + Sync>,
        keeps_declared: fn(&HandlerSpec) -> bool,
    ) -> Option<Self> {
        Some(Self { dir: dir.to_owned(), program: describe_program()?, factory, keeps_declared })
    }

    /// The files of a path with their states; `None` if nothing can be remembered of them, as of files that are about to
    /// change. `question` is what else decides what is loaded from them.
    pub(crate) fn look_at(
        &self,
        path: &Path,
        question: &str,
        files: &[DiscoveredFile],
        states: &[FileState],
    ) -> Option<SeenHookFiles<'_>> {
        let place = self.dir.join(format!("{}.hooks", digest_bytes(path.as_os_str().as_encoded_bytes())));
        let is_usable = || !is_in_project_of(&place, files.iter().map(|file| file.path.as_path()));
        if files.is_empty() || !is_usable() {
            return None;
        }
        let mut digest = Sha256::new_with_prefix(format!("{FORMAT} {} {question}", self.program));
        let mut mark = Vec::new();
        for (DiscoveredFile { path, role }, state) in files.iter().zip(states) {
            mark.clear();
            if !state.append_mark(&mut mark) {
                return None;
            }
            match role {
                ArtifactKind::Hook => mark.push(0),
                role => mark.extend(format!("{role:?}\0").bytes()),
            }
            mark.extend(path.as_os_str().as_encoded_bytes());
            mark.push(0);
            digest.update(&mark);
        }
        let digest = to_hex(&digest.finalize());
        Some(SeenHookFiles { known: self, place, digest })
    }
}

/// The files of a path as they are now.
pub(crate) struct SeenHookFiles<'k> {
    known: &'k KnownHooks,
    place: PathBuf,
    digest: String,
}

/// The length of the digest with which the file begins: a part of it may be lost when the machine stops.
const CHECKSUM_BYTES: usize = 64;

/// The format of the file behind the digest: this, and then the texts of the hooks.
#[derive(Debug, Serialize, Deserialize)]
struct HooksFile {
    digest: String,
    facts: Vec<Arc<HookFacts>>,
    hooks: Vec<KnownHookRow>,
}

/// A hook in the file.
#[derive(Debug, Serialize, Deserialize)]
struct KnownHookRow {
    /// Its position among the hooks of the path.
    #[serde(rename = "p")]
    position: usize,
    /// The positions of its file among those of the path, and of its facts in the list.
    #[serde(rename = "f")]
    file: (usize, usize),
    /// Where it is declared.
    #[serde(rename = "l")]
    location: (usize, usize),
    /// The length of its text.
    #[serde(rename = "t")]
    text: usize,
    #[serde(rename = "c", default, skip_serializing_if = "Vec::is_empty")]
    certain: Vec<String>,
    /// Without them it may hear any subject.
    #[serde(rename = "m", default, skip_serializing_if = "Option::is_none")]
    possible: Option<Vec<String>>,
}

/// What the engine asks of a hook before it is called, without its name and its subjects. Many hooks have the same.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct HookFacts {
    event: String,
    event_alias: Arc<str>,
    priority: i64,
    on_deny: DenyEffect,
    guard: bool,
    on_failure: FailurePolicy,
    has_matcher: bool,
    strict_matcher: bool,
    mode: EnforcementMode,
    tools: Vec<String>,
    limits: CallLimits,
    influence: HookInfluence,
    may_wait: bool,
    needs_order: bool,
    is_reusable: bool,
    call_reads: CallReads,
    profile: Profile,
}

impl HookFacts {
    /// The facts of a hook, with its subjects; `None` if it is not like other scripts.
    fn of_hook(hook: &Hook, profile: Profile) -> Option<(Self, SubjectFilter)> {
        let (matcher, handler) = (hook.matcher.as_deref(), &hook.handler);
        let is_usual = handler.kind() == SCRIPT
            && handler.redactor().is_none()
            && !handler.hears_calls_as_made()
            && matcher.is_none_or(|matcher| matcher.threshold_percent().is_none())
            && hook.definition.is_none()
            && hook.source_trust == SourceTrust::Trusted;
        let facts = || Self {
            event: hook.event.as_str().to_owned(),
            event_alias: Arc::clone(&hook.event_alias),
            priority: hook.priority,
            on_deny: hook.on_deny,
            guard: hook.guard,
            on_failure: hook.on_failure,
            has_matcher: matcher.is_some(),
            strict_matcher: hook.strict_matcher,
            mode: hook.mode,
            tools: hook.tools.clone(),
            limits: hook.limits,
            influence: handler.influence(&hook.event_alias),
            may_wait: handler.may_wait(),
            needs_order: handler.needs_order(),
            is_reusable: handler.is_reusable(),
            call_reads: handler.call_reads(),
            profile,
        };
        is_usual.then(|| (facts(), matcher.map_or(SubjectFilter::Any, Matcher::subjects)))
    }
}

/// The hooks of a path that are not read, each with its position among all hooks of the path.
#[derive(Debug, Default)]
pub(crate) struct SleepingHooks(Vec<(usize, DeclaredHook)>);

impl SleepingHooks {
    /// The number of hooks, each of which has a file of its own.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Puts the hooks where they are among those that were read.
    pub(crate) fn merge_with(self, read: impl Iterator<Item = DeclaredHook>) -> Vec<DeclaredHook> {
        let (mut read, mut merged) = (read, Vec::new());
        for (position, hook) in self.0 {
            merged.extend(read.by_ref().take(position.saturating_sub(merged.len())));
            merged.push(hook);
        }
        merged.extend(read);
        merged
    }
}

impl SeenHookFiles<'_> {
    /// Removes the files whose hooks are known, and returns these hooks.
    pub(crate) fn take_known(&self, files: &mut Vec<DiscoveredFile>) -> Option<SleepingHooks> {
        let bytes = read_private_file(&self.place, MOST_BYTES)?;
        let (checksum, bytes) = bytes.split_at_checked(CHECKSUM_BYTES)?;
        if digest_bytes(bytes).as_bytes() != checksum {
            return None;
        }
        let mut values = StreamDeserializer::<_, HooksFile>::new(SliceRead::new(bytes));
        let known = values.next()?.ok().filter(|known| known.digest == self.digest)?;
        let mut texts = std::str::from_utf8(bytes.get(values.byte_offset()..)?).ok()?;
        let events: Option<Vec<EventName>> =
            known.facts.iter().map(|facts| EventName::parse(&facts.event).ok()).collect();
        let events = events?;
        let waker = Arc::new(HookWaker(Arc::clone(&self.known.factory)));
        let mut is_known = vec![false; files.len()];
        let mut hooks = Vec::with_capacity(known.hooks.len());
        for KnownHookRow { position, file: (file, facts), location: (start, end), text, certain, possible } in
            known.hooks
        {
            let (own, rest) = texts.split_at_checked(text)?;
            texts = rest;
            *is_known.get_mut(file)? = true;
            let path = files.get(file)?.path.clone();
            let source = Arc::new(SourceFile { path, text: own.to_owned() });
            let event = events.get(facts)?.clone();
            let facts = known.facts.get(facts)?;
            let location = Location::new(Arc::clone(&source), ByteSpan { start, end });
            let sleeping = Arc::new(SleepingHook {
                source,
                facts: Arc::clone(facts),
                subjects: possible.map_or(SubjectFilter::Any, |possible| SubjectFilter::Only { certain, possible }),
                waker: Arc::clone(&waker),
                hook: OnceLock::new(),
            });
            let hook = Hook {
                id: HookId::new(name_without_ending(&sleeping.source.path)),
                event,
                event_alias: Arc::clone(&facts.event_alias),
                priority: facts.priority,
                matcher: facts.has_matcher.then(|| Arc::clone(&sleeping) as Arc<dyn Matcher>),
                handler: sleeping,
                on_deny: facts.on_deny,
                definition: None,
                guard: facts.guard,
                on_failure: facts.on_failure,
                strict_matcher: facts.strict_matcher,
                mode: facts.mode,
                source_trust: SourceTrust::Trusted,
                tools: facts.tools.clone(),
                limits: facts.limits,
                location,
            };
            hooks.push((position, (ArtifactKind::Hook.dialect().name, facts.profile, Some(Arc::new(hook)))));
        }
        let mut is_known = is_known.into_iter();
        files.retain(|_| !is_known.next().unwrap_or_default());
        Some(SleepingHooks(hooks))
    }

    /// What is to be remembered of a path whose files were all read; `None` if none of its hooks can be. `paths` are those
    /// that were looked at.
    pub(crate) fn collect_known(
        &self,
        paths: &[PathBuf],
        project: &ParsedProject,
        hooks: &[Option<Hook>],
    ) -> Option<Vec<u8>> {
        // Agents name hooks, and are checked with them.
        let has_only_hooks = project.agent.is_none()
            && project.team.is_none()
            && project.personas.is_empty()
            && project.unplaced.is_empty();
        if !has_only_hooks {
            return None;
        }
        let (mut names, mut files) = (HashMap::new(), HashMap::new());
        for hook in &project.hooks {
            *names.entry(hook.name.as_str()).or_insert(0) += 1;
            *files.entry(hook.location.path()).or_insert(0) += 1;
        }
        let positions: HashMap<&Path, usize> =
            paths.iter().enumerate().map(|(index, path)| (path.as_path(), index)).collect();
        let mut kept = HooksFile { digest: self.digest.clone(), facts: Vec::new(), hooks: Vec::new() };
        let mut texts = String::new();
        for (position, (declared, hook)) in project.hooks.iter().zip(hooks).enumerate() {
            let Some(source) = &declared.location.file else { continue };
            // The name of another hook decides what becomes of this one.
            let is_alone =
                names.get(declared.name.as_str()) == Some(&1) && files.get(&declared.location.path()) == Some(&1);
            let is_plain = is_alone
                && declared.codec.dialect() == ArtifactKind::Hook.dialect().name
                && declared.name == name_without_ending(&source.path)
                && declared.files.is_empty()
                && !(self.known.keeps_declared)(&declared.handler);
            let facts = hook.as_ref().filter(|_| is_plain).and_then(|hook| HookFacts::of_hook(hook, declared.profile));
            let (Some((facts, subjects)), Some(&file)) = (facts, positions.get(source.path.as_path())) else {
                continue;
            };
            let at = kept.facts.iter().position(|known| **known == facts).unwrap_or(kept.facts.len());
            if at == kept.facts.len() {
                kept.facts.push(Arc::new(facts));
            }
            let (certain, possible) = match subjects {
                SubjectFilter::Any => (Vec::new(), None),
                SubjectFilter::Only { certain, possible } => (certain, Some(possible)),
            };
            let ByteSpan { start, end } = declared.location.span;
            let (location, text) = ((start, end), source.text.len());
            kept.hooks.push(KnownHookRow { position, file: (file, at), location, text, certain, possible });
            texts.push_str(&source.text);
        }
        let mut bytes = serde_json::to_vec(&kept).ok().filter(|_| !kept.hooks.is_empty())?;
        bytes.extend(texts.bytes());
        Some([digest_bytes(&bytes).into_bytes(), bytes].concat())
    }

    /// Writes what was collected.
    ///
    /// # Errors
    /// When it cannot be written. The next process reads all files.
    pub(crate) fn save(&self, collected: &[u8]) -> io::Result<()> {
        if collected.len() as u64 > MOST_BYTES {
            return Ok(());
        }
        make_room_beside(&self.place)?;
        pintle_files::replace_private_file(&self.place, |file| file.write_all(collected))
    }
}

/// Parses and compiles a hook when it is asked.
struct HookWaker(Arc<dyn HandlerFactory + Send + Sync>);

impl fmt::Debug for HookWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookWaker").finish_non_exhaustive()
    }
}

/// A hook of which only the facts are known until it is asked.
#[derive(Debug)]
struct SleepingHook {
    source: Arc<SourceFile>,
    facts: Arc<HookFacts>,
    subjects: SubjectFilter,
    waker: Arc<HookWaker>,
    hook: OnceLock<Option<Box<Hook>>>,
}

impl SleepingHook {
    /// The hook itself; `None` if its text is not what was remembered.
    fn wake(&self) -> Option<&Hook> {
        let awake = self.hook.get_or_init(|| {
            let (role, name) = (ArtifactKind::Hook, name_without_ending(&self.source.path));
            let artifact = Artifact { role, name, file: Arc::clone(&self.source) };
            let (factory, mut findings) = (&*self.waker.0, Vec::new());
            let project = parse_artifacts(vec![artifact], factory, &LoadOptions::default(), &mut findings);
            let [declared] = project.hooks.as_slice() else { return None };
            let hook = compile_all(&project.hooks, factory, &mut findings).pop()??;
            let (facts, subjects) = HookFacts::of_hook(&hook, declared.profile)?;
            let is_known = facts == *self.facts && subjects == self.subjects;
            is_known.then(|| Box::new(hook))
        });
        awake.as_deref()
    }
}

impl Matcher for SleepingHook {
    fn matches(&self, event: &Event) -> MatchResult {
        match self.wake().and_then(|hook| hook.matcher.as_ref()) {
            Some(matcher) => matcher.matches(event),
            // Its call denies.
            None if self.facts.guard => MatchResult::Yes,
            None => MatchResult::Failed(Failure::new(FailureKind::Crash, NOT_COMPILED)),
        }
    }

    fn subjects(&self) -> SubjectFilter {
        self.subjects.clone()
    }

    fn written_subjects(&self) -> SubjectFilter {
        self.wake()
            .and_then(|hook| hook.matcher.as_ref())
            .map_or_else(|| self.subjects(), |found| found.written_subjects())
    }

    fn describe(&self) -> String {
        self.wake().and_then(|hook| hook.matcher.as_ref()).map(|matcher| matcher.describe()).unwrap_or_default()
    }
}

impl Handler for SleepingHook {
    fn kind(&self) -> &'static str {
        SCRIPT
    }

    fn may_wait(&self) -> bool {
        self.facts.may_wait
    }

    fn influence(&self, event_alias: &str) -> HookInfluence {
        match *event_alias == *self.facts.event_alias {
            true => self.facts.influence,
            false => self.wake().map_or(HookInfluence::MayChange, |hook| hook.handler.influence(event_alias)),
        }
    }

    fn call_reads(&self) -> CallReads {
        self.facts.call_reads
    }

    fn written_tool_names(&self) -> &[String] {
        self.wake().map_or(&[], |hook| hook.handler.written_tool_names())
    }

    fn needs_order(&self) -> bool {
        self.facts.needs_order
    }

    fn is_reusable(&self) -> bool {
        self.facts.is_reusable
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        match self.wake() {
            Some(hook) => hook.handler.call(call),
            None if call.hook.guard => Verdict::deny(format!("a guard of this event could not run: {NOT_COMPILED}")),
            None => Verdict::failed(Failure::new(FailureKind::Error, NOT_COMPILED)),
        }
    }
}
