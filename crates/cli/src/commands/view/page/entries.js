// Decisions, each with its hooks and changes.

import { command, duration, h, table } from "./elements.js";
import { ask } from "./requests.js";

const word = (text) => h("span", { class: `word ${text.split(" ")[0]}` }, text);

// The lines of a call: what was decided, about what, and why.
function summarize(entry, link) {
  const why = entry.rule ?? entry.hook;
  const failure = entry.failures.find((failed) => !failed.denied);
  const answers = { approved: "approved by you", granted_tool: "approved by you for all such calls",
    granted_session: "approved by you for the session", refused: "refused by you", unavailable: "there was no user to ask" };
  return [
    h("p", { class: "head" }, word(entry.word), h("time", {}, entry.at), h("span", {}, entry.who),
      entry.turn > 0 && h("span", {}, `turn ${entry.turn}`), h("code", {}, entry.id), link),
    h("p", { class: "call" }, h("span", { class: "tool" }, entry.tool ?? entry.event),
      entry.call && h("code", {}, entry.call)),
    (why || entry.reason) && entry.word !== "allowed" && h("p", { class: "why" },
      why && why !== "pintle" && [h("strong", {}, why), entry.reason && ": "], entry.reason),
    entry.answer && answers[entry.answer] && h("p", {}, answers[entry.answer]),
    failure && h("p", { class: "why" }, word("failed"), ` ${failure.hook}: ${failure.message}`),
  ];
}

// An entry of a list.
function item(entry, options) {
  const details = h("details", { ontoggle: () => fill(details, entry) },
    h("summary", {}, "Hooks, changes and payload"));
  const [key] = entry.long_id.split(".");
  const hooks = entry.hooks?.length > 0 && h("p", { class: "hooks" }, entry.hooks.map((hook, index) =>
    [index > 0 && ", ", hook.hook, " ", word(hook.word), ` ${duration(hook.duration_us)}`]));
  return h("li", { class: `entry ${entry.word}${options.marked === entry.seq ? " marked" : ""}`, id: `entry-${entry.long_id}` },
    summarize(entry, options.inSession !== true && h("a", { href: `#/session/${key}.${entry.seq}` }, "Show in its session")),
    hooks, details,
    entry.can_allow && h("p", { class: "links" }, h("span", {}, "Let it pass once: ", command(`pintle allow ${entry.id}`))));
}

// A list of entries, into which others can be merged. A new one comes first, and one that changed is shown as it is now.
export function entryList(label, options = {}) {
  const list = h("ol", { class: "entries", "aria-label": label });
  const shown = new Map();
  const merge = (entries) => {
    let added = 0;
    for (const entry of [...entries].reverse()) {
      const text = JSON.stringify(entry);
      const known = shown.get(entry.long_id);
      if (known?.text === text) continue;
      const element = item(entry, options);
      if (known) known.element.replaceWith(element);
      else { list.prepend(element); added += 1; }
      shown.set(entry.long_id, { text, element });
    }
    return added;
  };
  // Adds those at the end that are not shown.
  const append = (entries) => {
    const added = entries.filter((entry) => !shown.has(entry.long_id));
    for (const entry of added) {
      const element = item(entry, options);
      list.append(element);
      shown.set(entry.long_id, { text: JSON.stringify(entry), element });
    }
    return added.length;
  };
  // Shows these entries and no others.
  const sync = (entries) => {
    const wanted = new Set(entries.map((entry) => entry.long_id));
    for (const [id, { element }] of shown) {
      if (!wanted.has(id)) { element.remove(); shown.delete(id); }
    }
    return merge(entries);
  };
  return { list, merge, append, sync };
}

async function fill(details, entry) {
  if (!details.open || details.dataset.filled) return;
  details.dataset.filled = "yes";
  const place = h("div", {}, h("p", { class: "quiet" }, "Reading the tape\u2026"));
  details.append(place);
  try {
    place.replaceChildren(...describe(await ask("decision", { id: entry.long_id })));
  } catch (error) {
    delete details.dataset.filled;
    place.remove();
    details.append(h("p", { class: "error" }, error.message));
  }
}

// All that a tape has of a decision.
function describe(entry) {
  const says = (hook) => [hook.verdict?.reason, hook.verdict?.failure && `${hook.verdict.failure.kind}: ${hook.verdict.failure.message}`,
    hook.not_called, ...(hook.verdict?.warnings ?? [])].filter(Boolean).join("; ");
  const where = (hook) => (hook.path ? `${hook.path}${hook.line ? `:${hook.line}` : ""}` : "");
  const pretty = (value) => h("pre", { tabindex: 0 }, JSON.stringify(value, null, 2));
  const parts = [
    h("dl", {}, h("dt", {}, "Event"), h("dd", {}, entry.event), h("dt", {}, "Session"), h("dd", {}, entry.session),
      entry.project && [h("dt", {}, "Project"), h("dd", {}, entry.project)],
      h("dt", {}, "Call"), h("dd", {}, h("code", {}, entry.call))),
    entry.hooks.length > 0 && h("h3", {}, "Hooks"),
    entry.hooks.length > 0
      ? table("Hooks that were called", [
        ["Hook", (hook) => [hook.hook, hook.is_recheck && " (again)"]],
        ["Verdict", (hook) => word(hook.word)],
        ["Time", (hook) => duration(hook.duration_us), { number: true }],
        ["Says", says],
        ["Where", (hook) => where(hook)],
      ], entry.hooks)
      : h("p", { class: "quiet" }, "No hook was called."),
  ];
  if (entry.changes.length > 0) {
    parts.push(h("h3", {}, "Changed by hooks"), entry.changes.map(difference));
  }
  if (entry.payload !== null) parts.push(h("h3", {}, entry.changed_payload ? "Payload before" : "Payload"), pretty(entry.payload));
  if (entry.changed_payload) parts.push(h("h3", {}, "Payload after"), pretty(entry.changed_payload));
  parts.push(h("p", {}, "On a terminal: ", command(`pintle why ${entry.id}`)));
  return parts.flat().filter(Boolean);
}

const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

// A field before and after, without the lines at its start and its end that are the same.
function difference({ field, before, after }) {
  const lines = [before, after].map((value) => (value === null ? [] : asText(value).split("\n")));
  const [old, now] = lines;
  const same = (a, b, most) => { let n = 0; while (n < most && a(n) === b(n)) n += 1; return n; };
  const most = Math.min(old.length, now.length);
  const first = same((n) => old[n], (n) => now[n], most);
  const last = same((n) => old[old.length - 1 - n], (n) => now[now.length - 1 - n], most - first);
  const [gone, added] = [old.slice(first, old.length - last), now.slice(first, now.length - last)];
  const marked = gone.length === 1 && added.length === 1;
  const line = (tag, sign, text, other) => {
    if (!marked) return h(tag, {}, `${sign} ${text}`);
    const short = Math.min(text.length, other.length);
    const start = same((n) => text[n], (n) => other[n], short);
    const end = same((n) => text[text.length - 1 - n], (n) => other[other.length - 1 - n], short - start);
    return h(tag, {}, `${sign} ${text.slice(0, start)}`, h("mark", {}, text.slice(start, text.length - end)), text.slice(text.length - end));
  };
  return h("div", {}, h("p", {}, h("code", {}, field)), h("div", { class: "diff", tabindex: 0, role: "group", "aria-label": `Change of ${field}` },
    old.slice(Math.max(0, first - 3), first).map((text) => h("span", {}, `  ${text}\n`)),
    gone.map((text) => line("del", "-", text, added[0])), added.map((text) => line("ins", "+", text, gone[0])),
    old.slice(old.length - last, old.length - last + 3).map((text) => h("span", {}, `  ${text}\n`))));
}
