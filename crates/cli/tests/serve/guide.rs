//! The examples of `docs/guide/serve.md`, and the clients of `docs/guide/build-an-agent.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::fixture::{HttpHost, ServeFixture};
use crate::schema::assert_fits;

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide").join(name)
}

/// The fenced blocks of the page about the server in a language.
fn blocks(language: &str) -> Vec<String> {
    blocks_of("serve.md", language)
}

fn blocks_of(name: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(page(name)).unwrap();
    let fence = format!("\n```{language}\n");
    text.split(&fence).skip(1).map(|rest| rest.split_once("\n```").unwrap().0.to_owned()).collect()
}

fn fixture() -> ServeFixture {
    let fixture = ServeFixture::new();
    fs::remove_dir_all(fixture.path("project/.harness/hooks")).unwrap();
    let [hook] = &*blocks("markdown") else { panic!("the page has one hook") };
    fixture.write(".harness/hooks/ask_deploy.md", hook);
    let [policy] = &*blocks("yaml") else { panic!("the page has one policy") };
    fixture.write(".harness/policy.yaml", policy);
    fixture
}

#[test]
fn the_session_of_the_page_is_what_the_program_answers() {
    let fixture = fixture();
    let mut host = fixture.start_stdio(&[]);
    let mut count = 0;
    for block in blocks("jsonl") {
        let lines: Vec<Value> = block.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for pair in lines.chunks(2) {
            let [request, answer] = pair else { panic!("each request has its answer: {block}") };
            assert_fits("Request", request);
            assert_fits("Answer", answer);
            host.send_text(format!("{request}\n").as_bytes());
            let mut is = host.next_answer();
            // The page does not know where it is tried.
            if let Some(cwd) = is.pointer_mut("/result/outcome/payload/cwd") {
                *cwd = Value::from("/home/ada/project");
            }
            assert_eq!(is, *answer, "{request}\n{is}");
            count += 1;
        }
    }
    assert!(count >= 8, "the page shows {count} requests: was the extraction broken?");
    assert_eq!(host.end(), Some(0));
}

/// What a client prints that is in a file of the project; `None` if its interpreter is not on this machine.
fn run_client(fixture: &ServeFixture, command: [&str; 2]) -> Option<String> {
    let bin = Path::new(env!("CARGO_BIN_EXE_pintle")).parent().unwrap();
    let mut client = Command::new("/usr/bin/env");
    client.args(command).current_dir(fixture.path("project")).env_clear();
    client.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display())).env("HOME", fixture.path("home"));
    client.env("PINTLE_CONFIG_DIR", fixture.path("config")).env("PINTLE_USER_SETUP", "1");
    let output = client.output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    if output.status.code() == Some(127) {
        return None;
    }
    assert_eq!((output.status.code(), err.as_str()), (Some(0), ""));
    Some(out.trim_end().to_owned())
}

#[test]
fn the_client_of_the_page_runs() {
    let fixture = fixture();
    let [client] = &*blocks("python") else { panic!("the page has one client") };
    fixture.write("client.py", client);
    let [expected] = &*blocks("text") else { panic!("the page shows what the client prints") };
    assert!(run_client(&fixture, ["python3", "client.py"]).is_none_or(|out| out == *expected));
}

#[test]
fn shortest_clients_print_what_their_page_shows() {
    for (language, program, file) in [("python", "python3", "client.py"), ("javascript", "node", "client.mjs")] {
        let fixture = fixture();
        let [client] = &*blocks_of("build-an-agent.md", language) else { panic!("the page has one client") };
        fixture.write(file, client);
        assert!(client.lines().filter(|line| !line.is_empty()).count() <= 15, "{language}");
        let [expected] = &*blocks_of("build-an-agent.md", "text") else { panic!("the page shows what they print") };
        let out = run_client(&fixture, [program, file]);
        assert!(out.as_ref().is_none_or(|out| out == expected), "{out:?}");
    }
}

/// Starts the program with the command line of a service, at a free port and in another home, and ends it.
fn assert_serves(command: &[String], home: &str) {
    let fixture = ServeFixture::new();
    let at_home = |word: &String| word.replace(home, fixture.path("home").to_str().unwrap());
    let [program, arguments @ ..] = command else { panic!("a command line: {command:?}") };
    assert!(program.ends_with("/pintle") && arguments.iter().any(|word| word == "127.0.0.1:8765"), "{command:?}");
    let arguments: Vec<String> =
        arguments.iter().map(|word| at_home(word).replace("127.0.0.1:8765", "127.0.0.1:0")).collect();
    let token_at = arguments.iter().position(|word| word == "--token-file").unwrap() + 1;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut host = HttpHost::start(fixture.command(&arguments).current_dir(fixture.path("home")));
    assert_eq!(host.token_file, Path::new(arguments[token_at]));
    assert_eq!(host.send("GET /v1/health", &[], "").0, 200);
    assert_eq!(host.terminate(), Some(0));
}

#[test]
fn the_unit_of_the_page_starts_the_server() {
    let [unit] = &*blocks("ini") else { panic!("the page has one unit") };
    let mut section = "";
    let mut entries: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for line in unit.lines().filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name;
        } else {
            let (key, value) = line.split_once('=').unwrap();
            assert!(entries.insert((section, key), value).is_none(), "{line} twice");
        }
    }
    let command = entries.remove(&("Service", "ExecStart")).unwrap();
    assert!(entries.remove(&("Unit", "Description")).is_some_and(|text| !text.is_empty()));
    // What is left has keys and values of systemd.
    let known = [
        (("Install", "WantedBy"), "default.target"),
        (("Service", "Restart"), "on-failure"),
        (("Service", "WorkingDirectory"), "%h"),
    ];
    assert_eq!(entries, BTreeMap::from(known));
    let command: Vec<String> = command.split(' ').map(str::to_owned).collect();
    assert!(!command.concat().replace("%h/", "").contains(['%', '$', '"', '\'', '\\', ';']), "{command:?}");
    assert_serves(&command, "%h");
}

/// Reads one value of a property list, and what follows it.
fn read_plist(text: &str) -> (Value, &str) {
    let (tag, mut rest) = text.trim_start().strip_prefix('<').unwrap().split_once('>').unwrap();
    let mut items = Vec::new();
    match tag {
        "true/" => return (Value::from(true), rest),
        "string" | "key" => {
            let (text, rest) = rest.split_once(&format!("</{tag}>")).unwrap();
            assert!(!text.contains(['<', '>', '&']), "{text}");
            return (Value::from(text), rest);
        }
        "dict" | "array" => {
            let end = format!("</{tag}>");
            while !rest.trim_start().starts_with(&end) {
                assert_eq!(rest.trim_start().starts_with("<key>"), tag == "dict" && items.len() % 2 == 0, "{rest}");
                let (item, after) = read_plist(rest);
                items.push(item);
                rest = after;
            }
            rest = rest.trim_start().strip_prefix(&end).unwrap();
        }
        _ => panic!("`{tag}` in a property list"),
    }
    if tag == "array" {
        return (Value::from(items), rest);
    }
    assert_eq!(items.len() % 2, 0, "each key has a value");
    let pairs = items.chunks(2).map(|pair| (pair[0].as_str().unwrap().to_owned(), pair[1].clone()));
    (pairs.collect(), rest)
}

#[test]
fn the_property_list_of_the_page_starts_the_server() {
    let [plist] = &*blocks("xml") else { panic!("the page has one property list") };
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
                \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n";
    let body = plist.strip_prefix(head).and_then(|rest| rest.strip_suffix("\n</plist>")).unwrap();
    let (mut service, rest) = read_plist(body);
    assert_eq!(rest, "");
    let command = service["ProgramArguments"].take();
    let known = json!({
        "Label": "dev.pintle.serve",
        "ProgramArguments": null,
        "WorkingDirectory": "/Users/ada",
        "RunAtLoad": true,
        "KeepAlive": true,
    });
    assert_eq!(service, known);
    let page = fs::read_to_string(page("serve.md")).unwrap();
    assert!(page.contains("/LaunchAgents/dev.pintle.serve.plist`"), "the file has the name of the label");
    let command: Vec<String> = serde_json::from_value(command).unwrap();
    assert_serves(&command, "/Users/ada");
}
