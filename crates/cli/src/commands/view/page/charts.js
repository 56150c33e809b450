// Charts: decisions by day, by rule and by agent, and which hooks were reached for which tool.

import { count, duration, h, svg, table } from "./elements.js";

const WIDTH = 600;
const HEIGHT = 100;

// Bars of one number a day.
function dayChart(title, kind, days, value, show) {
  const values = days.map((day) => value(day) ?? 0);
  const most = Math.max(...values, 0);
  const step = WIDTH / days.length;
  const bars = values.map((number, index) => number > 0 && svg("rect", {
    x: index * step + step * 0.1, width: step * 0.8, y: HEIGHT - Math.max(2, (number / most) * HEIGHT), height: HEIGHT, class: kind,
  }, svg("title", {}, `${days[index].name}: ${show(number)}`)));
  const best = days[values.indexOf(most)];
  const label = most > 0 ? `${title}: at most ${show(most)}, on ${best.name}` : `${title}: none`;
  return h("figure", {},
    h("h2", {}, title),
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
      svg("rect", { class: "ground", x: 0, y: HEIGHT - 1, width: WIDTH, height: 1 }), bars),
    h("figcaption", {}, h("span", {}, days[0].name), h("span", {}, most > 0 ? `at most ${show(most)}` : "none"), h("span", {}, days.at(-1).name)));
}

function bar(number, most, kind) {
  return svg("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "ground", width: 100, height: 4 }),
    svg("rect", { class: kind, width: most > 0 ? (number / most) * 100 : 0, height: 4 }));
}

const number = { number: true };
const counts = (most) => [
  ["Denied", (row) => [row.denied, bar(row.denied, most.denied, "denied")], number],
  ["Asked", (row) => [row.asked, bar(row.asked, most.asked, "asked")], number],
  ["Hooks failed", (row) => [row.failed, bar(row.failed, most.failed, "failed")], number],
  ["All", (row) => row.total, number],
  ["Half took less than", (row) => duration(row.p50_us), number],
  ["95 % took less than", (row) => duration(row.p95_us), number],
];
const mostOf = (rows) => Object.fromEntries(["denied", "asked", "failed"].map((name) => [name, Math.max(...rows.map((row) => row[name]), 0)]));

export function charts(data) {
  const plain = (one) => one.toLocaleString("en");
  const group = (caption, name, rows, link) => (rows.length === 0
    ? h("p", { class: "quiet" }, `${caption}: none in this time.`)
    : table(caption, [[name, link], ...counts(mostOf(rows))], rows));
  return [
    h("div", { class: "columns" },
      dayChart("Denied", "denied", data.days, (day) => day.denied, plain),
      dayChart("Asked", "asked", data.days, (day) => day.asked, plain),
      dayChart("A hook failed", "failed", data.days, (day) => day.failed, plain),
      dayChart("95 % of the hooks took less than", "time", data.days, (day) => day.p95_us, duration)),
    h("details", {}, h("summary", {}, "The days as a table"),
      group("By day", "Day", [...data.days].reverse().filter((day) => day.total > 0), (row) => row.name)),
    h("h2", {}, "By rule"),
    group("Rules and hooks that decided", "Rule or hook", data.rules, (row) =>
      h("a", { href: `#/decisions?rule=${encodeURIComponent(row.name)}` }, row.name)),
    data.left_out > 0 && h("p", { class: "quiet" }, `${count(data.left_out, "more rule is", "more rules are")} left out.`),
    h("h2", {}, "By agent"),
    group("Agents", "Agent", data.agents, (row) =>
      h("a", { href: `#/decisions?agent=${encodeURIComponent(row.agent)}` }, row.name)),
  ];
}

const VERDICTS = ["deny", "ask", "rewrite", "allow", "pass", "failed"];

// Events, below them tools, and the hooks that were called for each.
export function coverage(data) {
  const events = Object.entries(data.events).sort(([a], [b]) => (a < b ? -1 : 1));
  const isReached = (tools) => Object.values(tools).some((tool) => Object.keys(tool.hooks).length > 0);
  const verdicts = (calls) => VERDICTS.filter((verdict) => calls[verdict]).map((verdict, index) =>
    [index > 0 && ", ", h("span", { class: `word ${verdict}` }, verdict), ` ${calls[verdict].toLocaleString("en")}`]);
  const hooks = (tool) => {
    const called = Object.entries(tool.hooks);
    if (called.length === 0) return h("span", { class: "word asked" }, "no hook");
    return h("dl", {}, called.map(([hook, calls]) => [h("dt", {}, hook), h("dd", {}, verdicts(calls))]));
  };
  const section = ([event, tools]) => h("section", { "aria-label": event }, h("h2", {}, h("code", {}, event)),
    table(`Tools of ${event}`, [
      ["Tool", ([tool]) => tool || h("span", { class: "quiet" }, "not about a tool")],
      ["Fired", ([, tool]) => tool.fired.toLocaleString("en"), number],
      ["Hooks that were called, by verdict", ([, tool]) => hooks(tool)],
    ], Object.entries(tools).sort(([, a], [, b]) => b.fired - a.fired)));
  const silent = events.filter(([, tools]) => !isReached(tools));
  return [
    events.length === 0 && h("p", {}, "Nothing is recorded yet."),
    data.unreached.length > 0 && [
      h("h2", {}, "Hooks that were never called"),
      h("p", { class: "quiet" }, "They were loaded, but their event did not happen, or was not for them."),
      table("Hooks that were never called", [
        ["Hook", (row) => row.hook], ["Event", (row) => h("code", {}, row.event)],
        ["Event fired", (row) => row.fired ?? "not known", number], ["Where", (row) => row.path ?? ""],
      ], data.unreached),
    ],
    events.filter(([, tools]) => isReached(tools)).map(section),
    silent.length > 0 && [
      h("h2", {}, "Events without hooks"),
      h("p", {}, silent.map(([event], index) => [index > 0 && ", ", h("code", {}, event)])),
    ],
  ];
}
