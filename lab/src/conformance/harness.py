"""Runs the conformance kit of AGENT-HOOKS with `lab ctk` as the host, and prints the score.

Usage: harness.py LAB EXCEPTIONS

The kit's models, tools, interceptors and approvers stay in this process; `lab ctk` asks for them in lines of JSON.
EXCEPTIONS has a line for each vector that is not run: its number, and why. An exception that is not needed fails.
"""

from __future__ import annotations

import asyncio
import copy
import json
import random
import subprocess
import sys
from typing import Any

from agent_hooks import Verdict, _core
from agent_hooks.approval import ApprovalRequest, ApprovalResolution
from agent_hooks._types import InterceptionPoint
from agent_hooks.ctk import Capability, RunOutcome, RunRecord, load_vectors, redact_paths
from agent_hooks.ctk.runner import run_vector
from agent_hooks.declaration import BindingContext, DeclarationError, Finding, HostSurface


class Program:
    """`lab ctk` as a process that answers lines."""

    def __init__(self, command: str) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen([command, "ctk"], text=True, encoding="utf-8", **pipes)

    def send(self, line: dict[str, Any]) -> None:
        self._process.stdin.write(json.dumps(line, allow_nan=False) + "\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"`lab ctk` ended with {self._process.wait()}")
        return json.loads(line)

    def call(self, line: dict[str, Any]) -> dict[str, Any]:
        self.send(line)
        return self.receive()

    def close(self) -> int:
        self._process.stdin.close()
        return self._process.wait()


class PintleHarness:
    """What the kit drives."""

    name = "pintle"
    capabilities = frozenset({
        Capability.MODEL_CALLS,
        Capability.TOOL_CALLS,
        Capability.INT64_JSON,
        Capability.BIGINT_JSON,
        Capability.HOST_DECLARATION,
    })
    tool_seam_host_error = "continue"

    def __init__(self, program: Program) -> None:
        self._program = program

    def setup(self, scenario, interceptors, resolver, mode, composition, identity_provider, redact_for_approval=None):
        paths = list(redact_for_approval or [])
        self._interceptors = interceptors
        self._resolver = resolver
        self._redact = lambda context: redact_paths(context, paths)
        self._identify = {"ctk-fault": fail}
        self._load({
            "scenario": to_wire(scenario),
            "mode": mode.value,
            "composition": composition.to_wire(),
            "identity_provider": identity_provider,
            "has_resolver": resolver is not None,
            "has_redactor": bool(paths),
            "interceptors": len(interceptors),
        })

    def setup_declared(self, scenario, document, registry):
        self._interceptors = []
        self._registry = registry
        self._identify = registry._identity_providers
        host = {"surface": registry.surface.to_wire(), **registry.names()}
        self._load({"scenario": to_wire(scenario), "declaration": {"document": document, "host": host}})

    def host_surface(self) -> HostSurface:
        return HostSurface.from_capabilities(sorted(c.value for c in self.capabilities), self.tool_seam_host_error)

    def _load(self, load: dict[str, Any]) -> None:
        line = self._converse({"load": load})
        if "refused" in line:
            refused = line["refused"]
            raise DeclarationError(refused["class"], [Finding(**finding) for finding in refused["findings"]])

    def _converse(self, line: dict[str, Any]) -> dict[str, Any]:
        self._program.send(line)
        while "ask" in (line := self._program.receive()):
            try:
                answer = {"value": getattr(self, "_ask_" + line["ask"])(line["argument"])}
            except Exception as error:  # noqa: BLE001 - what the kit's code raises is its answer
                answer = {"error": type(error).__name__}
            self._program.send({"id": line["id"], **answer})
        return line

    async def run(self) -> RunRecord:
        line = self._converse({"run": True})
        records = line["records"]
        return RunRecord(
            outcome=RunOutcome(line["outcome"]),
            final_output=line["final_output"],
            tool_invocations=line["tool_invocations"],
            error=line["error"],
            identities=[(record["input_identity"], record["enforced_identity"]) for record in records],
            records=records,
        )

    def _ask_use(self, names: dict[str, str | None]) -> None:
        self._resolver = self._registry._approval_resolver_ref(names["resolver"])
        self._redact = self._registry._redactor_fn(names["redactor"])

    def _ask_bind(self, binding: dict[str, Any]) -> None:
        timeout = binding["timeout_ms"]
        context = BindingContext(
            id=binding["id"],
            kind=binding["kind"],
            at=frozenset(InterceptionPoint(point) for point in binding["at"]),
            timeout=None if timeout is None else timeout / 1000,
            host=binding["host"],
            declaration_version=binding["declaration_version"],
        )
        self._interceptors.append(self._registry._kind_resolver(binding["kind"])(binding["config"], context))

    def _ask_intercept(self, argument: dict[str, Any]) -> Any:
        verdict = self._interceptors[argument["binding"]].intercept(argument["context"])
        return verdict.to_wire() if isinstance(verdict, Verdict) else verdict

    def _ask_resolve(self, request: dict[str, Any]) -> dict[str, Any]:
        return resolution_to_wire(self._resolver.resolve(request_from_wire(request)))

    def _ask_redact(self, context: dict[str, Any]) -> dict[str, Any]:
        return self._redact(context)

    def _ask_identify(self, argument: dict[str, Any]) -> str:
        return self._identify[argument["provider"]](argument["context"])

    def teardown(self) -> None:
        self._interceptors = []


def fail(_context: Any) -> str:
    raise RuntimeError("the provider fails")


def to_wire(scenario) -> dict[str, Any]:
    clauses = lambda tool: [
        {"when_args": clause.when_args, "return": clause.return_, "is_error": clause.is_error} for clause in tool.behavior
    ]
    answers = [
        {"content": answer.content, "tool_calls": answer.tool_calls, "finish_reason": answer.finish_reason}
        for answer in scenario.model_script
    ]
    tools = [{"name": tool.name, "behavior": clauses(tool)} for tool in scenario.tools.values()]
    return {"input": scenario.input, "tools": tools, "model_script": answers}


def request_from_wire(request: dict[str, Any]) -> ApprovalRequest:
    return ApprovalRequest(
        context_identity=request["context_identity"],
        interception_point=InterceptionPoint(request["interception_point"]),
        verdict=Verdict._from_core(request["verdict"]),
        context=request["context"],
    )


def resolution_to_wire(resolution: ApprovalResolution) -> dict[str, Any]:
    wire = {"outcome": resolution.outcome.value, "context_identity": resolution.context_identity}
    return wire if resolution.verdict is None else {**wire, "verdict": resolution.verdict.to_wire()}


def read_exceptions(path: str) -> dict[str, str]:
    with open(path, encoding="utf-8") as lines:
        rows = [line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#")]
    return {number: reason.strip() for number, reason in rows}


def run_kit(program: Program, exceptions: dict[str, str]) -> int:
    """The number of vectors that are not as they should be."""
    vectors, wrong, passed, skipped = load_vectors(), 0, 0, 0
    for vector in vectors:
        result = asyncio.run(run_vector(PintleHarness(program), vector))
        reason = exceptions.pop(result.id.removeprefix("AH-CTK-"), None)
        if reason is not None and result.status != "fail":
            wrong += 1
            print(f"FAIL  {result.id}  does not fail, so its exception is not needed")
        if result.status == "pass":
            passed += 1
        elif result.status == "skip" or reason is not None:
            skipped += 1
            print(f"skip  {result.id}  {reason or result.detail}")
        else:
            wrong += 1
            print(f"FAIL  {result.id}  {result.title}", *result.failures, sep="\n      ")
    for number in exceptions:
        wrong += 1
        print(f"FAIL  the kit has no vector {number}, of which there is an exception")
    print(f"{passed} of {len(vectors) - skipped} applicable vectors pass; {skipped} of {len(vectors)} do not apply")
    return wrong


def random_value(source: random.Random, depth: int = 0) -> Any:
    numbers = [0, -0.0, 1e21, 1e-7, 5e-324, 0.1, -1.5e-10, 123456789.125, 2**53 - 1, -(2**53 - 1), 2**53, 10**20]
    kind = source.randrange(7 if depth < 4 else 5)
    if kind == 0:
        return source.choice([None, True, False])
    if kind == 1:
        return source.choice(numbers)
    if kind == 2:
        # The kit's own code reads numbers of more digits inexactly: 0.9626937304230407 as 0.9626937304230408.
        return round(source.uniform(-(10**6), 10**6), source.randrange(7))
    if kind == 3:
        return source.randrange(-10**6, 10**6)
    if kind == 4:
        return random_text(source)
    if kind == 5:
        return [random_value(source, depth + 1) for _ in range(source.randrange(4))]
    return {random_text(source): random_value(source, depth + 1) for _ in range(source.randrange(5))}


def random_text(source: random.Random) -> str:
    return "".join(source.choice("az\"\\/\n\t\u0001\u007f\u00e9\u2028\ue000\U00010000\U0001f30d") for _ in range(source.randrange(5)))


def random_verdict(source: random.Random) -> dict[str, Any]:
    decision = source.choice(["allow", "allow", "deny", "transform"])
    verdict: dict[str, Any] = {"decision": decision}
    if decision == "deny" and source.random() < 0.5:
        verdict["approval"] = source.choice([{}, {"to": "x"}])
    if decision == "transform":
        verdict["transform"] = {"path": "$target.x", "value": source.randrange(3)}
    if source.random() < 0.4:
        verdict["reason"] = source.choice(["a", "b"])
    if source.random() < 0.4:
        verdict["warnings"] = [{"reason": source.choice("vw")} for _ in range(source.randrange(3))]
    if source.random() < 0.4:
        verdict["result_labels"] = [source.choice("lm") for _ in range(source.randrange(3))]
    return verdict


def outcome_of(function, *arguments: Any) -> Any:
    try:
        return {"value": function(*(json.dumps(argument, allow_nan=False) for argument in arguments))}
    except _core.AgentHooksCoreError as error:
        return {"error": error.code}


def compare_with_kit(program: Program, count: int) -> int:
    """The number of random values about which the program and the kit's own code differ."""
    source, wrong = random.Random(4711), 0

    def check(name: str, line: dict[str, Any], expected: dict[str, Any]) -> None:
        nonlocal wrong
        found = program.call(line)
        if found != expected:
            wrong += 1
            print(f"FAIL  {name}: {json.dumps(line)}\n      expected {expected}\n      found    {found}")

    profiles = [
        {"profile": "sequential/run_all"},
        *({"profile": "parallel/strictest", "on_transform_conflict": value} for value in ("deny", "approval")),
        *({"profile": "parallel/unanimous", "on_disagreement": value} for value in ("deny", "approval")),
    ]
    for vector in load_vectors():
        if "host_declaration" in vector:
            for document in [vector["host_declaration"], *(mutated(source, vector["host_declaration"]) for _ in range(count // 4))]:
                line = {"declare": {"document": document, "host": HOST}}
                expected = outcome_of(_core.declaration_resolve, document, HOST)
                if "value" in expected:
                    expected = {"value": "accepted"}
                else:
                    expected["error"] = expected["error"].removeprefix("declaration_error:")
                check("declaration", line, expected)
    points = [vector_context(source, point) for point in InterceptionPoint for _ in range(count // 8)]
    for context in points:
        check("identity", {"identify": context}, outcome_of(_core.context_identity, context))
    for _ in range(count):
        value = random_value(source)
        check("canonical form", {"canonical": value}, outcome_of(_core.canonical_json, value))
        rule, verdicts = source.choice(profiles), [random_verdict(source) for _ in range(source.randrange(1, 5))]
        expected = json.loads(_core.compose_aggregate(json.dumps(rule), json.dumps(verdicts)))
        del expected["verdicts"]
        # How a host words its own denies is its own.
        if str(expected["combined"].get("reason")).startswith("host_error:"):
            del expected["combined"]["message"]
        found = program.call({"compose": {"rule": rule, "verdicts": verdicts}})
        if str(found["value"]["combined"].get("reason")).startswith("host_error:"):
            del found["value"]["combined"]["message"]
        if found["value"] != expected:
            wrong += 1
            print(f"FAIL  composition: {rule} {verdicts}\n      expected {expected}\n      found    {found}")
    print(f"{len(points)} identities, {count} canonical forms and {count} compositions compared; {wrong} differ")
    return wrong


#: What the declarations are for.
HOST = {
    "surface": PintleHarness(None).host_surface().to_wire(),
    "identity_providers": ["ctk-fault"],
    "approval_resolvers": ["ctk-scripted"],
    "approval_redactors": ["ctk-redact"],
    "kinds": ["ctk.scripted"],
}

#: Values of declarations, each valid somewhere.
PIECES = [
    None, True, False, 0, 1, 5000, 3600001, 1.5, "", "stop", "resume", "deny", "approval", "enforce", "terminate", "continue", "a",
    "ctk-scripted", "ctk-redact", "ctk-fault", "jcs-sha256", "jcs-x", "ctk.scripted", "x.y", "sequential/run_all",
    "sequential/first_deny", "parallel/strictest", "parallel/unanimous", "parallel/merge", "agent-hooks/0.0", "agent-hooks/0.2",
    "agent-hooks/0.1", "agent-hooks/x", "agent-hooks-declaration/1.0", "agent-hooks-declaration/1.1", [], {}, ["input"],
    ["pre_tool_call", "pre_tool_call"], ["agent_startup", "input", "output", "agent_shutdown"], ["host_declaration"], ["tool_calls"],
    {"profile": "parallel/strictest", "on_transform_conflict": "approval"}, {"sequential/first_deny": {}}, {"Bad": 1},
    {"sequential/first_deny": {"on_approval": ["resume"]}}, {"name": "x"}, {"on_approval": ["stop"]}, ["agent-hooks-declaration/1.0"],
    {"interception_points": ["agent_startup", "input", "output", "agent_shutdown"]}, {"buffered_output": False, "exposure_bound": "x"},
    {"interception_points": ["agent_startup", "input", "output", "agent_shutdown"], "capabilities": ["host_declaration"]},
]
KEYS = [
    "declaration", "spec", "id", "host", "configuration", "surface", "bindings", "extensions", "mode", "composition", "profile",
    "on_approval", "on_disagreement", "on_transform_conflict", "identity_provider", "approval", "resolver", "redactor", "posture",
    "tool_seam_host_error", "timeouts", "interceptor_ms", "approval_resolver_ms", "records", "max_buffered", "interception_points",
    "capabilities", "profiles", "buffered_output", "exposure_bound", "declaration_versions", "kind", "config", "at", "timeout_ms",
    "name", "version", "$schema", "unknown",
]


def mutated(source: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    document = copy.deepcopy(document)
    for _ in range(source.randrange(1, 4)):
        place = document
        while source.random() < 0.7:
            inner = list(place.values() if isinstance(place, dict) else place)
            inner = [value for value in inner if isinstance(value, (dict, list)) and value]
            if not inner:
                break
            place = source.choice(inner)
        piece = copy.deepcopy(source.choice(PIECES))
        if isinstance(place, list):
            place[source.randrange(len(place))] = piece
        elif source.random() < 0.3 and place:
            del place[source.choice(list(place))]
        else:
            key = source.choice(list(place)) if place and source.random() < 0.5 else source.choice(KEYS)
            place[key] = piece
    return document


def vector_context(source: random.Random, point: InterceptionPoint) -> dict[str, Any]:
    value = lambda: random_value(source, 2)
    target = value()
    parts = {
        "agent_startup": {"agent_init": {"tools_registered": ["a"]}},
        "input": {"input": {"content": value(), "role": "user"}},
        "pre_model_call": {"model": {"id": "m", "params": value()}, "messages": [value()]},
        "post_model_call": {"model": {"id": "m"}, "response": {"content": value(), "tool_calls": [], "finish_reason": "stop"}},
        "pre_tool_call": {"tool_call": {"id": "1", "name": "t", "args": {"a": value()}, "hash": value()}},
        "post_tool_call": {
            "tool_call": {"id": "1", "name": "t", "args": {}},
            "tool_result": {"value": value(), "is_error": False, "duration_ms": value()},
        },
        "output": {"output": {"content": value()}},
        "agent_shutdown": {"summary": {"reason": "completed"}},
    }
    return {
        "spec": "agent-hooks/0.1",
        "interception_point": point.value,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "sequence": source.randrange(100),
        "agent": {"id": "a", "framework": "f", "name": random_text(source)},
        "session": {"id": "s", "turn": value()},
        "target": target,
        **parts[point.value],
        "extensions": {"x": value()},
    }


def main() -> int:
    command, exceptions = sys.argv[1:]
    program = Program(command)
    wrong = run_kit(program, read_exceptions(exceptions)) + compare_with_kit(program, 2000)
    return 1 if wrong or program.close() else 0


if __name__ == "__main__":
    sys.exit(main())
