// Builds elements. What tapes hold becomes text and nothing else.

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

// A text in which the characters are named that a screen hides or obeys.
export function visible(text) {
  return String(text).replace(HIDDEN, (character) =>
    `\u27e8U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`);
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : visible(value));
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
  return element;
}

export const h = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) =>
  build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// A table. A column is `[head, cell, options]`; the first one is the head of its row. On a narrow screen each row is a list.
export function table(caption, columns, rows) {
  const head = columns.map(([name, , options]) => h("th", { scope: "col", role: "columnheader", class: options?.number && "number" }, name));
  const body = rows.map((row) => h("tr", { role: "row" }, columns.map(([name, cell, options], index) => {
    const attributes = { class: options?.number && "number", "data-head": index > 0 && name };
    return index === 0
      ? h("th", { scope: "row", role: "rowheader" }, cell(row))
      : h("td", { role: "cell", ...attributes }, cell(row));
  })));
  return h("table", { class: "stacked", role: "table" },
    h("caption", {}, caption),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, head)),
    h("tbody", { role: "rowgroup" }, body));
}

// A duration for people.
export function duration(us) {
  if (us === null || us === undefined) return "";
  if (us < 1_000) return `${us} \u00b5s`;
  return us < 1_000_000 ? `${(us / 1_000).toPrecision(3)} ms` : `${(us / 1_000_000).toPrecision(3)} s`;
}

export const count = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

// A command to copy.
export function command(line) {
  const button = h("button", { type: "button", class: "small", "aria-label": `Copy: ${line}`, onclick: async () => {
    try {
      await navigator.clipboard.writeText(line);
      say("Copied.");
    } catch {
      say("Your browser does not copy; select the command instead.");
    }
  } }, "Copy");
  return h("span", {}, h("code", {}, line), " ", button);
}

// Tells the user something, on the screen and to a screen reader.
export function say(text) {
  document.getElementById("status").textContent = text;
}
