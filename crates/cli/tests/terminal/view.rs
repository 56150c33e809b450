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
