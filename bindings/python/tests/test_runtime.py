"""A runtime: what it is built from, events, turns and the tape."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pintle
import pytest
from pintle import Hook, Origin, Refusal, Runtime, Tape, ToolCall

GUARD = "---\nevent: {event}\nscript: |\n  def handle(event, payload):\n      {body}\n---\n"


def call(command: str = "ls") -> ToolCall:
    return ToolCall("1", "shell", {"command": command})


def test_packs_refuse_and_say_why() -> None:
    runtime = Runtime(packs=["shell", "git"])
    with pytest.raises(Refusal, match=r"\[shell.delete-root\]") as raised:
        runtime.decide_tool_call(call("rm -rf /"))
    assert raised.value.event == "tool.pre" and raised.value.hooks
    with pytest.raises(Refusal, match=r"\[git.force-push\]"):
        runtime.decide_tool_call(ToolCall("1", "Bash", {"command": "git push --force origin main"}, vocabulary="claude"))
    decided = runtime.decide_tool_call(call())
    assert (decided.id, decided.name, decided.args) == ("1", "shell", {"command": "ls"})
    assert pickle.loads(pickle.dumps(raised.value)).reason == raised.value.reason


def test_everything_that_is_wrong_is_in_one_error(tmp_path: Path) -> None:
    file = tmp_path / "guard.md"
    file.write_text(GUARD.format(event="tool.pree", body="return block()"))
    with pytest.raises(pintle.LoadError) as raised:
        Runtime(paths=[file, "no/such/project"], packs=["shel"], hooks=[Hook.on("tool.pre", print, tools=[])])
    text, found = str(raised.value), raised.value.diagnostics
    assert all(part in text for part in ("guard.md:2", "no/such/project", "did you mean `shell`?", "names no tool"))
    [first] = [diagnostic for diagnostic in found if diagnostic.path == str(file) and diagnostic.is_error]
    assert first.line == 2 and first.column and first.code and first.message
    assert str(first) in text and any(diagnostic.help for diagnostic in found)
    assert len(pickle.loads(pickle.dumps(raised.value)).diagnostics) == len(found)


def test_hooks_of_files_have_layers(tmp_path: Path) -> None:
    file = tmp_path / "guard.md"
    file.write_text(GUARD.format(event="tool.pre", body="return block('closed')"))
    for path in (file, str(file), (file, "managed"), (str(file), "user")):
        with pytest.raises(Refusal, match="closed"):
            Runtime(paths=[path]).decide_tool_call(call())
    with pytest.raises(ValueError, match='a layer is "managed"'):
        Runtime(paths=[(file, "top")])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        Runtime(paths=[3])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        Runtime(hooks=[print])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="approver is not a function"):
        Runtime(approver="yes")  # type: ignore[arg-type]


def test_a_script_that_needs_a_process_runs_in_an_interpreter_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "slow.md"
    loop = "for a in range(99):\n          for b in range(99):\n              if str(a * b) == 'x':\n                  return allow()"
    loop += "\n      return block('counted')"
    file.write_text(GUARD.format(event="tool.pre", body=loop))
    with pytest.raises(Refusal, match="counted"):
        Runtime(paths=[file]).decide_tool_call(call())


@pytest.mark.skipif(sys.platform == "win32", reason="programs are not hooks there yet")
def test_a_program_is_a_hook_and_leaves_nothing_behind(tmp_path: Path) -> None:
    left = tmp_path / "left"
    file = tmp_path / "agent.yaml"
    file.write_text(
        "agents:\n  root:\n    model: x/y\n    instruction: work\n    hooks:\n      pre_tool_use:\n        - hooks:\n"
        f"            - {{type: command, command: '(setsid sleep 600 & echo $! > {left}); echo not today >&2; exit 2'}}\n"
    )
    with pytest.raises(Refusal, match="not today"):
        Runtime(paths=[file]).decide_tool_call(call())
    with pytest.raises(ProcessLookupError):
        os.kill(int(left.read_text()), 0)


def test_an_outcome_is_true_only_if_the_program_may_go_on() -> None:
    runtime = Runtime(hooks=[Hook.on("prompt.submit", lambda call: pintle.deny("not today"), name="h")])
    denied = runtime.fire("prompt.submit", {"prompt": "hi"}, Origin("s1"))
    assert not denied and not denied.is_allowed and denied.decision == "deny"
    assert denied.reason_for_model == "not today" and "not today" in denied.reason and denied.hooks_called == 1
    allowed = runtime.fire("session.start", {"source": "startup"})
    assert allowed and allowed.decision == "allow" and allowed.reason == "" and not allowed.is_rewritten
    asks = Runtime(hooks=[Hook.on("prompt.submit", lambda call: pintle.ask("?"))], approver=lambda request: pintle.deferred())
    asked = asks.fire("prompt.submit", {"prompt": "hi"})
    assert not asked and asked.decision == "ask"


def test_the_payload_of_an_event_may_be_a_text() -> None:
    runtime = Runtime(hooks=[Hook.on("turn.start", lambda call: pintle.rewrite(call.payload.strip()))])
    assert runtime.fire("turn.start", " test it ").payload == "test it"
    with pytest.raises(pintle.EventError):
        runtime.fire("turn.start", {})
    with pytest.raises(pintle.EventError):
        runtime.fire("prompt.submit", "test it")


def test_an_event_that_is_not_one_is_an_error() -> None:
    with pytest.raises(pintle.EventError, match="did you mean `tool.pre`"):
        Runtime().fire("tool.pree", {})
    with pytest.raises(pintle.EventError, match="prompt"):
        Runtime().fire("prompt.submit", {"prompt": 3})
    with pytest.raises(ValueError):
        Runtime().life().review("session.start", {"source": 7})


def test_a_turn_goes_through_hooks() -> None:
    rules = [
        Hook.on("prompt.submit", lambda call: pintle.deny("no secrets") if "secret" in call.payload["prompt"] else None),
        Hook.on("completion.pre", lambda call: pintle.rewrite({"model": "small"})),
        Hook.on("agent.stop", lambda call: None if "tests" in call.payload["response"] else pintle.deny("run the tests")),
        Hook.on("turn.end", lambda call: pintle.context("done")),
    ]
    life = Runtime(hooks=rules).life(Origin("s1", agent="root", turn=1, cwd="/tmp"))
    with pytest.raises(Refusal, match="no secrets") as raised:
        life.submit_prompt("a secret")
    assert raised.value.event == "prompt.submit"
    message = life.begin_turn(life.submit_prompt("hello"))
    request = {"model": "large", "messages": [{"role": "user", "content": message}]}
    assert life.review("completion.pre", request)["model"] == "small"
    decided = life.decide_tool_call(call())
    output = life.conclude_tool_call(decided, decided.result("a.txt"))
    assert (output.content, output.is_error) == ("a.txt", False)
    assert life.conclude_tool_call(decided, decided.error("gone")).is_error
    reviewed = life.review_answer("finished")
    assert reviewed.next_message and "run the tests" in reviewed.next_message
    assert life.review_answer("tests pass") == ("tests pass", None)
    assert life.end_turn("tests pass") == "tests pass"
    life.cancel()
    with pytest.raises(Refusal):
        life.submit_prompt("more")


def test_results_are_changed_and_withheld() -> None:
    shorter = Hook.on("tool.post", lambda call: pintle.rewrite({"content": call.payload["content"][:1]}))
    decided = Runtime().decide_tool_call(call())
    assert Runtime(hooks=[shorter]).conclude_tool_call(decided, decided.result("a.txt")).content == "a"
    withheld = Runtime(hooks=[Hook.on("tool.post", lambda call: pintle.deny("private"))])
    assert "a.txt" not in withheld.conclude_tool_call(decided, decided.result("a.txt")).content


def test_secrets_are_redacted_on_the_tape_and_on_demand() -> None:
    secret, tape = "token=ghp_0123456789abcdefghijABCDEFGHIJ012345", Tape.in_memory("s1")
    runtime = Runtime(redact_secrets=True, tape=tape)
    runtime.decide_tool_call(call(secret))
    assert b"ghp_" not in tape.to_bytes()
    assert "ghp_" not in runtime.redact(secret) and Runtime().redact(secret) == secret


def test_a_tape_replays_and_shows_changes(tmp_path: Path) -> None:
    def use(tape: Tape) -> None:
        runtime = Runtime(tape=tape, packs=["shell"], hooks=[Hook.on("tool.pre", lambda call: pintle.context("careful"))])
        life = runtime.life(Origin("s1"))
        with pytest.raises(Refusal):
            life.decide_tool_call(call("rm -rf /"))
        decided = life.decide_tool_call(call())
        life.conclude_tool_call(decided, decided.result("a.txt"))

    tape, path = Tape.in_memory("s1"), tmp_path / "dir" / "s1.jsonl"
    use(tape)
    use(Tape.create(path, "s1"))
    assert tape.error is None
    for content in (tape.to_bytes(), path.read_bytes()):
        Tape.replay(content)
        Tape.verify(content)
        with pytest.raises(pintle.TapeError):
            Tape.verify(content.replace(b"a.txt", b"b.txt"))
        with pytest.raises(pintle.TapeError):
            Tape.replay(b"no tape")
    with pytest.raises(pintle.TapeError):
        Tape.create(path, "s1")
    closed = Tape.in_memory("s2").close()
    assert closed and len(closed) == 64


def test_a_judge_of_the_program_judges(tmp_path: Path) -> None:
    file = tmp_path / "agent.yaml"
    hook = "{type: model, model: x/y, prompt: 'run {{ .ToolInput.cmd }}?', schema: pre_tool_use_decision}"
    file.write_text(
        "agents:\n  root:\n    model: x/y\n    instruction: work\n    hooks:\n      pre_tool_use:\n        - hooks:\n"
        f"            - {hook}\n"
    )

    def judge(request: pintle.JudgeRequest) -> str:
        assert request.model == "x/y" and request.schema and request.timeout_ms > 0
        return '{"decision": "deny", "reason": "%s"}' % request.prompt

    def broken(request: pintle.JudgeRequest) -> str:
        raise OSError("no credit")

    with pytest.raises(Refusal, match="run ls?"):
        Runtime(paths=[file], judge=judge).decide_tool_call(call())
    for other in (None, broken, lambda request: None):
        with pytest.raises(Refusal):
            Runtime(paths=[file], judge=other).decide_tool_call(call())  # type: ignore[arg-type]


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("works", ["time.sleep(0.2)", "sum(range(5_000_000))"])
def test_a_program_ends_while_a_hook_runs_on_another_thread(works: str) -> None:
    code = f"""
import asyncio, pintle, time
entered = []
def hook(call):
    entered.append(1)
    {works}
runtime = pintle.Runtime(hooks=[pintle.Hook.on("tool.pre", hook)])
async def main():
    task = asyncio.ensure_future(runtime.decide_tool_call_async(pintle.ToolCall("1", "t", {{}})))
    while not entered:
        await asyncio.sleep(0)
    task.cancel()
asyncio.run(main())
print("ended")
"""
    ended = run_python(code)
    assert (ended.returncode, ended.stdout) == (0, "ended\n"), ended.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_does_not_share_hooks_with_its_parent() -> None:
    code = """
import os, pintle
call = pintle.ToolCall("1", "shell", {"command": "rm -rf /"})
def refuses(make):
    try:
        make().decide_tool_call(call)
    except pintle.Refusal:
        return "refused"
    except RuntimeError as error:
        return str(error)[:23]
if os.fork() == 0:
    # No runtime was made before.
    print(refuses(lambda: pintle.Runtime(packs=["shell"])), flush=True)
    os._exit(0)
os.wait()
runtime = pintle.Runtime(packs=["shell"])
if os.fork() == 0:
    print(refuses(lambda: runtime), refuses(pintle.Runtime), flush=True)
    os._exit(0)
os.wait()
print(refuses(lambda: runtime))
"""
    ended = run_python(code)
    assert ended.stdout == "refused\nthis process was forked this process was forked\nrefused\n", ended.stderr
