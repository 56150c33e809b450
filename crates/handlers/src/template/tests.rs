//! Tests templates against the results of Go's own engine.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::Template;

fn sample_input() -> Value {
    json!({
        "session_id": "s1",
        "cwd": "/project",
        "hook_event_name": "pre_tool_use",
        "tool_name": "shell",
        "tool_use_id": "call_1",
        "tool_input": {"cmd": "ls -la", "deep": {"list": [1, 2.5, "three"]}, "none": null, "Key": "kept"},
        "usage": {"input_tokens": 7},
        "messages": [{"role": "user", "content": "hé<llo"}, {"role": "assistant"}],
        "cost": 0,
    })
}

fn render_text(text: &str) -> String {
    match Template::parse(text) {
        Ok(template) => template.render(&sample_input()).unwrap_or_else(|reason| format!("render: {reason}")),
        Err(reason) => format!("parse: {reason}"),
    }
}

#[test]
fn templates_render_as_in_go() {
    let cases = [
        ("", ""),
        ("plain { } text", "plain { } text"),
        ("{{ .ToolName }}/{{.tool_name}}", "shell/shell"),
        ("{{ .ToolUseID }} {{ .SessionID }} {{ .Cwd }}", "call_1 s1 /project"),
        ("{{ .ToolInput.cmd }} {{ .ToolInput.Key }}", "ls -la kept"),
        ("{{ .Usage.InputTokens }}", "7"),
        // Known fields that the dialect omits are empty.
        ("[{{ .ToolError }}{{ .Prompt }}]{{ if .ToolError }}x{{ else }}fine{{ end }}", "[]fine"),
        ("{{ range .SteeringMessages }}x{{ else }}none{{ end }} {{ len .SteeringMessages }}", "none 0"),
        ("{{ eq .Prompt \"\" }} {{ toJSON .Prompt }}", "true null"),
        ("{{ .ToolInput.none }} {{ printf \"%v\" .ToolInput.none }}", "<no value> <nil>"),
        ("{{ .ToolInput.deep }}", "map[list:[1 2.5 three]]"),
        ("{{ index .ToolInput \"cmd\" }} {{ index .ToolInput.deep.list 2 }}", "ls -la three"),
        ("[{{ index .ToolInput \"nope\" }}]{{ if index .ToolInput \"nope\" }}x{{ end }}", "[]"),
        ("{{ index .Messages 0 \"role\" }}", "user"),
        ("{{ (index .Messages 0).Content }}", "hé<llo"),
        ("{{ range .Messages }}{{ .Role }}={{ .Content }};{{ end }}", "user=hé<llo;assistant=;"),
        ("{{ range $i, $m := .Messages }}{{ $i }}{{ $m.Role }} {{ end }}", "0user 1assistant "),
        ("{{ range $k, $v := .ToolInput }}{{ $k }} {{ end }}", "Key cmd deep none "),
        ("{{ range 3 }}{{ . }}{{ end }}", "012"),
        (
            "{{ range $i := 9 }}{{ if eq $i 2 }}{{ continue }}{{ end }}{{ if gt $i 3 }}{{ break }}{{ end }}{{ $i }}{{ end }}",
            "013",
        ),
        ("{{ with .ToolInput }}{{ .cmd }} {{ $.ToolName }}{{ end }}", "ls -la shell"),
        ("{{ with .Prompt }}x{{ else with .ToolName }}{{ . }}{{ end }}", "shell"),
        ("{{ if eq .ToolName \"a\" }}1{{ else if eq .ToolName \"shell\" }}2{{ else }}3{{ end }}", "2"),
        ("{{ if and .ToolName (not .Prompt) }}yes{{ end }}", "yes"),
        ("{{ or .Prompt \"default\" }} {{ and 1 0 }} {{ and .ToolName 2 }}", "default 0 2"),
        ("{{ or .ToolName (index .Messages 99) }}", "shell"),
        (
            "{{ eq .ToolName \"a\" \"shell\" }} {{ ne 1 2 }} {{ lt 1 2 }} {{ le 2 2.0 }} {{ gt \"b\" \"a\" }} {{ ge 1 2 }}",
            "true true true true true false",
        ),
        ("{{ eq .ToolInput.deep.list 1 }}", "render: a list and a number cannot be compared"),
        ("{{ $x := .ToolName }}{{ $x }}{{ $x = \"b\" }}{{ $x }}", "shellb"),
        ("{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ $x := 3 }}{{ end }}{{ $x }}", "2"),
        ("{{ $x := 0 }}{{ range .Messages }}{{ $x = .Role }}{{ end }}{{ $x }}", "assistant"),
        ("a  {{- \" b \" -}}  c", "a b c"),
        ("a {{/* note {{ }} */}} b{{- /* x */ -}} c", "a  bc"),
        ("{{ `raw \"text\"` }} {{ \"\\u0041\\n\\x42\" }}", "raw \"text\" A\nB"),
        ("{{ len .ToolName }} {{ len \"é\" }} {{ len .ToolInput }} {{ len .Messages }}", "5 2 4 2"),
        ("{{ print 1 2 \"a\" 3 }} {{ println 1 \"a\" }}", "1 2a3 1 a\n"),
        (
            "{{ printf \"%s|%5d|%-5s|%05d|%.2f|%q|%v|%t|%x|%%\" .ToolName 42 \"ab\" -7 1.5 \"q\" true false 255 }}",
            "shell|   42|ab   |-0007|1.50|\"q\"|true|false|ff|%",
        ),
        (
            "{{ printf \"%d\" \"x\" }} {{ printf \"%s\" }} {{ printf \"a\" 1 }}",
            "%!d(string=x) %!s(MISSING) a%!(EXTRA int=1)",
        ),
        ("{{ .ToolName | printf \"%s-%s\" \"a\" }} {{ \"x\" | print | len }}", "a-shell 1"),
        ("{{ toJSON .ToolInput.deep }} {{ .ToolInput.cmd | toJSON }}", "{\"list\":[1,2.5,\"three\"]} \"ls -la\""),
        (
            "{{ truncate 2 .ToolName }} {{ truncate 9 .ToolName }} {{ truncate 2 \"hé\" }} {{ toJSON .ToolInput.deep | truncate 5 }}",
            "sh… shell h… {\"lis…",
        ),
        ("{{ 1_000 }} {{ -2.5 }} {{ 1e3 }} {{ true }}", "1000 -2.5 1000.0 true"),
        ("{{\n.ToolName\n}}", "shell"),
        ("{{ (print \"a\" \"b\") }} {{ len (print 1) }}", "ab 1"),
    ];
    for (text, expected) in cases {
        assert_eq!(render_text(text), expected, "{text}");
    }
}

#[test]
fn what_cannot_be_rendered_says_why() {
    let cases = [
        ("{{ .ToolInput.nope }}", "render: `.nope` does not exist; `index . \"nope\"` evaluates to nothing instead"),
        ("{{ .Tolname }}", "render: `.Tolname` does not exist; `index . \"Tolname\"` evaluates to nothing instead"),
        ("{{ .ToolName.x }}", "render: cannot read `.x`: a string has no fields"),
        ("{{ .Prompt.x }}", "render: cannot read `.x`: nothing has no fields"),
        ("{{ index .Messages 2 }}", "render: index: 2 is out of range for a list of 2"),
        ("{{ len 3 }}", "render: len: a number has no length"),
        ("{{ lt 1 \"a\" }}", "render: a number and a string cannot be compared"),
        ("{{ truncate .ToolName 3 }}", "render: truncate: the length is a string; write it as in `truncate 200 .X`"),
        ("{{ truncate 3 .ToolInput }}", "render: truncate: an object is not a string; apply `toJSON` first"),
        ("{{ range .ToolName }}{{ end }}", "render: range: cannot iterate over a string"),
        ("{{ range 2000000 }}{{ end }}", "render: range: more than 1000000 steps"),
        ("{{ range 999 }}{{ range 9999 }}{{ end }}{{ end }}", "render: the template takes more than 1000000 steps"),
        (
            "{{ range 2000 }}{{ print $ }}{{ printf \"%999s\" \"x\" }}{{ end }}",
            "render: the output is larger than 1048576 bytes; shorten its parts with `truncate`",
        ),
        ("a\n {{ .X", "parse: line 2, column 2: the action is not closed; add `}}`"),
        ("{{ }}", "parse: line 1, column 4: a value or a function is expected"),
        ("{{ if .X }}", "parse: line 1, column 1: the action has no `{{ end }}`"),
        ("{{ end }}", "parse: line 1, column 1: `end` without `if`, `range` or `with`"),
        ("{{ else }}", "parse: line 1, column 1: `else` without `if`, `range` or `with`"),
        ("{{ if .X }}{{ else }}{{ else }}{{ end }}", "parse: line 1, column 22: a second `else`"),
        ("{{ break }}", "parse: line 1, column 1: `break` outside of a `range`"),
        ("{{ tojson .X }}", "parse: line 1, column 4: unknown function `tojson`; did you mean `toJSON`?"),
        ("{{ len }}", "parse: line 1, column 4: `len` takes 1 argument(s), not 0"),
        ("{{ eq 1 }}", "parse: line 1, column 4: `eq` takes at least 2 argument(s), not 1"),
        ("{{ .X .Y }}", "parse: line 1, column 4: only a function takes arguments"),
        ("{{ 1 | .X }}", "parse: line 1, column 8: only a function can follow `|`"),
        ("{{ print len }}", "parse: line 1, column 10: `len` takes 1 argument(s), not 0; put it in parentheses"),
        ("{{ $x }}", "parse: line 1, column 4: unknown variable `$x`"),
        ("{{ $x = 1 }}", "parse: line 1, column 4: unknown variable `$x`; declare it with `:=`"),
        ("{{ if $x := 1 }}{{ end }}{{ $x }}", "parse: line 1, column 29: unknown variable `$x`"),
        ("{{ (print 1 }}", "parse: line 1, column 4: the parenthesis is not closed; add `)`"),
        ("{{ \"a }}", "parse: line 1, column 4: the string is not closed; add `\"`"),
        ("{{ 'a' }}", "parse: line 1, column 4: strings are written in double quotes"),
        ("{{ 12abc }}", "parse: line 1, column 4: `12abc` is not a number"),
        ("{{ template \"x\" }}", "parse: line 1, column 1: `template` is not supported; write the text in place"),
        ("{{/* x }}", "parse: line 1, column 1: the comment is not closed; add `*/}}`"),
        ("{{ .X ; }}", "parse: line 1, column 7: unexpected `;`"),
    ];
    for (text, expected) in cases {
        assert_eq!(render_text(text), expected, "{text}");
    }
    let deep = format!("{{{{ {}1{} }}}}", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(render_text(&deep), "parse: line 1, column 68: nested deeper than 64 levels");
}

#[test]
fn many_large_values_are_bounded_before_they_are_printed() {
    let large = json!({"text": "y".repeat(1 << 20)});
    let all = format!("{{{{ print {} }}}}", "$ ".repeat(10_000));
    for text in [all.as_str(), "{{ range 1000000 }}{{ if eq $.text \"y\" }}{{ end }}{{ end }}"] {
        assert!(Template::parse(text).unwrap().render(&large).is_err());
    }
}

proptest! {
    #[test]
    fn any_text_is_parsed_or_refused(text in "(\\{\\{-? ?|-?\\}\\}| |\\.|[A-Z]?[a-z]{0,3}|\\$x?|:=|=|\\||\\(|\\)|\"|`|\\\\|[0-9]e?|if |else |end|range |with |index |printf |/\\*|\\*/|,|é|\n){0,24}") {
        if let Ok(template) = Template::parse(&text) {
            let _ = template.render(&sample_input());
        }
    }

    #[test]
    fn any_pipeline_in_any_block_renders_or_says_why(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            ".", "$", ".ToolInput", ".Messages", ".nope", "1", "-2.5", "\"a\"", "nil", "true", "len", "index", "eq", "and",
            "print", "printf", "truncate", "toJSON", "|", "(", ")", "not", "lt", "$i", "\"%d %s %-5v\"",
        ]), 1..8),
        kind in proptest::sample::select(vec!["", "if ", "with ", "range ", "range $i := "]),
    ) {
        let end = if kind.is_empty() { "" } else { "x{{ . }}{{ else }}y{{ end }}" };
        let text = format!("{{{{ $i := 0 }}}}{{{{ {kind}{} }}}}{end}", parts.join(" "));
        if let Ok(template) = Template::parse(&text) {
            let _ = template.render(&sample_input());
        }
    }
}
