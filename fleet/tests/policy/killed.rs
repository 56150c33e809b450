//! A program that is killed leaves the bundle before or the one after.

use std::fs;
use std::process::Stdio;

use super::{PolicySite, find_in, printed};

#[test]
fn an_update_that_is_killed_before_the_switch_changes_nothing_and_is_made_up_for() {
    let Some(site) = PolicySite::new() else { return };
    site.publish(1, "1");
    printed(&site.add(&site.published_dir(), &["--stage", "enforce"]), 0);
    site.publish(2, "2");
    let killed = site.command(&["update"]).env("FAKE_KILL", "1").output().unwrap();
    assert_eq!(killed.status.code(), None);
    assert_eq!(site.enforced().unwrap(), "1");
    assert!(find_in(&site.home().join("bundles"), ".new-acme-2-").is_some());
    printed(&site.policy(&["status"]), 0);
    assert_eq!(printed(&site.policy(&["update"]), 0), "acme version 2 is now enforced\n");
    assert!(find_in(&site.home().join("bundles"), ".new-").is_none());
}

#[test]
fn at_any_moment_one_of_both_bundles_is_in_force() {
    let Some(site) = PolicySite::new() else { return };
    site.publish(1, "1");
    printed(&site.add(&site.published_dir(), &["--stage", "enforce"]), 0);
    let (mut version, mut looks, mut done) = (1, 0, 0);
    let mut kills = 0;
    while done < 3 {
        version += 1;
        site.publish(version, &version.to_string());
        let before: u64 = site.enforced().unwrap().parse().unwrap();
        let mut update = site.command(&["update"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut ended = false;
        for _ in 0..looks {
            ended = ended || update.try_wait().unwrap().is_some();
            let now: u64 = site.enforced().expect("one of both").parse().unwrap();
            assert!(now == before || now == version);
        }
        let _ = update.kill();
        let _ = update.wait();
        kills += usize::from(!ended);
        done += usize::from(ended);
        looks += 1 + looks / 4;
        let now: u64 = site.enforced().unwrap().parse().unwrap();
        assert!(now == before || now == version, "{now}");
        printed(&site.policy(&["status"]), 0);
        // Each second time, what is left behind is the next one's.
        if version.is_multiple_of(2) {
            printed(&site.policy(&["update"]), 0);
            assert_eq!(site.enforced().unwrap(), version.to_string());
        }
    }
    assert!(kills > 5);
    printed(&site.policy(&["rollback"]), 0);
    site.publish(version + 1, "last");
    printed(&site.policy(&["update"]), 0);
    let left = [site.home(), site.home().join("bundles")].map(|dir| fs::read_dir(dir).unwrap());
    let left = left.into_iter().flatten().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(left.filter(|name| name.contains(".new")).collect::<Vec<_>>(), Vec::<String>::new());
}
