//! Scripted models: what they play, which requests they reject, and how several agents share one.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use pintle_agent::model::{
    Model, ModelError, ModelErrorKind, ModelMessage, ModelReply, ModelRequest, ModelTool, ModelToolCall, ModelUsage,
    ReplyDelta, ScriptModel, choose, open,
};
use pintle_host::CancelToken;
use pintle_host::contract::{ModelSpec, RetrySpec};
use serde_json::json;

fn parse_script(text: &str) -> ScriptModel {
    ScriptModel::parse("demo.yaml", text).unwrap()
}

fn new_request(agent: &str, messages: Vec<ModelMessage>) -> ModelRequest {
    ModelRequest { agent: agent.into(), conversation: agent.into(), messages, ..ModelRequest::default() }
}

fn user_messages(text: &str) -> Vec<ModelMessage> {
    vec![ModelMessage::system("be careful"), ModelMessage::user(text)]
}

fn complete_request(model: &ScriptModel, request: &ModelRequest) -> Result<ModelReply, ModelError> {
    model.complete(request, &mut |_| {}, &CancelToken::default())
}

fn script_error(reason: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Script, format!("script `demo.yaml`: {reason}"))
}

#[test]
fn a_turn_is_played_whole() {
    let model = parse_script(
        "turns:\n\
         - say: Let me  look.\n\
         \x20 calls:\n\
         \x20 - {tool: fs.read, args: {path: a, depth: 1.5, deep: [true, null]}}\n\
         \x20 - {tool: run, arguments: 'not {json'}\n\
         \x20 - {tool: list, id: own}\n\
         - say: Done.\n\
         \x20 usage: {input: 7, output: 3}\n\
         \x20 finish: length\n",
    );
    let mut words = Vec::new();
    let first = model
        .complete(
            &new_request("root", user_messages("hi")),
            &mut |ReplyDelta::Text(word)| words.push(word),
            &CancelToken::default(),
        )
        .unwrap();
    assert_eq!(words, ["Let ", "me ", " ", "look."]);
    let call = |id: &str, name: &str, arguments: &str| ModelToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    let expected = ModelReply {
        text: "Let me  look.".into(),
        tool_calls: vec![
            call("call_root_1_1", "fs.read", "{\"path\":\"a\",\"depth\":1.5,\"deep\":[true,null]}"),
            call("call_root_1_2", "run", "not {json"),
            call("own", "list", "{}"),
        ],
        finish_reason: "tool_calls".into(),
        usage: ModelUsage { input_tokens: 3, output_tokens: 21 },
    };
    assert_eq!(first, expected);
    let second = complete_request(&model, &new_request("root", user_messages("more"))).unwrap();
    let expected = ModelReply {
        text: "Done.".into(),
        tool_calls: Vec::new(),
        finish_reason: "length".into(),
        usage: ModelUsage { input_tokens: 7, output_tokens: 3 },
    };
    assert_eq!(second, expected);
}

#[test]
fn expectations_hold_or_the_model_refuses_to_go_on() {
    let call = ModelToolCall { id: "c".into(), name: "run".into(), arguments: "{}".into() };
    let other = ModelToolCall { id: "d".into(), name: "list".into(), arguments: "{}".into() };
    let results = |text: &str| {
        vec![
            ModelMessage::system("be careful"),
            ModelMessage::user("clean up"),
            ModelMessage::assistant("", vec![call.clone(), other.clone()]),
            ModelMessage::tool(&call, text),
            ModelMessage::tool(&other, "a b"),
        ]
    };
    let blocked = || results("blocked by policy");
    let cases: &[(&str, Vec<ModelMessage>, Option<&str>)] = &[
        ("{last: user, contains: clean}", user_messages("clean up"), None),
        ("{contains: [clean, up]}", user_messages("clean up"), None),
        ("{tool: run, contains: blocked}", blocked(), None),
        ("[{tool: run, contains: blocked}, {tool: list, contains: a, lacks: blocked}]", blocked(), None),
        ("{system: careful, offers: [run, list]}", user_messages("x"), None),
        ("{last: tool}", blocked(), None),
        (
            "{last: tool}",
            user_messages("clean\nup"),
            Some("expected a tool's result, but got system: `be careful`, user: `clean up`"),
        ),
        (
            "{tool: run, contains: [blocked, why]}",
            results("fine"),
            Some(
                "expected a result of the tool `run` that contains `blocked` and `why`, but got tool `run`: `fine`, tool `list`: `a b`",
            ),
        ),
        (
            "{last: user, contains: clean, lacks: up}",
            user_messages("clean up"),
            Some(
                "expected a message of role `user` that contains `clean` that does not contain `up`, but got system: `be careful`, user: `clean up`",
            ),
        ),
        // Messages before the model's last reply are ignored.
        (
            "{contains: clean}",
            blocked(),
            Some(
                "expected a message that contains `clean`, but got tool `run`: `blocked by policy`, tool `list`: `a b`",
            ),
        ),
        (
            "{system: brave}",
            user_messages("x"),
            Some("expected an instruction that contains `brave`, but it is system: `be careful`"),
        ),
        (
            "{offers: fetch}",
            user_messages("x"),
            Some("expected the tool `fetch` to be offered, but the tools are `run`, `list`"),
        ),
    ];
    for (expect, messages, reason) in cases {
        let model = parse_script(&format!("turns:\n  - {{expect: {expect}, say: ok}}\n"));
        let tools = ["run", "list"].map(|name| ModelTool {
            name: name.into(),
            description: String::new(),
            parameters: json!({}),
        });
        let request = ModelRequest { tools: tools.to_vec(), ..new_request("root", messages.clone()) };
        let expected = match reason {
            None => Ok(String::from("ok")),
            Some(reason) => Err(script_error(&format!("line 2, turn 1 of the agent `root`: {reason}"))),
        };
        assert_eq!(complete_request(&model, &request).map(|reply| reply.text), expected, "{expect}");
    }
}

#[test]
fn a_refused_turn_is_not_used_up_and_turns_run_out() {
    let model = parse_script("turns: [{expect: {contains: yes}, say: ok}]");
    assert!(complete_request(&model, &new_request("root", user_messages("no"))).is_err());
    assert_eq!(complete_request(&model, &new_request("root", user_messages("yes"))).unwrap().text, "ok");
    assert_eq!(
        complete_request(&model, &new_request("root", vec![ModelMessage::user("again")])),
        Err(script_error("the agent `root` has no turn 2, but the model got user: `again`; add a turn"))
    );
}

#[test]
fn a_turn_may_fail() {
    let model =
        parse_script("turns: [{say: half a, error: {retryable: true, message: overloaded}}, {error: {message: no}}]");
    let mut heard = String::new();
    let first = model.complete(
        &new_request("r", user_messages("x")),
        &mut |ReplyDelta::Text(text)| heard.push_str(&text),
        &CancelToken::default(),
    );
    assert_eq!((first, heard.as_str()), (Err(ModelError::retryable("overloaded")), "half a"));
    assert_eq!(complete_request(&model, &new_request("r", user_messages("x"))), Err(ModelError::fatal("no")));
}

#[test]
fn cancelling_stops_between_words() {
    let model = parse_script("turns: [{say: one two three}, {say: next}]");
    let cancel = CancelToken::default();
    let mut heard = Vec::new();
    let stopped = model.complete(
        &new_request("r", user_messages("x")),
        &mut |ReplyDelta::Text(word)| {
            heard.push(word);
            cancel.cancel();
        },
        &cancel,
    );
    assert_eq!((stopped, heard), (Err(ModelError::cancelled()), vec![String::from("one ")]));
    assert_eq!(
        model.complete(&new_request("r", user_messages("x")), &mut |_| {}, &cancel),
        Err(ModelError::cancelled())
    );
}

#[test]
fn agents_have_turns_of_their_own() {
    let model = parse_script(
        "turns: [{say: root 1}, {say: root 2}]\n\
         agents:\n\
         \x20 reviewer: [{say: wrong}, {say: right}]\n",
    );
    let order = ["root", "reviewer", "root", "reviewer"];
    let said: Vec<_> =
        order.map(|agent| complete_request(&model, &new_request(agent, user_messages("x"))).unwrap().text).to_vec();
    assert_eq!(said, ["root 1", "wrong", "root 2", "right"]);
    assert_eq!(
        complete_request(&model, &new_request("stranger", user_messages("x"))),
        Err(script_error("the agent `stranger` has no turns; add them under `agents`"))
    );
}

#[test]
fn runs_of_one_agent_at_once_each_get_the_conversation_that_fits() {
    let model = parse_script(
        "turns: [{say: unused}]\n\
         agents:\n\
         \x20 searcher:\n\
         \x20   conversations:\n\
         \x20   - [{expect: {contains: north}, say: n1}, {say: n2, calls: [{tool: t}]}]\n\
         \x20   - [{expect: {contains: south}, say: s1}, {say: s2, calls: [{tool: t}]}]\n",
    );
    let run = |direction: &str| {
        let one = ModelRequest { conversation: direction.into(), ..new_request("searcher", user_messages(direction)) };
        let first = complete_request(&model, &one).unwrap();
        let second = complete_request(&model, &one).unwrap();
        (first.text, second.text, second.tool_calls[0].id.clone())
    };
    let (south, north) = std::thread::scope(|scope| {
        let south = scope.spawn(|| run("south"));
        let north = scope.spawn(|| run("north"));
        (south.join().unwrap(), north.join().unwrap())
    });
    assert_eq!(north, ("n1".into(), "n2".into(), "call_searcher_2_1".into()));
    assert_eq!(south, ("s1".into(), "s2".into(), "call_searcher_2_2_1".into()));
    let third =
        ModelRequest { conversation: "west".into(), ..new_request("searcher", vec![ModelMessage::user("north")]) };
    assert_eq!(
        complete_request(&model, &third),
        Err(script_error("no free conversation of the agent `searcher` starts with what came: user: `north`; add one"))
    );
}

#[test]
fn what_is_no_script_is_told_with_its_line() {
    let cases = [
        ("turns:\n  - say: a\n    sya: b\n", "line 3: unknown field `sya`, expected one of"),
        ("turns:\n  - say: a\n  - calls: []\n", "line 3: the turn does nothing; give it `say`, `calls` or `error`"),
        (
            "turns: [{calls: [{tool: t, args: {}, arguments: x}]}]",
            "line 1: the call of `t` has both `args` and `arguments`; keep one",
        ),
        (
            "turns:\n- expect: {last: user, tool: t}\n  say: x",
            "line 2: `tool` goes with `last: tool` only; drop one of the two",
        ),
        ("turns: []", "a list of turns is empty; give it at least one turn"),
        ("agents: {a: {conversations: [[]]}}", "a list of turns is empty; give it at least one turn"),
        ("turns:\n- expect: {contains: 3}\n  say: x", "line 2: "),
        ("turns:\n- expect: {last: nobody}\n  say: x", "line 2: "),
        ("turns: [\n", "line "),
        ("agents:\n  a: word\n", "line 2: "),
        ("turns:\n- say: x\n  calls:\n", "line 3: expected a sequence, found nothing"),
        ("turns:\n- calls:\n  - tool: t\n    args: {n: .inf}", "line 4: `.inf` is not a finite number"),
        ("turns:\n- say: x\n  say: y\n", "line 3: key `say` is already set at line 2"),
        ("# nothing\n", "the document is empty"),
        ("- say: x", "line 1: "),
    ];
    for (text, start) in cases {
        let error = ScriptModel::parse("demo.yaml", text).unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::Script);
        let message = error.message.strip_prefix("script `demo.yaml`: ").unwrap();
        assert!(message.starts_with(start) && !message.contains('\n'), "{text:?} gave {message:?}");
    }
    // A script may have turns for child agents only.
    let model = parse_script("about: a test\nprompts: [Go., yes]\nagents: {a: [{say: x}]}");
    assert_eq!((model.summary(), model.prompts()), ("a test", [String::from("Go."), String::from("yes")].as_slice()));
}

#[test]
fn a_script_is_opened_like_any_model() {
    let spec = choose("script:demo.yaml", None).unwrap();
    let model = open(&spec, &|name| Ok(format!("turns: [{{say: from {name}}}]"))).unwrap();
    assert_eq!(model.name(), "demo.yaml");
    let reply = model.complete(&new_request("r", user_messages("x")), &mut |_| {}, &CancelToken::default()).unwrap();
    assert_eq!(reply.text, "from demo.yaml");

    let missing = open(&spec, &|name| Err(ModelError::fatal(format!("cannot read `{name}`")))).unwrap_err();
    assert_eq!(missing, ModelError::fatal("cannot read `demo.yaml`"));
    let wrong = open(&spec, &|_| Ok(String::from("turns: []"))).unwrap_err();
    assert_eq!(wrong, script_error("a list of turns is empty; give it at least one turn"));
    let unknown = ModelSpec { provider: "olama".into(), retry: RetrySpec::default(), ..spec };
    let unknown = open(&unknown, &|_| unreachable!("only scripts are read")).unwrap_err();
    assert_eq!(unknown, ModelError::fatal("unknown model provider `olama`; did you mean `ollama`?"));
}
