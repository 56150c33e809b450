// Asks the program. The token comes with the link, and leaves the address at once.

const KEY = "pintle-token";
let token = "";

async function get(path, bearer) {
  let response;
  try {
    response = await fetch(path, { headers: { Authorization: `Bearer ${bearer}` }, credentials: "omit", cache: "no-store" });
  } catch {
    throw new Error("The program does not answer: `pintle view` may have ended.");
  }
  const answer = await response.json();
  if (response.status === 401) throw new Error("This page needs the link that `pintle view` prints: open it again.");
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

// Takes the token from the address.
export async function start() {
  const [, kind, value] = /^#(once|token)=([0-9a-f]+)$/.exec(location.hash) ?? [];
  if (kind) history.replaceState(null, "", "#/");
  if (kind === "token") token = value;
  else if (kind === "once") ({ token } = await get("/api/token", value));
  else token = sessionStorage.getItem(KEY) ?? "";
  sessionStorage.setItem(KEY, token);
}

// The answer to a request with parameters, each a text or a list of texts.
export function ask(name, parameters = {}) {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    for (const one of [value].flat()) if (one !== undefined && one !== "") search.append(key, one);
  }
  return get(`/api/${name}?${search}`, token);
}
