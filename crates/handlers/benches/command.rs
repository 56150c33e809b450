//! Measures a command hook against a bare spawn of the same shell, in wall time: both wait for a process.
//!
//! Both sides alternate, so that a change of the machine's speed affects both; a result is the medians of both and of
//! their differences or ratios.
#![expect(clippy::expect_used, reason = "a bench ends when it cannot be set up")]

use std::io::{Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use pintle_contract::{
    CancelToken, Codec, CommandSpec, Decision, DenyEffect, EnforcementMode, Event, EventCause, EventName,
    FailurePolicy, HandlerFactory, HandlerOutput, HandlerSpec, Hook, HookDeclaration, Layer, Location, NoApprover,
    NoEffects, NullJournal, Origin, Profile, Verdict,
};
use pintle_engine::{DispatchContext, HookSet, dispatch};
use pintle_handlers::{DefaultHandlerFactory, WorkerProgram};
use pintle_testkit::{RunningClock, chain, hook};
use serde_json::{Value, json};

/// The number of measurements of each side.
const ROUNDS: usize = 1_500;
/// The overhead limit of a command hook over a bare spawn, in microseconds.
const OVER_US: f64 = 50.0;
/// The limit for seven concurrent command hooks, as a multiple of seven concurrent bare spawns.
const TIMES: f64 = 1.2;
/// The time limit of a program that hangs, in milliseconds.
const TIMEOUT_MS: u64 = 200;
/// The limit for ending such a call with all its child processes after its timeout, in microseconds.
const LATE_US: f64 = 200_000.0;

#[derive(Debug)]
struct SilentCodec;

impl Codec for SilentCodec {
    fn dialect(&self) -> &'static str {
        "silent"
    }

    fn encode(&self, _event: &Event, _event_alias: &str) -> Option<Value> {
        None
    }

    fn decode(&self, _event: &Event, _event_alias: &str, answer: HandlerOutput) -> Verdict {
        match answer {
            HandlerOutput::Process(answer) if answer.exit_code == Some(0) => Verdict::pass(),
            other => Verdict::deny(format!("{other:?}")),
        }
    }
}

/// A command that ends immediately.
const QUICK: &str = "true";
/// A command that answers each line with a line.
const LOOP: &str = "while read -r line; do echo; done";
/// A command that does not end by itself, and neither do its child processes.
const HANGS: &str = "sleep 1000 & (setsid sleep 1000 <&- >/dev/null 2>&1 &); sleep 1000";

fn command_hook(builder: &DefaultHandlerFactory, index: usize, text: &str, keep: bool) -> Hook {
    let event = EventName::parse("tool.pre").expect("the event is in the catalogue");
    let declaration = HookDeclaration {
        name: format!("hook{index}"),
        event: event.clone(),
        event_alias: Arc::from("tool.pre"),
        priority: 0,
        matcher: None,
        handler: HandlerSpec::Command(CommandSpec { command: text.to_owned(), keep, ..CommandSpec::default() }),
        on_error: None,
        default_on_error: FailurePolicy::Closed,
        on_deny: DenyEffect::default(),
        profile: Profile::ParallelStrictest,
        definition: None,
        mode: EnforcementMode::Enforce,
        timeout_ms: None,
        background: false,
        files: Vec::new(),
        tools: Vec::new(),
        source_trust: pintle_contract::SourceTrust::default(),
        examples: Vec::new(),
        location: Location::default(),
        codec: Arc::new(SilentCodec),
    };
    let built = builder.build_handler(&declaration);
    hook(&declaration.name, event, built.handler.expect("the hook builds"))
}

fn hook_set(hooks: impl IntoIterator<Item = Hook>) -> HookSet {
    HookSet::new(vec![chain(Layer::Project, Profile::ParallelStrictest, hooks)])
}

/// The code without a hook runtime: spawn, write, read to the end, wait.
fn run_shell_directly(input: &[u8]) {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "true"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = shell.spawn().expect("the shell starts");
    // A shell that has already ended does not read.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(input));
    let mut output = Vec::new();
    let _ = child.stdout.take().map(|mut pipe| pipe.read_to_end(&mut output));
    let _ = child.stderr.take().map(|mut pipe| pipe.read_to_end(&mut output));
    assert!(child.wait().expect("the shell ends").success());
}

fn run_seven_shells_directly(input: &[u8]) {
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| run_shell_directly(input));
        }
        run_shell_directly(input);
    });
}

fn measure_us(mut act: impl FnMut()) -> f64 {
    let began = Instant::now();
    act();
    began.elapsed().as_secs_f64() * 1e6
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Medians in microseconds: of the measured side, of the baseline, of the differences, of the ratios.
fn compare_with_floor(rounds: usize, mut thing: impl FnMut(), mut floor: impl FnMut()) -> [f64; 4] {
    let mut pairs = Vec::with_capacity(rounds);
    for round in 0..rounds {
        // The order alternates, so that neither side always gets warm caches.
        pairs.push(if round % 2 == 0 {
            let thing = measure_us(&mut thing);
            (thing, measure_us(&mut floor))
        } else {
            let floor = measure_us(&mut floor);
            (measure_us(&mut thing), floor)
        });
    }
    let of = |part: fn(f64, f64) -> f64| median(pairs.iter().map(|(thing, floor)| part(*thing, *floor)).collect());
    [of(|thing, _| thing), of(|_, floor| floor), of(|thing, floor| thing - floor), of(|thing, floor| thing / floor)]
}

#[expect(clippy::print_stdout, reason = "a bench is read in a terminal")]
fn print_row(label: &str, [thing, floor, over, times]: [f64; 4], bar: Option<(bool, String)>) -> bool {
    let (held, bar) = bar.unwrap_or((true, String::new()));
    let verdict = match (bar.is_empty(), held) {
        (true, _) => "-",
        (_, true) => "held:",
        (_, false) => "MISSED:",
    };
    println!("{label:<44} {thing:>9.1} us {floor:>9.1} us {over:>+8.1} us {times:>6.3}x  {verdict} {bar}");
    held
}

fn main() -> ExitCode {
    let worker = env!("CARGO_BIN_EXE_pintle-script-worker").into();
    let builder = DefaultHandlerFactory::new(WorkerProgram { program: worker, arguments: Vec::new() });
    let event = EventName::parse("tool.pre").expect("the event is in the catalogue");
    let payload = json!({"id": "call_1", "name": "shell", "args": {"command": "ls -la /var/log"}});
    let input = payload.to_string().into_bytes();
    let event = Event::new(event, payload, Arc::new(Origin::default()));
    let clock = RunningClock::start();
    let cancel = CancelToken::default();
    let context = DispatchContext {
        journal: &NullJournal,
        clock: &clock,
        effects: &NoEffects,
        approver: &NoApprover,
        cancel: &cancel,
        shadow: false,
        cause: EventCause::default(),
        memory: None,
    };
    let ask = |hooks: &HookSet| {
        let outcome = dispatch(hooks, &event, &context);
        assert_eq!(outcome.decision, Decision::Allow, "{outcome:?}");
    };
    let one = hook_set([command_hook(&builder, 0, QUICK, false)]);
    let seven = hook_set((0..7).map(|index| command_hook(&builder, index, QUICK, false)));
    let kept = hook_set([command_hook(&builder, 0, LOOP, true)]);
    for _ in 0..20 {
        ask(&seven);
        ask(&kept);
        run_shell_directly(&input);
    }
    let mut held = true;
    let single = compare_with_floor(ROUNDS, || ask(&one), || run_shell_directly(&input));
    held &= print_row("one command hook", single, Some((single[2] <= OVER_US, format!("at most {OVER_US} us more"))));
    let many = compare_with_floor(ROUNDS / 3, || ask(&seven), || run_seven_shells_directly(&input));
    held &= print_row("seven command hooks at once", many, Some((many[3] <= TIMES, format!("at most {TIMES} times"))));
    print_row("one kept command hook", compare_with_floor(ROUNDS, || ask(&kept), || run_shell_directly(&input)), None);
    let mut hanging = command_hook(&builder, 0, HANGS, false);
    hanging.limits.timeout_ms = TIMEOUT_MS;
    let hanging = hook_set([hanging]);
    let limit = TIMEOUT_MS as f64 * 1e3;
    let denied = || assert_eq!(dispatch(&hanging, &event, &context).decision, Decision::Deny);
    let late = (0..20).map(|_| measure_us(denied)).fold(0.0, f64::max);
    let bar = (late - limit <= LATE_US, format!("at most {LATE_US} us late"));
    held &=
        print_row("one that hangs, beside its limit, the worst", [late, limit, late - limit, late / limit], Some(bar));
    if held { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
