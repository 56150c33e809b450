use crate::fixture::{CliFixture, snapshot};

#[test]
fn what_is_loaded() {
    let fixture = CliFixture::with_guards();
    snapshot!("hooks_table", fixture.pintle(&["hooks"]).run_to_screen());
    snapshot!("hooks_json", fixture.pintle(&["hooks", ".harness/hooks/guard.md", "--json"]).run_to_screen());
    snapshot!("hooks_none", CliFixture::new_empty().pintle(&["hooks"]).run_to_screen());
}
