"""Hooks around the tools of a smolagents agent.

```python
import pintle
from pintle.adapters.smolagents import guard
from smolagents import ToolCallingAgent

runtime = pintle.Runtime(packs=["shell", "git"])
agent = guard(ToolCallingAgent(tools=[shell], model=model), runtime)
agent.run("tidy up")
```

`guard` changes the agent, and those that it manages. Hooks are asked about each call of each tool; about those of a `CodeAgent`
they are asked twice: about its code, as a call of `python_interpreter`, and about each tool that the code calls.
"""

from __future__ import annotations

from typing import Any, Callable, TypeVar
from uuid import uuid4

from smolagents import CodeAgent, FinalAnswerTool, LocalPythonExecutor, MultiStepAgent, Tool, ToolCallingAgent
from smolagents.local_python_executor import CodeOutput, InterpreterError

from pintle import Refusal, ToolCall
from pintle.adapters._calls import Decider, check_name, pick_result, plain_text, review_error, run_call

__all__ = ["guard"]

AnyAgent = TypeVar("AnyAgent", bound=MultiStepAgent)


def guard(agent: AnyAgent, decider: Decider, *, vocabulary: str | None = None) -> AnyAgent:
    """Puts hooks around the agent's tools, and returns the agent.

    `vocabulary` names the agent whose names the tools have, such as `claude`. Default: Pintle's own.
    """
    if isinstance(agent, ToolCallingAgent):
        agent.execute_tool_call = _guard_calls(agent, decider, vocabulary)
    elif isinstance(agent, CodeAgent) and type(agent.python_executor) is LocalPythonExecutor:
        agent.python_executor = _GuardedExecutor(agent, decider, vocabulary)
    else:
        kind = type(getattr(agent, "python_executor", agent)).__name__
        raise TypeError(f"hooks cannot be put around {kind}, which calls tools where hooks do not see it")
    for managed in agent.managed_agents.values():
        guard(managed, decider, vocabulary=vocabulary)
    return agent


def _guard_calls(agent: ToolCallingAgent, decider: Decider, vocabulary: str | None) -> Callable[[str, Any], Any]:
    execute = agent.execute_tool_call

    def execute_guarded(tool_name: str, arguments: Any) -> Any:
        if type(agent.tools.get(tool_name)) is FinalAnswerTool:
            return execute(tool_name, arguments)
        if not isinstance(arguments, dict):
            return f"The call of {tool_name} does not run: its arguments are not an object."
        # What a name of the agent's state means is what hooks judge, too.
        call = ToolCall(uuid4().hex, tool_name, agent._substitute_state_variables(arguments), vocabulary=vocabulary)
        return run_call(decider, call, lambda decided: execute(tool_name, decided.args), plain_text)

    return execute_guarded


class _GuardedExecutor(LocalPythonExecutor):
    """An executor that asks about the code, and about each tool that it calls. A refusal is an error of the code."""

    def __init__(self, agent: CodeAgent, decider: Decider, vocabulary: str | None) -> None:
        # It takes the place of an executor, with everything that this one was given.
        self.__dict__.update(agent.python_executor.__dict__)
        self._agent, self._decider, self._vocabulary = agent, decider, vocabulary

    def __call__(self, code_action: str) -> CodeOutput:
        call = ToolCall(uuid4().hex, "python_interpreter", {"code": code_action})
        decided = self._decide(call)
        code = decided.args.get("code")
        if not isinstance(code, str):
            raise TypeError("hooks left no code to run")
        try:
            output = super().__call__(code)
        except Exception as error:
            # The model is shown what was printed before, too.
            printed = str(self.state.get("_print_outputs", ""))
            reviewed = review_error(self._decider, decided, InterpreterError(f"{printed}{error}"))
            if reviewed is None:
                raise
            self.state["_print_outputs"] = ""
            raise InterpreterError(reviewed) from None
        # The value of the code is shown to the model, unless it is the answer.
        value = "" if output.is_final_answer or output.output is None else plain_text(output.output)
        shown = decided.result(f"{output.logs}{value}")
        left = self._decider.conclude_tool_call(decided, shown)
        if left.content == shown.content and not left.is_error:
            return output
        answer = output.output if output.is_final_answer else None
        return CodeOutput(output=answer, logs=left.content, is_final_answer=output.is_final_answer)

    def send_tools(self, tools: dict[str, Any]) -> None:
        super().send_tools({name: self._guard_tool(name, tool) for name, tool in tools.items()})

    def _guard_tool(self, name: str, tool: Any) -> Any:
        if type(tool) is FinalAnswerTool:
            return tool

        def call_guarded(*args: Any, **kwargs: Any) -> Any:
            names = list(tool.inputs) if isinstance(tool, Tool) else ["task"]
            if len(args) > len(names):
                raise TypeError(f"{name} takes {len(names)} arguments")
            call = ToolCall(uuid4().hex, name, {**dict(zip(names, args)), **kwargs}, vocabulary=self._vocabulary)
            decided = self._decide(call)
            try:
                result = tool(**decided.args)
            except Exception as error:
                reviewed = review_error(self._decider, decided, error)
                if reviewed is None:
                    raise
                raise InterpreterError(reviewed) from None
            text = plain_text(result)
            return pick_result(result, text, self._decider.conclude_tool_call(decided, decided.result(text)))

        return call_guarded

    def _decide(self, call: ToolCall) -> ToolCall:
        try:
            decided = self._decider.decide_tool_call(call)
            check_name(call, decided)
            return decided
        except Refusal as refusal:
            if refusal.stops_run:
                self._agent.interrupt()
            raise
