use crate::fixture::{CliFixture, snapshot};

#[test]
fn help_and_mistakes_of_serving() {
    let fixture = CliFixture::with_guards();
    let help = fixture.pintle(&["serve", "--help"]).run_to_screen();
    // The rest is about options that other commands have, too.
    snapshot!("serve_help", help.split("\n      --tapes").next().unwrap());
    snapshot!("serve_nothing", fixture.pintle(&["serve"]).run_to_screen());
    snapshot!("serve_twice", fixture.pintle(&["serve", "--stdio", "--http"]).run_to_screen());
    for option in ["--stdio", "--http", "--tapes=x", "--hooks=.", "--config-dir=.", "--agent=x", "--redact-secrets"] {
        let (_, err, status) = fixture.pintle(&["serve", "--resident", option]).run_to_parts();
        assert!(status == Some(3) && err.contains("cannot be used with"), "{option}: {err}");
    }
    snapshot!("serve_not_loopback", fixture.pintle(&["serve", "--http", "0.0.0.0:80"]).run_to_screen());
    snapshot!("serve_no_path", fixture.pintle(&["serve", "--stdio", "--hooks", "nowhere"]).run_to_screen());
    let hello =
        fixture.pintle(&["serve", "--stdio", "--hooks", "."]).with_input("{\"op\":\"hello\"}\n").run_to_screen();
    snapshot!("serve_hello", hello);
}
