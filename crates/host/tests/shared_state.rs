//! The state of scripts in a store that several processes use at the same time. Each process is a runtime here.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use pintle_host::contract::EffectError;
use pintle_host::{Decision, Event, EventName, EventScope, Hook, Layer, Runtime, Verdict, native};
use pintle_host::{LayerState, ScriptStateStore};
use serde_json::json;

type LayerStates = BTreeMap<Layer, LayerState>;

/// What all processes share.
#[derive(Debug, Default)]
struct FakeSharedState {
    is_locked: Mutex<bool>,
    unlocked: Condvar,
    stored: Mutex<(u64, String)>,
    is_broken: AtomicBool,
}

/// The store of one process.
#[derive(Debug)]
struct FakeStateStore {
    shared: Arc<FakeSharedState>,
    known_version: AtomicU64,
}

impl ScriptStateStore for FakeStateStore {
    fn acquire(&self) -> Result<Option<LayerStates>, EffectError> {
        if self.shared.is_broken.load(Ordering::Relaxed) {
            return Err(EffectError(String::from("the disk is gone")));
        }
        let locked = self.shared.is_locked.lock().unwrap();
        *self.shared.unlocked.wait_while(locked, |is_locked| *is_locked).unwrap() = true;
        let (version, text) = self.shared.stored.lock().unwrap().clone();
        let is_known = self.known_version.swap(version, Ordering::Relaxed) == version;
        Ok((!is_known && !text.is_empty()).then(|| serde_json::from_str(&text).unwrap()))
    }

    fn release(&self, changed: Option<LayerStates>) -> Result<(), EffectError> {
        if let Some(changed) = changed {
            let mut stored = self.shared.stored.lock().unwrap();
            *stored = (stored.0 + 1, serde_json::to_string(&changed).unwrap());
            self.known_version.store(stored.0, Ordering::Relaxed);
        }
        *self.shared.is_locked.lock().unwrap() = false;
        self.shared.unlocked.notify_one();
        Ok(())
    }
}

impl FakeSharedState {
    /// A process whose hook in a layer has this script.
    fn start_process(self: &Arc<Self>, scripts: &[(Layer, &str)], hooks: Vec<Hook>) -> Arc<Runtime> {
        let store = FakeStateStore { shared: Arc::clone(self), known_version: AtomicU64::new(0) };
        let mut builder = Runtime::builder().script_state(Arc::new(store));
        builder = builder.chain(native::chain("hooks", Layer::Project, hooks));
        let dir = tempfile::tempdir().unwrap();
        for (layer, script) in scripts {
            let lines = script.replace("; ", "\n      ");
            let text = format!("---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      {lines}\n---\n");
            let path = dir.path().join(format!("{layer}.md"));
            fs::write(&path, text).unwrap();
            builder = builder.path(path, *layer);
        }
        let built = builder.load();
        assert!(!built.has_errors(), "{:?}", built.diagnostics);
        built.runtime
    }
}

fn fire_call(runtime: &Runtime) -> Decision {
    let payload = json!({"id": "c", "name": "ls", "arguments": "{}", "args": {}});
    let event = Event::new(EventName::parse("tool.pre").unwrap(), payload, Arc::default());
    runtime.fire_in(&event, &EventScope::default()).decision
}

#[test]
fn state_comes_back_to_the_layer_that_it_belongs_to() {
    let shared = Arc::new(FakeSharedState::default());
    let scripts = [
        (Layer::User, "n = metrics.incr(\"calls\"); ctx.set(\"n\", n); return block(\"\") if n > 2 else allow()"),
        (Layer::Project, "metrics.incr(\"calls\", 40); cache.set(\"owner\", \"project\"); return allow()"),
    ];
    let decisions = [(); 3].map(|()| fire_call(&shared.start_process(&scripts, Vec::new())));
    assert_eq!(decisions, [Decision::Allow, Decision::Allow, Decision::Deny]);
    let stored: serde_json::Value = serde_json::from_str(&shared.stored.lock().unwrap().1).unwrap();
    // The call that the guard of the higher layer denied never reached the lower hook.
    let user = json!({"metrics": {"calls": 3}, "cache": {}, "scratch": {"n": 3}});
    let project = json!({"metrics": {"calls": 80}, "cache": {"owner": "project"}, "scratch": {}});
    assert_eq!(stored, json!({"user": user, "project": project}));
}

#[test]
fn what_a_hook_reads_and_writes_is_one_step_for_all_processes() {
    for script in [
        "n = metrics.incr(\"calls\"); return block(\"\") if n > 30 else allow()",
        "n = cache.get(\"calls\", 0); cache.set(\"calls\", n + 1); return block(\"\") if n >= 30 else allow()",
    ] {
        let shared = Arc::new(FakeSharedState::default());
        let allowed = AtomicU64::new(0);
        thread::scope(|threads| {
            for _ in 0..4 {
                let runtime = shared.start_process(&[(Layer::Project, script)], Vec::new());
                let allowed = &allowed;
                threads.spawn(move || {
                    thread::scope(|calls| {
                        for _ in 0..2 {
                            calls.spawn(|| {
                                let count = (0..10).filter(|_| fire_call(&runtime) == Decision::Allow).count();
                                allowed.fetch_add(count as u64, Ordering::Relaxed);
                            });
                        }
                    });
                });
            }
        });
        assert_eq!(allowed.into_inner(), 30, "{script}");
    }
}

/// A hook that tells the test that it runs, and waits for it.
fn meeting_hook(event: &str) -> (Hook, Receiver<()>, Sender<()>) {
    let ((here, is_here), (go, may_go)) = (channel(), channel());
    let may_go = Mutex::new(may_go);
    let hook = native::hook("meets", EventName::parse(event).unwrap(), move |_| {
        here.send(()).unwrap();
        may_go.lock().unwrap().recv_timeout(pintle_testkit::PATIENCE).unwrap();
        Verdict::pass()
    });
    (hook, is_here, go)
}

#[test]
fn others_use_the_state_while_a_hook_waits_and_it_sees_their_changes() {
    let shared = Arc::new(FakeSharedState::default());
    let (meets, is_here, go) = meeting_hook("custom.wait");
    let waits = "metrics.incr(\"a\"); events.emit(\"custom.wait\", {}); \
                 return allow() if metrics.get(\"b\") == 1 else block(\"it does not see the other\")";
    let waiting = shared.start_process(&[(Layer::Project, waits)], vec![meets]);
    let other = shared.start_process(&[(Layer::Project, "metrics.incr(\"b\"); return allow()")], Vec::new());
    let call = thread::spawn(move || fire_call(&waiting));
    is_here.recv_timeout(pintle_testkit::PATIENCE).unwrap();
    assert_eq!(fire_call(&other), Decision::Allow);
    go.send(()).unwrap();
    assert_eq!(call.join().unwrap(), Decision::Allow);
    assert!(shared.stored.lock().unwrap().1.contains("{\"a\":1,\"b\":1}"));
}

#[test]
fn a_state_that_cannot_be_used_fails_the_guard_closed() {
    let shared = Arc::new(FakeSharedState::default());
    let runtime = shared
        .start_process(&[(Layer::Project, "metrics.incr(\"n\"); return block(\"\") if 1 == 2 else allow()")], vec![]);
    assert_eq!(fire_call(&runtime), Decision::Allow);
    shared.is_broken.store(true, Ordering::Relaxed);
    assert_eq!(fire_call(&runtime), Decision::Deny);
    shared.is_broken.store(false, Ordering::Relaxed);
    assert_eq!(fire_call(&runtime), Decision::Allow);
}

#[test]
fn a_hook_that_panics_lets_others_use_the_state() {
    let shared = Arc::new(FakeSharedState::default());
    let panics = native::hook("panics", EventName::parse("tool.pre").unwrap(), |call| {
        call.effects.metric_incr(call.caller(), "n", 1).unwrap();
        std::panic::resume_unwind(Box::new("it breaks"));
    });
    let broken = shared.start_process(&[], vec![panics]);
    assert_eq!(fire_call(&broken), Decision::Deny);
    let other = shared
        .start_process(&[(Layer::Project, "return allow() if metrics.incr(\"n\") == 2 else block(\"\")")], vec![]);
    assert_eq!(fire_call(&other), Decision::Allow);
}
