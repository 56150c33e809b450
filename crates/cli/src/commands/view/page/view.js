// The page: which view the address names, and what each shows.

import { charts, coverage } from "./charts.js";
import { count, h, say, table } from "./elements.js";
import { entryList } from "./entries.js";
import { ask, start } from "./requests.js";

// How often new decisions are asked for, in milliseconds.
const FOLLOW_MS = 2_000;
// A session with more events is read again only when it is opened.
const FOLLOWED_EVENTS = 2_000;
const WORDS = ["denied", "asked", "rewritten", "allowed", "failed", "undecided"];

const main = document.getElementById("main");
let shown = 0;

// The address: the name of a view, what it is about, and parameters.
function readAddress() {
  const [path, search] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, ...rest] = path.split("/");
  return { view: view || "start", id: decodeURIComponent(rest.join("/")), search: new URLSearchParams(search ?? "") };
}

const VIEWS = { start: showStart, decisions: showDecisions, sessions: showSessions, session: showSession, charts: showCharts, coverage: showCoverage };
const TITLES = { start: "Start", decisions: "Decisions", sessions: "Sessions", session: "Session", charts: "Charts", coverage: "Coverage" };

async function show() {
  const address = readAddress();
  shown += 1;
  const own = shown;
  const isShown = () => own === shown;
  for (const link of document.querySelectorAll("nav a")) {
    const isOwn = link.dataset.view === address.view || (link.dataset.view === "sessions" && address.view === "session");
    if (isOwn) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  document.title = `${TITLES[address.view] ?? "Not found"} - Pintle`;
  say("Loading\u2026");
  try {
    const view = VIEWS[address.view];
    if (!view) throw new Error("There is no such view.");
    const parts = await view(address, isShown);
    if (!isShown()) return;
    main.replaceChildren(...parts.flat(3).filter(Boolean));
    say("");
    const marked = main.querySelector(".marked");
    if (marked) marked.scrollIntoView({ block: "center" }); else scrollTo(0, 0);
  } catch (error) {
    if (!isShown()) return;
    main.replaceChildren(h("h1", {}, "Nothing to show"), h("p", { class: "error" }, error.message));
    say("");
  }
  // The first view does not take the focus from the top of the page.
  if (own > 1) main.focus({ preventScroll: true });
}

// Asks again while the view is shown and the page is seen, and shows the answer.
function follow(isShown, isOn, request, take) {
  let hasFailed = false;
  const step = async () => {
    if (!isShown()) return;
    if (isOn() && !document.hidden) {
      try {
        const answer = await request();
        if (!isShown()) return;
        const added = take(answer);
        if (added > 0 || hasFailed) say(added > 0 ? `${count(added, "new decision", "new decisions")}.` : "");
        hasFailed = false;
      } catch (error) {
        if (!isShown()) return;
        hasFailed = true;
        say(error.message);
      }
    }
    setTimeout(step, FOLLOW_MS);
  };
  setTimeout(step, FOLLOW_MS);
}

function dayCard(name, counts) {
  return h("section", { "aria-label": name },
    h("h2", {}, name),
    h("p", { class: "big" }, count(counts.denied, "refused call", "refused calls")),
    h("p", { class: "quiet" }, `of ${count(counts.total, "decision", "decisions")}; ${counts.asked} asked, ${counts.rewritten} changed, ${count(counts.failed, "with a failed hook", "with failed hooks")}`));
}

async function showStart(_, isShown) {
  const data = await ask("start");
  const lists = { today: entryList("Refused today"), yesterday: entryList("Refused yesterday"), waiting: entryList("Waiting for you") };
  const empty = { today: h("p", {}, "Nothing was refused today."), yesterday: h("p", {}, "Nothing was refused yesterday.") };
  const cards = h("div", { class: "cards" });
  const waiting = h("section", { "aria-label": "Waiting for you" }, h("h2", {}, "Waiting for you"),
    h("p", { class: "quiet" }, "An agent asked, and its tape shows no answer. Answer there: this page changes nothing."), lists.waiting.list);
  const take = (answer) => {
    cards.replaceChildren(dayCard("Yesterday", answer.yesterday), dayCard("Today", answer.today));
    const isToday = (entry) => entry.at_ms >= answer.today_ms;
    const added = lists.waiting.sync(answer.waiting) + lists.today.sync(answer.refused.filter(isToday))
      + lists.yesterday.sync(answer.refused.filter((entry) => !isToday(entry)));
    waiting.hidden = answer.waiting.length === 0;
    for (const day of ["today", "yesterday"]) empty[day].hidden = lists[day].list.children.length > 0;
    return added;
  };
  take(data);
  follow(isShown, () => true, () => ask("start"), take);
  const earlier = entryList("Refused earlier");
  earlier.append(data.earlier);
  return [
    h("h1", {}, "What was refused"),
    data.unreadable_count > 0 && h("div", { class: "note" },
      h("p", {}, `${count(data.unreadable_count, "tape is", "tapes are")} not all in these views:`),
      h("ul", {}, data.unreadable.map((tape) => h("li", {}, h("code", {}, tape.tape), `: ${tape.reason}`)))),
    cards, waiting,
    h("div", { class: "columns" },
      h("section", { "aria-label": "Yesterday's refused calls" }, h("h2", {}, "Refused yesterday"), empty.yesterday, lists.yesterday.list),
      h("section", { "aria-label": "Today's refused calls" }, h("h2", {}, "Refused today"), empty.today, lists.today.list)),
    data.is_cut && h("p", {}, h("a", { href: `#/decisions?word=denied&from=${data.yesterday_day}` }, "All that was refused since yesterday")),
    data.earlier.length > 0 && h("section", { "aria-label": "Refused earlier" }, h("h2", {}, "Refused earlier"), earlier.list),
  ];
}

// The fields of a filter, whose values become the parameters of the address.
async function filterForm(view, search, fields) {
  const places = await ask("start");
  const option = (value, name, selected) => h("option", { value, selected }, name);
  const select = (name, label, options) => h("label", {}, label, h("select", { name },
    options.map(([value, text]) => option(value, text, (search.get(name) ?? "") === value))));
  const input = (name, label, type, wide) => h("label", { class: wide && "wide" }, label, h("input", { name, type, value: search.get(name) ?? "" }));
  const build = {
    q: () => input("q", "Text in calls, reasons, projects", "search", true),
    word: () => select("word", "Decision", [["", "any"], ...WORDS.map((word) => [word, word === "failed" ? "a hook failed" : word])]),
    agent: () => select("agent", "Agent", [["", "any"], ...places.agents.map(({ name, title }) => [name, title])]),
    project: () => select("project", "Project", [["", "any"], ...places.projects.map((project) => [project, project])]),
    rule: () => input("rule", "Rule, pack or hook", "text"),
    from: () => input("from", "From", "date"),
    to: () => input("to", "To", "date"),
    days: () => select("days", "Time", [["7", "7 days"], ["", "30 days"], ["90", "90 days"], ["365", "a year"]]),
  };
  const form = h("form", { role: "search", "aria-label": "Filter", onsubmit: (event) => {
    event.preventDefault();
    const chosen = [...new FormData(form)].filter(([, value]) => value !== "");
    const next = `#/${view}?${new URLSearchParams(chosen)}`;
    if (location.hash === next) show(); else location.hash = next;
  } }, fields.map((field) => build[field]()), h("button", {}, "Show"));
  return form;
}

const parametersOf = (search) => Object.fromEntries([...new Set(search.keys())].map((name) => [name, search.getAll(name)]));

async function showDecisions({ search }, isShown) {
  const form = await filterForm("decisions", search, ["q", "word", "agent", "project", "rule", "from", "to"]);
  const parameters = parametersOf(search);
  const answer = await ask("decisions", parameters);
  const { list, merge, append } = entryList("Decisions");
  append(answer.entries);
  let { next } = answer;
  const more = h("button", { type: "button", onclick: async () => {
    more.disabled = true;
    try {
      const older = await ask("decisions", { ...parameters, before: next });
      append(older.entries);
      next = older.next;
      more.hidden = next === null;
    } catch (error) {
      say(error.message);
    }
    more.disabled = false;
  } }, "Show older ones");
  more.hidden = next === null;
  const live = h("input", { type: "checkbox", checked: true });
  const none = h("p", {}, "No recorded decision is like that.");
  none.hidden = answer.entries.length > 0;
  follow(isShown, () => live.checked, () => ask("decisions", parameters), (latest) => {
    none.hidden = none.hidden || latest.entries.length > 0;
    return merge(latest.entries);
  });
  return [h("h1", {}, "Decisions"), form, h("form", {}, h("label", { class: "check" }, live, "Show new decisions as they are made")),
    h("h2", { class: "unseen" }, "Decisions, the newest first"), none, list, more];
}

async function showSessions({ search }) {
  const form = await filterForm("sessions", search, ["q", "agent", "project", "from", "to"]);
  const parameters = parametersOf(search);
  const answer = await ask("sessions", parameters);
  const number = { number: true };
  const link = (row) => h("a", { href: `#/session/${row.key}` }, row.prompt || row.session);
  const rows = table("Sessions, the newest first", [
    ["Session", link], ["Agent", (row) => row.who], ["Project", (row) => row.project ?? ""], ["Last", (row) => row.last],
    ["Denied", (row) => h("span", { class: row.counts.denied > 0 && "word denied" }, row.counts.denied), number],
    ["Asked", (row) => row.counts.asked, number], ["All", (row) => row.counts.total, number],
  ], answer.sessions);
  const page = (text, skip) => {
    const next = new URLSearchParams(search);
    next.set("skip", skip);
    return h("a", { href: `#/sessions?${next}` }, text);
  };
  const skip = Number(search.get("skip") ?? 0);
  return [h("h1", {}, "Sessions"), form, answer.sessions.length > 0 ? rows : h("p", {}, "No session is like that."),
    h("p", { class: "links" }, skip > 0 && page("Newer ones", Math.max(0, skip - 50)), answer.next !== null && page("Older ones", answer.next))];
}

async function showSession({ id, search }, isShown) {
  const [key, seq] = id.split(".");
  const answer = await ask("session", { id, skip: search.get("skip") ?? undefined });
  const { session, events, first, total } = answer;
  const { list, append } = entryList("Events of the session", { inSession: true, marked: seq === undefined ? null : Number(seq) });
  append(events);
  const page = (text, skip) => h("a", { href: `#/session/${key}?skip=${skip}` }, text);
  const size = 100;
  const isEnd = first + events.length === total && events.length < size;
  if (isEnd && total < FOLLOWED_EVENTS) {
    follow(isShown, () => true, () => ask("session", { id: key, skip: first }), (latest) => append(latest.events));
  }
  const pages = () => h("p", { class: "links" },
    total > 0 && h("span", {}, `Events ${first + 1} to ${first + events.length} of ${total}`),
    first > 0 && page("Earlier", Math.max(0, first - size)), first + events.length < total && page("Later", first + size),
    first + size < total && page("Last", Math.floor((total - 1) / size) * size));
  return [
    h("h1", {}, session.prompt || `Session ${session.session}`),
    h("dl", {}, h("dt", {}, "Agent"), h("dd", {}, session.who), session.project && [h("dt", {}, "Project"), h("dd", {}, session.project)],
      h("dt", {}, "Session"), h("dd", {}, h("code", {}, session.session)),
      h("dt", {}, "Time"), h("dd", {}, `${session.started} to ${session.last}`),
      h("dt", {}, "Tape"), h("dd", {}, h("code", {}, session.tape))),
    answer.error && h("p", { class: "note" }, `The tape cannot be read to its end: ${answer.error}`),
    h("h2", { class: "unseen" }, "Events"), pages(), list, events.length > 20 && pages(),
  ];
}

async function showCharts({ search }) {
  const form = await filterForm("charts", search, ["days", "agent", "project", "rule"]);
  return [h("h1", {}, "Charts"), form, charts(await ask("charts", parametersOf(search)))];
}

async function showCoverage({ search }) {
  const form = await filterForm("coverage", search, ["agent", "project"]);
  return [h("h1", {}, "Coverage"), h("p", { class: "quiet" }, "Which hooks were called for which tool, in all recorded sessions."),
    form, coverage(await ask("coverage", parametersOf(search)))];
}

addEventListener("hashchange", () => {
  // A link of the terminal that is pasted into this page.
  if (/^#(once|token)=/.test(location.hash)) begin(); else show();
});

document.querySelector(".skip").addEventListener("click", (event) => {
  // The fragment of the address is the view.
  event.preventDefault();
  main.focus();
});

async function begin() {
  try {
    await start();
  } catch (error) {
    main.replaceChildren(h("h1", {}, "Nothing to show"), h("p", { class: "error" }, error.message));
    return;
  }
  show();
}

begin();
