use starlark::syntax::AstModule;

use super::*;
use crate::language::dialect;

/// The form that a script expects: `dict`, `text`, or `error` with the text of its span.
fn form_of(script: &str) -> String {
    let ast = AstModule::parse("t", script.to_owned(), &dialect()).unwrap();
    let (form, finding) = detect_form(&ResolvedScript::new(&ast), "handle", 1);
    match (form, finding) {
        (ArgumentsForm::Dict, Some(_)) => String::from("dict"),
        (ArgumentsForm::Text, None) => String::from("text"),
        (_, Some(finding)) => {
            let (start, end) = finding.span.unwrap();
            format!("error at {}", &script[start..end])
        }
        (ArgumentsForm::Dict, None) => String::from("a dict without a word"),
    }
}

fn form_of_body(body: &str) -> String {
    let body = body.lines().map(|line| format!("  {line}\n")).collect::<String>();
    form_of(&format!("def handle(event, payload):\n{body}"))
}

#[test]
fn what_only_a_dictionary_can_do_makes_it_one() {
    let cases = [
        "return payload[\"arguments\"].get(\"path\")",
        "return payload.get(\"arguments\", {})",
        "return payload[\"arguments\"] or {}",
        "return payload[\"arguments\"][\"path\"]",
        "return payload[\"arguments\"][f\"pa{\"th\"}\"]",
        "a = payload[\"arguments\"]\nreturn a[\"path\"]",
        "a = payload.get(\"arguments\")\nreturn a.items()",
        "a, b = payload[\"arguments\"], 1\nreturn a.keys()",
        "p = payload\nreturn p[\"arguments\"].values()",
        "p = dict(payload)\nreturn p[\"arguments\"].values()",
        "p = payload | {}\nreturn p[\"arguments\"].values()",
        "p = {}\np.update(payload)\np[\"x\"] = payload[\"arguments\"]\nreturn p[\"x\"].pop(\"y\")",
        "get = payload.get\nreturn get(\"arguments\").get(\"x\")",
        "get = payload[\"arguments\"].get\nreturn get(\"x\")",
        "return getattr(payload[\"arguments\"], \"get\")(\"x\")",
        "key = \"arguments\"\nreturn payload[key].get(\"x\")",
        "for key in [\"name\", \"arguments\"]:\n  if type(payload[key]) != \"string\":\n    return payload[key][\"x\"]",
        "for k, v in payload.items():\n  if k == \"arguments\":\n    return v[\"x\"]",
        "for k in payload[\"arguments\"]:\n  return k",
        "return [k for k in payload[\"arguments\"] if k]",
        "return [v for k in [1] for v in payload[\"arguments\"]]",
        "return any([a.get(\"x\") for a in [payload[\"arguments\"]]])",
        "return dict(payload[\"arguments\"])",
        "return \"mkfs\" in dict(payload[\"arguments\"])[\"command\"]",
        "return max([payload[\"arguments\"], 1]).get(\"x\")",
        "return sorted(payload[\"arguments\"])",
        "return dict(**payload[\"arguments\"])",
        "return payload[\"arguments\"] | {\"x\": 1}",
        "return payload[\"arguments\"] == {}",
        "return template.render(\"x\", payload[\"arguments\"])",
        "return meta.call_tool(\"x\", payload[\"arguments\"])",
        "a = payload[\"arguments\"]\nif \"unit\" not in a:\n  a[\"unit\"] = 1\nreturn modify({\"arguments\": a})",
        "k = \"unit\"\na = payload[\"arguments\"]\nif k not in a:\n  a[k] = 1",
        "payload[\"arguments\"].update({\"unit\": 1})",
        "payload[\"arguments\"].setdefault(\"unit\", 1)",
        "a = payload[\"arguments\"]\na |= {\"x\": 1}",
        "a = payload[\"args\"] if \"args\" in payload else payload[\"arguments\"]\nreturn a.get(\"x\")",
        "a = payload[\"arguments\"]\nif type(a) == \"string\":\n  a = json.decode(a)\nreturn a.get(\"x\")",
        "look = lambda a: a[\"x\"]\nreturn look(payload[\"arguments\"])",
        "return (lambda p: p[\"arguments\"][\"x\"])(payload)",
        "return map(lambda a: a[\"x\"], [payload[\"arguments\"]])",
        "found = []\nfound.append(payload[\"arguments\"])\nfor a in found:\n  return a[\"x\"]",
        "a = None\nfor i in range(2):\n  if a:\n    return a[\"x\"]\n  a = payload[\"arguments\"]",
        "def look():\n  return a[\"x\"]\na = payload[\"arguments\"]\nreturn look()",
        "return \"arguments\" in payload and payload[\"arguments\"].get(\"x\")",
        "return struct(a = payload[\"arguments\"]).a[\"x\"]",
    ];
    for body in cases {
        assert_eq!(form_of_body(body), "dict", "{body}");
    }
}

#[test]
fn helpers_are_followed() {
    let handle = |call: &str| format!("def handle(event, payload):\n  return {call}\n");
    let cases = [
        ("def arg(p, k):\n  return p[\"arguments\"].get(k)\n", "arg(payload, \"x\")"),
        ("def check(a):\n  return a[\"x\"]\n", "check(payload[\"arguments\"])"),
        ("def check(a):\n  return \"x\" in a and a[\"x\"]\n", "check(a = payload[\"arguments\"])"),
        ("def get(a, k):\n  return a[k]\n", "get(payload[\"arguments\"], \"x\")"),
        ("def of(p):\n  return p[\"arguments\"]\n", "of(payload).get(\"x\")"),
        ("def one(a):\n  return two(a)\ndef two(b):\n  return b.get(\"x\")\n", "one(payload[\"arguments\"])"),
        ("def one(p):\n  return two(p)\ndef two(p):\n  return p[\"arguments\"]\n", "one(payload)[\"x\"]"),
        ("def check(*all):\n  return all[0][\"x\"]\n", "check(payload[\"arguments\"])"),
        ("def check(**all):\n  return all[\"a\"][\"x\"]\n", "check(a = payload[\"arguments\"])"),
        ("def check(**all):\n  return all[\"arguments\"][\"x\"]\n", "check(**payload)"),
        ("def check(arguments, **rest):\n  return arguments[\"x\"]\n", "check(**payload)"),
        ("CHECKS = [lambda a: a[\"x\"]]\n", "[c(payload[\"arguments\"]) for c in CHECKS]"),
        ("TABLE = {\"a\": lambda a: a[\"x\"]}\n", "TABLE[\"a\"](payload[\"arguments\"])"),
        ("def deep(n, a):\n  return deep(n - 1, a) if n else a[\"x\"]\n", "deep(3, payload[\"arguments\"])"),
        ("KEY = \"arguments\"\ndef of(p):\n  return p.get(KEY)\n", "of(payload).get(\"x\")"),
        ("def wrap(f):\n  return lambda p: f(p[\"arguments\"])\n", "wrap(lambda a: a[\"x\"])(payload)"),
    ];
    for (helpers, call) in cases {
        assert_eq!(form_of(&format!("{helpers}{}", handle(call))), "dict", "{helpers}{call}");
    }
    assert_eq!(form_of("handle = lambda event, payload: payload[\"arguments\"][\"x\"]\n"), "dict");
    assert_eq!(form_of("def other(event, p):\n  return p[\"arguments\"][\"x\"]\nhandle = other\n"), "dict");
}

#[test]
fn what_does_not_show_a_dictionary_stays_the_text_that_is_documented() {
    let cases = [
        "return json.decode(payload[\"arguments\"])[\"path\"]",
        "return \"rm\" in payload[\"arguments\"]",
        "return len(payload[\"arguments\"]) > 4000",
        "return payload[\"arguments\"].lower()",
        "return re.search(\"rm\", payload[\"arguments\"])",
        "return payload[\"arguments\"][0]",
        "return str(payload[\"arguments\"])",
        "return cache.set(\"last\", payload[\"arguments\"])",
        "log(payload[\"arguments\"])",
        "a = payload[\"arguments\"]\na = json.decode(a)\nreturn a[\"path\"]",
        "a = payload[\"arguments\"]\nif a:\n  a = json.decode(a)\nelse:\n  a = {}\nreturn a.get(\"path\")",
        "a = json.decode(payload[\"arguments\"])\na[\"x\"] = 1\npayload[\"arguments\"] = a\nreturn modify(payload)",
        "return payload[\"args\"].get(\"path\")",
        "if type(payload[\"arguments\"]) == \"string\":\n  return payload[\"arguments\"].lower()\nreturn payload[\"arguments\"][\"x\"]",
        "return [payload[\"arguments\"] for payload in [{}]]",
    ];
    for body in cases {
        assert_eq!(form_of_body(body), "text", "{body}");
    }
    assert_eq!(
        form_of("def unused(p):\n  return p[\"arguments\"][\"x\"]\ndef handle(event, payload):\n  pass\n"),
        "text"
    );
}

#[test]
fn a_script_that_wants_both_forms_or_hides_the_form_is_an_error() {
    let cases = [
        (
            "if \"rm -rf\" in payload[\"arguments\"]:\n  return payload[\"arguments\"].get(\"x\")",
            "\"rm -rf\" in payload[\"arguments\"]",
        ),
        ("a = payload[\"arguments\"]\nif len(a) > 9:\n  return a[\"x\"]", "len(a)"),
        ("a = payload[\"arguments\"]\nreturn a[\"x\"] + a.lower()", "a.lower"),
        ("a = payload[\"arguments\"]\nreturn [w for w in [\"rm\"] if w in a] + [a[\"x\"]]", "w in a"),
        ("return cache.get(\"f\")(payload[\"arguments\"])", "payload[\"arguments\"]"),
    ];
    for (body, at) in cases {
        assert_eq!(form_of_body(body), format!("error at {at}"), "{body}");
    }
}

#[test]
fn a_script_too_long_to_follow_is_an_error_and_takes_no_long_time() {
    let many = (0..400).map(|n| format!("if x{n}:\n  x{n} = payload[\"arguments\"]\n")).collect::<String>();
    let names = (0..3_000).map(|n| format!("y{n} = [1]\n")).collect::<String>();
    let begun = std::time::Instant::now();
    assert!(form_of_body(&format!("{names}{many}")).starts_with("error at"));
    assert!(begun.elapsed() < std::time::Duration::from_secs(20));
}
