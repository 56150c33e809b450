//! Each row of the table of rules, accepted and rejected.

use starlark::syntax::AstModule;

use super::{ResolvedScript, input_bound};
use crate::language::dialect;

/// Functions that grow their argument, one that returns it, and one that doubles it.
const GROWING: &str = "def put(l, s):\n  l.append(s)\ndef put_all(l, m):\n  l += m\ndef same(l):\n  return l\ndef twice(s):\n  return s + s\n";

fn bound_of(text: String) -> Option<u64> {
    input_bound(&ResolvedScript::new(&AstModule::parse("t", text, &dialect()).unwrap()))
}

fn is_bounded(body: &str) -> bool {
    let body: String = body.lines().map(|line| format!("  {line}\n")).collect();
    let text = format!(
        "WORDS = [\"a\", \"b\"]\ndef helper(x):\n  return x + \"!\"\n{GROWING}def handle(event, payload):\n{body}"
    );
    bound_of(text).is_some()
}

#[test]
fn scripts_whose_cost_is_bounded_run_here() {
    let here = [
        "return allow()",
        "cmd = payload.get(\"args\", {}).get(\"command\", \"\")\nfor d in [\"rm -rf /\", \"mkfs\"]:\n  if d in cmd:\n    metrics.incr(\"x\")\n    return block(\"no: '\" + d + \"'\")\nreturn allow()",
        "for w in WORDS:\n  if w in payload[\"x\"].lower():\n    return block(w)\nreturn allow()",
        "return block(helper(payload[\"x\"]))",
        "n = 0\nfor m in payload[\"messages\"]:\n  n += 1\nreturn n > 200",
        "n = 0\nfor m in payload[\"messages\"]:\n  n += len(m[\"content\"])\nreturn n",
        "hits = []\nfor m in payload[\"messages\"]:\n  if \"x\" in m[\"content\"].lower():\n    hits.append(m[\"id\"])\nreturn block(\", \".join(hits))",
        "hits = [w for w in WORDS if w in payload[\"x\"]]\nreturn block(\", \".join(hits))",
        "for m in payload[\"messages\"]:\n  for p in m[\"parts\"]:\n    if p[\"x\"] == 1:\n      return block(\"x\" + p[\"y\"])\nreturn allow()",
        "return \"%s: %s\" % (event, payload[\"x\"])",
        "return \"{}: {}\".format(event, payload[\"x\"])",
        "return f\"{event}: {payload}\"",
        "return \"-\" * 40",
        "return len(payload[\"x\"]) * 2",
        "return 1 << 20",
        "return payload[\"x\"].replace(\"a\", \"b\")",
        "return re.search(\"^a+$\", payload[\"x\"])",
        "for op in shell.parse(payload[\"x\"], cwd = payload[\"cwd\"]):\n  if op[\"kind\"] == \"delete\" and op.get(\"place\") not in [\"project\"]:\n    return block(\"no: \" + op[\"written\"])\nreturn allow()",
        "for m in payload[\"messages\"]:\n  for op in shell.parse(m[\"content\"]):\n    metrics.incr(\"x\")\nreturn allow()",
        "for i in range(len(payload[\"x\"])):\n  if payload[\"x\"][i] == 1:\n    return block(\"x\")\nreturn allow()",
        "for i in range(100):\n  log(\"x\")\nreturn allow()",
        "return sorted(payload[\"x\"])",
        "args = dict(payload[\"args\"])\nargs[\"x\"] = 1\nreturn modify({\"args\": args})",
        "out = {}\nfor k, v in payload.items():\n  out[k] = v\nreturn modify(out)",
        "args = payload[\"args\"]\nargs[\"command\"] = \"timeout 5 \" + args[\"command\"]\nreturn modify({\"args\": args})",
        "kept = []\nfor m in payload[\"messages\"]:\n  kept.append(m)\nreturn modify({\"messages\": kept})",
        "rows = []\nfor m in payload[\"messages\"]:\n  rows.append(m[\"id\"])\nreturn block(\", \".join(rows))",
        "return modify({\"content\": string.truncate(payload[\"content\"], 4000, \"..\")})",
        // A search reads what is sought and what is searched once.
        "return payload[\"a\"] in payload[\"b\"]",
        "return payload[\"a\"] not in payload[\"b\"].lower()",
        "for w in payload[\"words\"]:\n  if w in payload[\"text\"]:\n    return block(w)\nreturn allow()",
        "for m in payload[\"x\"]:\n  if payload[\"name\"] in m[\"content\"]:\n    return block(m[\"id\"])\nreturn allow()",
        "return payload[\"b\"].find(payload[\"a\"])",
        "return payload[\"b\"].count(payload[\"a\"])",
        "hits = [m[\"id\"] for m in payload[\"x\"]]\nreturn payload[\"id\"] in hits",
    ];
    for body in here {
        assert!(is_bounded(body), "should run here:\n{body}");
    }
}

#[test]
fn scripts_whose_cost_is_not_bounded_run_in_a_worker() {
    let there = [
        // Calls.
        "return handle(event, payload)",
        "return sorted(payload[\"x\"], key = helper)",
        "f = helper\nreturn f(1)",
        "return (lambda x: x)(1)",
        "def inner():\n  return 1\nreturn inner()",
        "return getattr(payload, event)",
        // Loops.
        "for i in range(1000000000):\n  pass",
        "for i in range(payload[\"n\"]):\n  pass",
        "for a in range(1000):\n  for b in range(1000):\n    log(\"x\")",
        "for a in payload[\"a\"]:\n  for b in payload[\"b\"]:\n    for c in payload[\"c\"]:\n      log(\"x\")",
        "return max(range(2147483647))",
        // `+` and its like.
        "s = payload[\"x\"]\nfor i in range(60):\n  s = s + s\nreturn s",
        "s = \"\"\nfor m in payload[\"x\"]:\n  s += m\nreturn s",
        "s = \"\"\nfor m in payload[\"x\"]:\n  s = \"{}{}\".format(s, m)\nreturn s",
        "for m in payload[\"x\"]:\n  log(payload[\"big\"] + \"x\")\nreturn 1",
        "x = []\nfor i in range(100):\n  x = [x]\nreturn x",
        "l = []\nfor m in payload[\"x\"]:\n  l.append(payload[\"big\"])\nreturn \"\".join(l)",
        &doubling_script(),
        // Values that grow through another name.
        "l = []\nfor i in range(1000):\n  put(l, payload[\"x\"])\nfor s in l:\n  s.upper()\nreturn 1",
        "l = []\nm = l\nfor i in range(1000):\n  m.append(payload[\"x\"])\nfor s in l:\n  s.upper()\nreturn 1",
        "l = []\nm = l\nfor i in range(1000):\n  l.append(payload[\"x\"])\nreturn \",\".join(m)",
        "l = [[]]\nm = l[0]\nfor i in range(1000):\n  m.append(payload[\"x\"])\nreturn str(l)",
        "l = []\nd = {\"l\": l}\nfor i in range(1000):\n  d[\"l\"].append(payload[\"x\"])\nreturn str(l)",
        "l = []\nm = l if payload[\"x\"] else []\nfor i in range(1000):\n  m.extend([payload[\"x\"]])\nreturn str(l)",
        "for i in range(1000):\n  payload[\"args\"][str(i)] = payload[\"x\"]\nreturn str(payload)",
        "for m in payload[\"x\"]:\n  m[\"all\"] = [m, m]\nreturn str(payload)",
        "l = []\nfor m in payload[\"x\"]:\n  l = same(l)\n  l.append(payload[\"y\"])\nreturn str(l)",
        "l = [1]\nfor i in range(30):\n  put_all(l, l)\nreturn str(l)",
        "l = []\n[l.append(payload[\"x\"]) for i in range(1000)]\nreturn \",\".join(l)",
        "l = [1]\n[l.extend(l) for i in range(30)]\nreturn l",
        // `*` and `<<`.
        "return payload[\"x\"] * 2000000000",
        "return [0] * 1000000000",
        "s = \"a\"\ns *= 2000000000\nreturn s",
        "return payload[\"x\"] * payload[\"n\"]",
        "return payload[\"n\"] * payload[\"n\"]",
        "return 1 << payload[\"n\"]",
        "return 1 << 100000000",
        // Searches and comparisons in a list that has the input again and again, replacements, patterns.
        &repeated("payload[\"other\"] in l"),
        &repeated("l.index(payload[\"other\"])"),
        &repeated("l.index(\"a\")"),
        &repeated("l.count(payload[\"other\"])"),
        &repeated("l.remove(\"a\")"),
        &repeated("max(l)"),
        &repeated("l == m"),
        &repeated("l < m"),
        &repeated("l in [m]"),
        "return payload[\"a\"].replace(\"a\", payload[\"b\"])",
        "return payload[\"a\"].replace(\"\", \"x\")",
        "return payload[\"a\"].join(payload[\"b\"])",
        "return re.search(payload[\"a\"], payload[\"b\"])",
        "return int(payload[\"x\"])",
        "for m in payload[\"x\"]:\n  shell.parse(payload[\"big\"])\nreturn allow()",
        "return payload[\"f\"].format(payload[\"x\"])",
        "return payload[\"f\"] % payload[\"x\"]",
    ];
    for body in there {
        assert!(!is_bounded(body), "should run in a worker:\n{body}");
    }
}

/// An expression of two lists that contain a large value for each item of the input.
fn repeated(expression: &str) -> String {
    format!(
        "l, m = [], []\nfor x in payload[\"x\"]:\n  l.append(payload[\"big\"])\n  m.append(payload[\"large\"])\nreturn {expression}"
    )
}

/// Twenty doublings without a loop.
fn doubling_script() -> String {
    let mut body = String::from("s0 = payload[\"x\"]\n");
    for step in 1..20 {
        body.push_str(&format!("s{step} = s{} + s{}\n", step - 1, step - 1));
    }
    body
}

#[test]
fn a_constant_that_is_doubled_again_and_again_is_not_bounded() {
    for step in [
        "S + S",
        "\"%s%s\" % (S, S)",
        "\"{}{}\".format(S, S)",
        "f\"{S}{S}\"",
        "S.replace(\"a\", \"aa\")",
        "[S, S]",
        "(S, S)",
        "S.upper() + S",
        "str(S) + S",
        "{\"a\": S, \"b\": S}",
        "dict(a = S, b = S)",
        "[]\nT.append(S)\nT.append(S)",
        "[]\nT.extend([S, S])",
        "[]\nT.insert(0, S)\nT.insert(0, S)",
        "{}\nT[\"a\"] = S\nT[\"b\"] = S",
        "{}\nT.update({\"a\": S, \"b\": S})",
        "{}\nT.update(a = S, b = S)",
        "[S for _ in [1, 2]]",
        "[x for x in [S, S]]",
        "repr(S)",
        "json.encode(S)",
        "S * 2",
        "(S if S else S) + S",
        "list(zip([S], [S]))",
        "twice(S)",
        "twice(s = S)",
        "{}\nT.setdefault(\"a\", S)\nT.setdefault(\"b\", S)",
    ] {
        let doubled = |count: usize| {
            let line = |index: usize| {
                let (grown, from) = (format!("s{}", index + 1), format!("s{index}"));
                format!("{grown} = {}\n", step.replace('S', &from).replace('T', &grown))
            };
            format!("s0 = \"a\"\n{}return allow()", (0..count).map(line).collect::<String>())
        };
        assert!(is_bounded(&doubled(3)), "should run here:\n{}", doubled(3));
        assert!(!is_bounded(&doubled(40)), "should run in a worker:\n{}", doubled(40));
    }
    for join in ["s1.join([\"\", \"\", \"\"])", "string.join([\"a\", \"b\"], s1)"] {
        assert!(!is_bounded(&format!("s1 = \"a\".upper()\nreturn block({join})")), "should run in a worker: {join}");
    }
    // Constants that grow by literals are as long as the script.
    let added: String = (1..100).map(|index| format!("s{index} = s{} + \"a\"\n", index - 1)).collect();
    assert!(is_bounded(&format!("s0 = \"a\"\n{added}return allow()")));
}

#[test]
fn functions_of_the_language_have_no_other_meaning() {
    let handle =
        "def handle(event, payload):\n  s = payload[\"x\"]\n  for i in range(60):\n    s = len(s)\n  return s\n";
    for meaning in ["len = lambda s: s + s\n", "def len(s):\n  return s + s\n"] {
        assert_eq!(bound_of(format!("{meaning}{handle}")), None, "{meaning}");
    }
    assert_eq!(bound_of(handle.to_owned()), Some(0));
}

#[test]
fn uncalled_functions_count_because_loading_computes_their_defaults() {
    let text = "def unused():\n  return max(range(2147483647))\ndef handle(event, payload):\n  return allow()\n";
    assert_eq!(bound_of(text.to_owned()), None);
}
