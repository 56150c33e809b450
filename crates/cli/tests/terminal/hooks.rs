use crate::fixture::{CliFixture, snapshot};

#[test]
fn what_is_loaded() {
    let stage = CliFixture::with_guards();
    snapshot!("hooks_table", stage.pintle(&["hooks"]).run_to_screen());
    snapshot!("hooks_json", stage.pintle(&["hooks", ".harness/hooks/guard.md", "--json"]).run_to_screen());
    snapshot!("hooks_none", CliFixture::new_empty().pintle(&["hooks"]).run_to_screen());
}
