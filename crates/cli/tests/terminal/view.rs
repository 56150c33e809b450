use crate::fixture::{CliFixture, snapshot};

#[test]
fn help_and_mistakes_of_the_page() {
    let fixture = CliFixture::new_empty();
    snapshot!("view_help", fixture.pintle(&["view", "--help"]).run_to_screen());
    snapshot!("view_port", fixture.pintle(&["view", "--port", "web"]).run_to_screen());
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (out, err, status) = fixture.pintle(&["view", "--port", &port]).run_to_parts();
    assert_eq!((status, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("cannot show the page: ") && err.contains("without `--port` a free one is used"), "{err}");
}

/// A browser that asks for the token twice, as another program would that has read its command line.
#[cfg(target_os = "linux")]
const OPENER: &str = r#"#!/bin/bash
echo "$1" > link
port=${1#http://127.0.0.1:}; port=${port%%/*}
for answer in first second; do
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET /api/token HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n' \
        "$port" "${1#*#once=}" >&3
    cat <&3 > "$answer"
done
"#;

#[test]
#[cfg(target_os = "linux")]
fn the_link_that_opens_the_browser_works_once() {
    use std::fs;

    let fixture = CliFixture::new_empty().with_file("xdg-open", OPENER);
    pintle_testkit::make_executable(fixture.path("xdg-open"));
    let path = format!("{}:/usr/bin:/bin", fixture.path("").display());
    let screen = fixture.pintle(&["view"]).with_variable("PATH", &path).run_on_screen(200, 50);
    let token: String = screen.split("#token=").nth(1).unwrap().chars().take_while(char::is_ascii_hexdigit).collect();
    assert_eq!(token.len(), 64, "{screen}");
    // The page may have ended before the second answer.
    let read = |name: &str| fs::read_to_string(fixture.path(name)).unwrap_or_default();
    assert!(read("link").contains("/#once=") && !read("link").contains(&token));
    assert!(
        read("first").starts_with("HTTP/1.1 200 ") && read("first").ends_with(&format!("{{\"token\":\"{token}\"}}"))
    );
    assert!(!read("second").starts_with("HTTP/1.1 200 ") && !read("second").contains(&token));
    assert!(
        screen.contains("error: the link that opened the browser was used twice, so the page was ended"),
        "{screen}"
    );
}
