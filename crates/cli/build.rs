//! How the program is linked.

use std::env;

/// A program that is loaded at a fixed address has no pointers to mend when it starts. There are some 70,000, and mending
/// them copies a megabyte of pages: a third of what `pintle --version` takes, and a process is started at every event of a
/// host. Stack, heap and shared libraries are at random places as ever.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if is_release && target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bin=pintle=-no-pie");
    }
}
