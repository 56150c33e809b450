//! A native script agrees with the interpreter in its decision, its effects and its failures, on thousands of scripts
//! and payloads.

use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{
    CallId, CallLimits, CancelToken, EffectCaller, EffectError, EffectReply, EffectRequest, EffectRunner, Failure,
    Payload, ScriptOutput, ScriptSource,
};
use pintle_script::{Invocation, Script, ScriptKind, compile};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::when_agrees::{event_payload, expression_text};

/// Effects that remember what they were asked, and refuse every request from one on.
#[derive(Debug)]
struct RefusingEffects {
    asked: Mutex<Vec<EffectRequest>>,
    performed: usize,
}

impl EffectRunner for RefusingEffects {
    fn perform(&self, _caller: EffectCaller<'_>, request: EffectRequest) -> Result<EffectReply, EffectError> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(request);
        if asked.len() > self.performed { Err(EffectError(String::from("full"))) } else { Ok(EffectReply::Int(1)) }
    }
}

fn compile_script(text: &str) -> Option<Arc<Script>> {
    compile("t", &ScriptSource::without_file(text), ScriptKind::Hook).script
}

type ScriptAnswer = (Result<ScriptOutput, Failure>, Vec<EffectRequest>);

fn both_answers(script: &Script, payload: &Value, limits: &CallLimits, performed: usize) -> [ScriptAnswer; 2] {
    [false, true].map(|in_interpreter| {
        let (payload, cancel) = (Payload::new(payload.clone()), CancelToken::default());
        let effects = RefusingEffects { asked: Mutex::default(), performed };
        let invocation =
            Invocation { effects: &effects, caller: EffectCaller::new(CallId(0), "t"), limits, cancel: &cancel };
        let answer = if in_interpreter {
            script.handle_in_interpreter("tool.pre", &payload, &invocation)
        } else {
            script.handle("tool.pre", &payload, &invocation)
        };
        (answer, effects.asked.into_inner().unwrap_or_default())
    })
}

fn call_limits() -> impl Strategy<Value = CallLimits> {
    let default = CallLimits::default();
    let usual = Just(default);
    let steps =
        prop_oneof![Just(1), Just(3), Just(10), Just(100)].prop_map(move |steps| CallLimits { steps, ..default });
    let others = prop_oneof![
        Just(CallLimits { timeout_ms: 0, ..default }),
        Just(CallLimits { memory_bytes: 1_000, ..default }),
        Just(CallLimits { memory_bytes: 2 << 20, ..default }),
        Just(CallLimits { call_depth: 2, ..default }),
        Just(CallLimits { output_bytes: 3, ..default }),
        Just(CallLimits { output_bytes: 12, ..default }),
    ];
    prop_oneof![6 => usual, 2 => steps, 1 => others]
}

/// Expressions with the names of a script in them, and what texts can do.
fn value_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => expression_text(),
        1 => prop_oneof![
            Just("x"), Just("y"), Just("WORDS"), Just("WORD"), Just("TABLE"), Just("payload[\"name\"]"), Just("\"a é b\""),
            Just("\"b\""), Just("1"), Just("-2"), Just("helped(payload)"),
        ].prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let of_one = prop_oneof![
            Just("str({})"),
            Just("({}).lower()"),
            Just("({}).upper()"),
            Just("({}).strip()"),
            Just("({}).lstrip()"),
            Just("({}).rstrip()"),
            Just("len({})"),
            Just("any({})"),
            Just("all({})"),
            Just("({})[1:]"),
            Just("({})[:-1]"),
            Just("({})[0:2]"),
            Just("({})[0]"),
            Just("({})[-2:9]"),
            Just("f\"<{({})}>\""),
            Just("\"{{}}{}\".format({})"),
            Just("\"%s%%\" % ({})"),
            Just("({}).split(\" \")"),
            Just("({}).startswith((\"a\", \"é\"))"),
            Just("({}).endswith((\"b\",))"),
            Just("[w for w in {}]"),
            Just("[w + \"!\" for w in {} if w != \"b\"]"),
            Just("[x for x in {}]"),
            Just("any([w in WORD for w in {}])"),
            Just("(1, {})"),
            Just("[{}, \"a\"]"),
            Just("same({})"),
            Just("({}).replace(\"a\", \"bb\")"),
        ];
        let of_two = prop_oneof![
            Just("(@) + (#)"),
            Just("(@) - (#)"),
            Just("(@) in (#)"),
            Just("(@) not in (#)"),
            Just("(@) == (#)"),
            Just("(@) < (#)"),
            Just("(@) and (#)"),
            Just("(@) or (#)"),
            Just("(@) if (#) else 1"),
            Just("(@)[#]"),
            Just("(@).get(#, \"d\")"),
            Just("(@).find(#)"),
            Just("(@).replace(#, \"-\")"),
            Just("(@).replace(\"a\", #)"),
            Just("(@).split(#)"),
            Just("\"%s/%s\" % (@, #)"),
            Just("joined(@, #)"),
            Just("f\"{(@)}{(#)}\""),
            Just("(@).startswith(#)"),
            Just("(@).endswith(#)"),
            Just("[@ for w in (#)]"),
            Just("(@).startswith((\"q\", #))"),
        ];
        prop_oneof![
            (of_one, inner.clone())
                .prop_map(|(form, value)| form.replace("{}", &value).replace("{{", "{").replace("}}", "}")),
            (of_two, inner.clone(), inner).prop_map(|(form, one, other)| form.replace('@', &one).replace('#', &other)),
        ]
    })
}

fn statement_text() -> impl Strategy<Value = String> {
    let plain = prop_oneof![
        (prop_oneof![Just("x"), Just("y")], value_text()).prop_map(|(name, value)| format!("{name} = {value}")),
        (prop_oneof![Just("x"), Just("y")], value_text()).prop_map(|(name, value)| format!("{name} += {value}")),
        value_text().prop_map(|value| format!("return block({value})")),
        value_text().prop_map(|value| format!("return block(str({value}))")),
        value_text().prop_map(|value| format!("return deny({value})")),
        value_text().prop_map(|value| format!("return modify({{\"a\": {value}, \"b\": [1, {{}}]}})")),
        value_text().prop_map(|value| format!("return {{\"action\": \"block\", \"reason\": {value}}}")),
        value_text().prop_map(|value| format!("return ask(\"?\") if {value} else allow()")),
        value_text().prop_map(|value| format!("return {value}")),
        value_text().prop_map(|value| format!("metrics.incr({value})")),
        value_text().prop_map(|value| format!("log(\"x=\" + str({value}))")),
        value_text().prop_map(|value| format!("log.warn({value})")),
        Just(String::from("metrics.incr(\"count\", -3)")),
        Just(String::from("return allow()")),
        Just(String::from("return")),
        Just(String::from("pass")),
    ];
    let indent = |block: &str| block.lines().map(|line| format!("  {line}\n")).collect::<String>();
    plain.prop_recursive(3, 10, 3, move |inner| {
        let block = prop::collection::vec(inner, 1..3).prop_map(|lines| lines.join("\n"));
        prop_oneof![
            (value_text(), block.clone()).prop_map(move |(test, body)| format!("if {test}:\n{}", indent(&body))),
            (value_text(), block.clone(), block.clone()).prop_map(move |(test, body, other)| {
                format!("if {test}:\n{}else:\n{}", indent(&body), indent(&other))
            }),
            (value_text(), block.clone())
                .prop_map(move |(over, body)| { format!("for w in {over}:\n{}", indent(&format!("x = w\n{body}"))) }),
            (value_text(), block).prop_map(move |(test, body)| {
                format!(
                    "for y in WORDS:\n{}",
                    indent(&format!("if {test}:\n  break\nif y == \"a\":\n  continue\n{body}"))
                )
            }),
        ]
    })
}

const HEAD: &str = "\"\"\"About this script.\"\"\"
WORDS = [\"a\", \"é\", \"run\"]
WORD = \"a run\"
TABLE = {\"a\": 1, \"name\": [WORD_LIST]}

def deny(reason):
  metrics.incr(\"denied\")
  return block(reason)

def helped(p):
  return p.get(\"a\", \"none\")

def same(value):
  return value

def joined(one, other):
  text = str(one)
  text += \"-\"
  for w in WORDS:
    if w == text:
      return w
  return text + str(other)
";

fn script_text(body: &[String], first: &str) -> String {
    let head = HEAD.replace("WORD_LIST", "\"b\", 2");
    let body: String = body.join("\n").lines().map(|line| format!("  {line}\n")).collect();
    format!("{head}\ndef handle(event, payload):\n  \"\"\"Decides.\"\"\"\n{first}{body}")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_native_script_agrees_with_the_interpreter(
        body in prop::collection::vec(statement_text(), 1..5),
        binds_first in any::<bool>(),
        calls in prop::collection::vec((event_payload(), call_limits(), prop_oneof![3 => Just(usize::MAX), 1 => 0..3_usize]), 1..5),
    ) {
        let first = if binds_first { "  x = payload.get(\"name\", \"a\")\n  y = \"b\"\n" } else { "" };
        let text = script_text(&body, first);
        // Its cost is not bounded, or it has an error.
        let Some(script) = compile_script(&text) else { return Ok(()) };
        for (payload, limits, performed) in calls {
            let [native, starlark] = both_answers(&script, &payload, &limits, performed);
            prop_assert_eq!(native, starlark, "{}\non {} with {:?}", text, payload, limits);
        }
    }
}

#[test]
fn what_guards_do_is_native() {
    let payload = json!({
        "name": "Shell", "args": {"command": "sudo rm -rf /", "n": 3}, "list": ["a", {"kind": "write", "tags": ["x"]}], "f": 1.5,
    });
    let bodies = [
        "if \"rm -rf\" in payload[\"args\"][\"command\"]:\n  return block(\"no\")\nreturn allow()",
        "for word in [\"mkfs\", \"sudo\"]:\n  if word in payload[\"args\"][\"command\"]:\n    metrics.incr(\"deny.\" + word)\n    return block(f\"no {word}\")\nreturn allow()",
        "return deny(\"%s of %s\" % (payload[\"name\"], \"x\"))",
        "if any([w in payload.get(\"args\", {}).get(\"command\", \"\") for w in WORDS]):\n  return ask(\"{} runs\".format(payload[\"name\"]))",
        "log(\"seen \" + payload[\"name\"])\nreturn {\"decision\": \"deny\", \"reason\": payload[\"name\"]}",
        "for op in payload[\"list\"][1:2]:\n  pass\nreturn allow()",
        "for op in payload[\"list\"]:\n  if op != \"a\" and op[\"kind\"] == \"write\" and \"x\" in op.get(\"tags\", []):\n    return modify({\"n\": payload[\"args\"][\"n\"] + 1})\nreturn allow()",
        "command = payload[\"args\"][\"command\"].lower().strip()\nreturn block(command) if command.startswith((\"sudo\", \"doas\")) else allow()",
        "return {\"f\": payload[\"f\"]}",
        "return payload[\"absent\"]",
    ];
    for body in bodies {
        let script = compile_script(&script_text(&[body.to_owned()], "")).expect(body);
        assert!(script.is_native(), "{body}");
        for performed in [0, 1, usize::MAX] {
            let [native, starlark] = both_answers(&script, &payload, &CallLimits::default(), performed);
            assert_eq!(native, starlark, "{body}");
        }
    }
}

#[test]
fn a_script_of_which_any_part_is_not_plain_is_not_native() {
    let bodies = [
        "return allow() if re.search(\"a\", payload[\"name\"]) else block(\"x\")",
        "x = payload[\"a\"]\nx.append(1)\nreturn allow()",
        "allow = block\nreturn allow(\"x\")",
        "return block(reason = \"x\")",
        "return block(metrics.get(\"count\"))",
    ];
    for body in bodies {
        let script = compile_script(&script_text(&[body.to_owned()], ""));
        assert!(script.is_none_or(|script| !script.is_native()), "{body}");
    }
}
