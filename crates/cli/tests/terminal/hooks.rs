use crate::stage::{Stage, snapshot};

#[test]
fn what_is_loaded() {
    let stage = Stage::governed();
    snapshot!("hooks_table", stage.pintle(&["hooks"]).screen());
    snapshot!("hooks_json", stage.pintle(&["hooks", ".harness/hooks/guard.md", "--json"]).screen());
    snapshot!("hooks_none", Stage::empty().pintle(&["hooks"]).screen());
}
