use crate::fixture::CliFixture;

#[test]
fn colours_follow_the_option_and_the_environment() {
    let fixture = CliFixture::with_guards();
    let payload = r#"{"name": "run_command", "args": {"command": "mkfs"}}"#;
    let coloured = |option: &'static str, environment: &[(&'static str, &'static str)]| {
        let run = fixture.pintle(&["fire", "tool.pre", ".", "--color", option]).with_input(payload);
        let run = environment.iter().fold(run, |run, (name, value)| run.with_variable(name, value));
        let (out, _, status) = run.run_to_parts();
        assert_eq!(status, Some(2));
        out.contains('\u{1b}')
    };
    let force = ("CLICOLOR_FORCE", "1");
    let never = ("NO_COLOR", "1");
    assert!(!coloured("auto", &[]), "not on a pipe");
    assert!(coloured("auto", &[force]));
    assert!(!coloured("auto", &[force, never]));
    assert!(!coloured("never", &[force]));
    assert!(coloured("always", &[]));
    assert!(coloured("always", &[never]), "the option is nearer than the environment");
}
