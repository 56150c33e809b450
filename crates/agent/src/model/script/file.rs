//! The format of a script file.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::model::message::MessageRole;
use crate::model::script::yaml_value::{LineOf, from_yaml};

/// The maximum number of times that one call may be repeated.
const MOST_TIMES: usize = 1_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptFile {
    /// What the script shows, for its readers.
    #[serde(default)]
    #[serde(rename = "about")]
    pub(super) summary: String,
    /// The user's messages, turn by turn, if no others are given.
    #[serde(default)]
    pub(super) prompts: Vec<String>,
    #[serde(default)]
    pub(super) turns: TurnList,
    #[serde(default)]
    pub(super) agents: BTreeMap<String, AgentScript>,
}

pub(super) type TurnList = Vec<LineOf<ScriptedTurn>>;

/// The turns of a child agent: one list shared by all its runs, or one list for each run.
#[derive(Debug)]
pub(super) enum AgentScript {
    Shared(TurnList),
    Conversations(Vec<TurnList>),
}

/// One reply of the model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedTurn {
    #[serde(default, deserialize_with = "deserialize_one_or_more")]
    pub(super) expect: Vec<ExpectedInput>,
    #[serde(default)]
    pub(super) say: String,
    #[serde(default)]
    pub(super) calls: Vec<ScriptedCall>,
    #[serde(default)]
    pub(super) error: Option<ScriptedError>,
    #[serde(default)]
    pub(super) usage: Option<ScriptedUsage>,
    #[serde(default)]
    pub(super) finish: Option<String>,
}

/// What the messages since the model's last one must be.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedInput {
    #[serde(default)]
    pub(super) last: Option<MessageRole>,
    #[serde(default)]
    pub(super) tool: Option<String>,
    #[serde(default, deserialize_with = "deserialize_one_or_more")]
    pub(super) contains: Vec<String>,
    #[serde(default, deserialize_with = "deserialize_one_or_more")]
    pub(super) lacks: Vec<String>,
    /// Texts that the instruction must contain.
    #[serde(default, deserialize_with = "deserialize_one_or_more")]
    pub(super) system: Vec<String>,
    /// Tools that must be offered to the model.
    #[serde(default, deserialize_with = "deserialize_one_or_more")]
    pub(super) offers: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedCall {
    pub(super) tool: String,
    #[serde(default)]
    pub(super) args: Option<Map<String, Value>>,
    #[serde(default)]
    pub(super) arguments: Option<String>,
    #[serde(default)]
    pub(super) id: Option<String>,
    /// How often the call is made, all at once.
    #[serde(default = "default_times")]
    pub(super) times: usize,
}

fn default_times() -> usize {
    1
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedError {
    #[serde(default)]
    pub(super) retryable: bool,
    pub(super) message: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedUsage {
    #[serde(default)]
    pub(super) input: u64,
    #[serde(default)]
    pub(super) output: u64,
}

impl ScriptFile {
    /// Parses a file; the error names the line.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let file: Self = from_yaml(text).map_err(|error| error.to_string())?;
        for turns in file.turn_lists() {
            // A script may have turns for child agents only.
            if turns.is_empty() && (file.agents.is_empty() || !std::ptr::eq(turns, &file.turns)) {
                return Err(String::from("a list of turns is empty; give it at least one turn"));
            }
            for LineOf(line, turn) in turns {
                check_turn(turn).map_err(|reason| format!("line {line}: {reason}"))?;
            }
        }
        Ok(file)
    }

    fn turn_lists(&self) -> Vec<&TurnList> {
        let mut lists = vec![&self.turns];
        for script in self.agents.values() {
            match script {
                AgentScript::Shared(turns) => lists.push(turns),
                AgentScript::Conversations(each) => lists.extend(each),
            }
        }
        lists
    }
}

fn check_turn(turn: &ScriptedTurn) -> Result<(), String> {
    if turn.say.is_empty() && turn.calls.is_empty() && turn.error.is_none() {
        return Err(String::from("the turn does nothing; give it `say`, `calls` or `error`"));
    }
    for call in &turn.calls {
        if call.args.is_some() && call.arguments.is_some() {
            return Err(format!("the call of `{}` has both `args` and `arguments`; keep one", call.tool));
        }
        if call.times == 0 || call.times > MOST_TIMES {
            return Err(format!("the call of `{}` is made {} times; give it 1 to {MOST_TIMES}", call.tool, call.times));
        }
        if call.times > 1 && call.id.is_some() {
            return Err(format!("the call of `{}` is made several times with one `id`; leave the id out", call.tool));
        }
    }
    let contradicts =
        |expect: &ExpectedInput| expect.tool.is_some() && expect.last.is_some_and(|role| role != MessageRole::Tool);
    if turn.expect.iter().any(contradicts) {
        return Err(String::from("`tool` goes with `last: tool` only; drop one of the two"));
    }
    Ok(())
}

/// Deserializes one value, or a list of values.
fn deserialize_one_or_more<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct OneOrMore<T>(std::marker::PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMore<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string, a mapping, or a list of them")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(list))
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map)).map(|one| vec![one])
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
            T::deserialize(serde::de::value::StrDeserializer::new(text)).map(|one| vec![one])
        }
    }
    deserializer.deserialize_any(OneOrMore(std::marker::PhantomData))
}

impl<'de> Deserialize<'de> for AgentScript {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct RunsVisitor {
            conversations: Vec<TurnList>,
        }
        struct EitherVisitor;
        impl<'de> Visitor<'de> for EitherVisitor {
            type Value = AgentScript;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of turns, or `conversations` with a list of turns for each run")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                TurnList::deserialize(SeqAccessDeserializer::new(list)).map(AgentScript::Shared)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let runs = RunsVisitor::deserialize(MapAccessDeserializer::new(map))?;
                Ok(AgentScript::Conversations(runs.conversations))
            }
        }
        deserializer.deserialize_any(EitherVisitor)
    }
}
