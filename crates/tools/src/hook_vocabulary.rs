//! The vocabulary that a hook is written in.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use pintle_contract::{Matcher, ScriptTexts};

use super::vocabularies::VOCABULARIES;
use super::vocabulary::{CanonicalCall, ToolMapping, ToolVocabulary};
use super::wanted_names::{NameMatch, WantedNames};
use crate::vocabularies::{AI_HARNESS, PINTLE, PROJECT_SHELL};

/// The words in which a hook hears tool calls.
#[derive(Debug, Clone)]
pub enum HookVocabulary {
    /// Those of its dialect.
    Fixed(&'static ToolVocabulary),
    /// Those whose names the hook's own conditions use; Pintle's if they use none.
    ByNames(NamedVocabularies),
}

/// The vocabularies that know a hook's names, the likeliest first.
#[derive(Debug, Clone)]
pub struct NamedVocabularies {
    /// The tool names in the hook's conditions.
    wanted: WantedNames,
    ranked: Vec<&'static ToolVocabulary>,
    /// Whether the hook mentions the shell that a project defines itself, such as in "use `run_command` instead of `shell`":
    /// it tells the two apart.
    knows_project_shell: bool,
}

impl HookVocabulary {
    /// The vocabulary of a hook whose conditions use these tool names. `words` are other texts of the hook: they decide
    /// between vocabularies that share a tool's name. A hook that names no tool is in the vocabulary that has most of the
    /// `arguments` that it reads.
    #[must_use]
    pub fn by_names(wanted: WantedNames, words: &[String], arguments: &[String]) -> Self {
        let mut scores: Vec<(usize, usize, &'static ToolVocabulary)> = Vec::new();
        let may_name_tools = wanted.may_be_similar() || wanted.names.iter().any(|name| NATIVE_NAMES.contains(&**name));
        for vocabulary in VOCABULARIES.iter().filter(|_| may_name_tools) {
            let is_known = |tool: &&ToolMapping| tool.native_names.iter().any(|name| wanted.has(name));
            let tools: Vec<&ToolMapping> = vocabulary.tools.iter().filter(is_known).collect();
            if tools.is_empty() {
                continue;
            }
            let names = wanted.names.iter().filter(|name| vocabulary.has_tool(name)).count();
            let is_field =
                |word: &&String| tools.iter().any(|tool| tool.fields.iter().any(|(native, _)| native == word));
            scores.push((names, words.iter().filter(is_field).count(), vocabulary));
        }
        if scores.is_empty() {
            let count = |index: usize| count_arguments(index, arguments);
            let counts = VOCABULARIES.iter().enumerate().map(|(index, vocabulary)| (count(index), 0, *vocabulary));
            // The first one is Pintle's own.
            scores = counts.filter(|(named, _, _)| *named > count(0)).collect();
        }
        // The sort is stable, so the order of the table decides the rest.
        scores.sort_by_key(|(names, fields, _)| std::cmp::Reverse((*names, *fields)));
        let ranked = scores.into_iter().map(|(_, _, vocabulary)| vocabulary).collect();
        let knows_project_shell = words.iter().any(|word| mentions(word, PROJECT_SHELL));
        Self::ByNames(NamedVocabularies { wanted, ranked, knows_project_shell })
    }

    /// The vocabulary of a hook, from its matcher and the literals of its script.
    #[must_use]
    pub fn of_hook(matcher: Option<&Arc<dyn Matcher>>, texts: &ScriptTexts) -> Self {
        Self::by_names(WantedNames::of_hook(matcher, texts), &texts.all, &texts.arguments)
    }

    /// Whether the hook's dialect or a tool name in its conditions says which vocabulary it is.
    #[must_use]
    pub fn knows_tools(&self) -> bool {
        match self {
            Self::Fixed(_) => true,
            Self::ByNames(named) => !named.ranked.is_empty(),
        }
    }

    /// The tool names that the hook's conditions write out.
    pub(crate) fn written_names(&self) -> &[String] {
        match self {
            Self::Fixed(_) => &[],
            Self::ByNames(named) => &named.wanted.names,
        }
    }

    /// Whether a hook hears a call as its caller made it, as far as this is known from its name alone. Most hooks do not
    /// need the name.
    #[inline]
    pub(crate) fn hears_as_made<'n>(&self, caller: &'static ToolVocabulary, name: impl FnOnce() -> &'n str) -> bool {
        match self {
            Self::Fixed(vocabulary) => caller.name == vocabulary.name,
            Self::ByNames(named) => match named.ranked.first() {
                None => has_canonical_arguments(caller),
                Some(first) => {
                    if has_canonical_arguments(caller) && has_canonical_arguments(first) {
                        let name = name();
                        return named.wanted.has(name) || named.knows_project_shell && name == PROJECT_SHELL;
                    }
                    caller.name == first.name && named.wanted.has(name())
                }
            },
        }
    }

    /// The vocabulary for one part of a call, and the name that the hook expects, if its conditions name the tool.
    pub(crate) fn words_for(&self, call: &CanonicalCall) -> (&'static ToolVocabulary, Option<String>) {
        match self {
            Self::Fixed(vocabulary) => (vocabulary, None),
            Self::ByNames(named) => {
                for sureness in NameMatch::SUREST_FIRST {
                    for vocabulary in &named.ranked {
                        let mut names = vocabulary.native_names(&call.name);
                        if let Some(name) = names.find(|name| named.wanted.has_as(name, sureness)) {
                            return (vocabulary, Some(name.to_owned()));
                        }
                    }
                    for vocabulary in VOCABULARIES {
                        let name = vocabulary.mcp.to_native(&call.name);
                        if let Some(name) = name.filter(|name| named.wanted.has_as(name, sureness)) {
                            return (vocabulary, Some(name));
                        }
                    }
                }
                (named.ranked.first().copied().unwrap_or(&PINTLE), None)
            }
        }
    }

    /// The names under which callers may make a call that the hook hears under one of these names, in order.
    pub(crate) fn caller_names(&self, names: &[&str]) -> Vec<String> {
        let own: &[&ToolVocabulary] = match self {
            Self::Fixed(vocabulary) => &[vocabulary],
            Self::ByNames(_) => VOCABULARIES,
        };
        // Canonical names, each with the name under which the hook hears it.
        let mut canonical: Vec<(Cow<'_, str>, &str)> = names.iter().map(|name| (Cow::Borrowed(*name), *name)).collect();
        for vocabulary in own {
            canonical.extend(names.iter().filter_map(|name| Some((vocabulary.mcp.to_canonical(name)?.into(), *name))));
            for tool in vocabulary.tools {
                let heard = names.iter().filter(|name| tool.native_names.contains(name));
                canonical
                    .extend(heard.flat_map(|name| tool.canonical_names().map(|tool| (Cow::Borrowed(tool), *name))));
            }
        }
        canonical.sort_unstable();
        canonical.dedup();
        let mut callers: Vec<Cow<'_, str>> = canonical.iter().map(|(name, _)| name.clone()).collect();
        for vocabulary in VOCABULARIES {
            callers.extend(canonical.iter().filter_map(|(name, _)| vocabulary.mcp.to_native(name).map(Cow::Owned)));
            for tool in vocabulary.tools {
                let of_tool = |wanted: &'static str| {
                    let start = canonical.partition_point(|(name, _)| &**name < wanted);
                    canonical.iter().skip(start).take_while(move |(name, _)| name == wanted).map(|(_, heard)| *heard)
                };
                let heard: Vec<&str> = tool.canonical_names().flat_map(of_tool).collect();
                let may_be_heard = |native: &&&'static str| {
                    heard.contains(*native) || !heard.is_empty() && !self.hears_as_made(vocabulary, || native)
                };
                callers.extend(tool.native_names.iter().filter(may_be_heard).map(|name| Cow::Borrowed(*name)));
            }
        }
        callers.sort_unstable();
        callers.dedup();
        callers.into_iter().map(Cow::into_owned).collect()
    }

    /// Whether a call that is made under a name in the hook's own conditions always reaches the hook under such a name.
    pub(crate) fn keeps_names(&self) -> bool {
        matches!(self, Self::ByNames(_))
    }
}

/// Whether a text has a name as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    let is_edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_');
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = text.split_at_checked(at).unwrap_or_default();
        is_edge(before.chars().next_back()) && is_edge(after.get(name.len()..).and_then(|rest| rest.chars().next()))
    })
}

/// Whether arguments have their canonical names, so that only the name of the tool may differ.
pub(crate) fn has_canonical_arguments(vocabulary: &'static ToolVocabulary) -> bool {
    [&PINTLE, &AI_HARNESS].into_iter().any(|own| std::ptr::eq(vocabulary, own))
}

/// Every tool name of every vocabulary, to look one up.
static NATIVE_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| tool_names().collect());

/// How many of these arguments the tools of a vocabulary have, which is told by its index. A name that only some of them
/// have does not count: for the others, the hook would miss the argument.
fn count_arguments(index: usize, arguments: &[String]) -> usize {
    let has =
        |argument: &&String| ARGUMENT_OWNERS.get(argument.as_str()).is_some_and(|owners| owners >> index & 1 == 1);
    arguments.iter().filter(has).count()
}

/// Each argument with the vocabularies whose tools have it, one bit for each: natively, or as the canonical name of an
/// argument that none of their tools has another name for.
static ARGUMENT_OWNERS: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
    let fields = || {
        let tools = VOCABULARIES
            .iter()
            .enumerate()
            .flat_map(|(index, vocabulary)| vocabulary.tools.iter().map(move |tool| (1_u32 << index, tool)));
        tools.flat_map(|(bit, tool)| tool.fields.iter().map(move |field| (bit, tool.canonical, *field)))
    };
    let mut tool_owners: HashMap<&str, u32> = HashMap::new();
    for (index, vocabulary) in VOCABULARIES.iter().enumerate() {
        for tool in vocabulary.tools {
            *tool_owners.entry(tool.canonical).or_default() |= 1 << index;
        }
    }
    let mut renaming: HashMap<&str, u32> = HashMap::new();
    for (bit, _, (_, canonical)) in fields() {
        *renaming.entry(canonical).or_default() |= bit;
    }
    let mut owners: HashMap<&str, u32> = HashMap::new();
    for (_, tool, (_, canonical)) in fields() {
        let having = tool_owners.get(tool).copied().unwrap_or_default();
        *owners.entry(canonical).or_default() |= having & !renaming.get(canonical).copied().unwrap_or_default();
    }
    for (bit, _, (native, _)) in fields() {
        *owners.entry(native).or_default() |= bit;
    }
    owners
});

/// Every tool name of every vocabulary.
pub fn tool_names() -> impl Iterator<Item = &'static str> + Clone {
    VOCABULARIES.iter().flat_map(|vocabulary| vocabulary.tools).flat_map(|tool| tool.native_names).copied()
}
