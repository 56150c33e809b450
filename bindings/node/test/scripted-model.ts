/** A model of the Vercel AI SDK for tests, which Mastra takes, too. */

import { MockLanguageModelV3, simulateReadableStream } from "ai/test";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Calls the tool `shell` with each of the arguments in its first step, and ends in the next. */
export function scriptedModel(...calls: { command: string }[]): MockLanguageModelV3 {
  const parts = (isFirst: boolean) =>
    isFirst
      ? calls.map((args, index) => ({
          type: "tool-call" as const,
          toolCallId: `call_${index}`,
          toolName: "shell",
          input: JSON.stringify(args),
        }))
      : [{ type: "text" as const, text: "done" }];
  const reason = (isFirst: boolean) => ({ unified: isFirst ? ("tool-calls" as const) : ("stop" as const), raw: undefined });
  let steps = 0;
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const isFirst = steps++ === 0;
      return { content: parts(isFirst), finishReason: reason(isFirst), usage, warnings: [] };
    },
    doStream: async () => {
      const isFirst = steps++ === 0;
      const text = [
        { type: "text-start" as const, id: "1" },
        { type: "text-delta" as const, id: "1", delta: "done" },
        { type: "text-end" as const, id: "1" },
      ];
      const content = isFirst ? parts(true).filter((part) => part.type === "tool-call") : text;
      const finish = { type: "finish" as const, finishReason: reason(isFirst), usage };
      return { stream: simulateReadableStream({ chunks: [{ type: "stream-start" as const, warnings: [] }, ...content, finish] }) };
    },
  });
}
