//! Declarations: one JSON object with the settings, the surface and the interceptors of a host.
//!
//! What a host cannot honour as it is written is refused as a whole, with the class of the first step that fails:
//! nothing is ignored, and defaults are only for what is absent.

use pintle_contract::Profile;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::composition::{CompositionRule, PROFILES, ProfileSetting};
use super::emitter::{EmitterSettings, InterceptorBinding};
use super::identity::{JCS_SHA256, canonical_json};
use super::point::InterceptionPoint;

/// The version of declarations that is read.
pub const DECLARATION_VERSION: &str = "agent-hooks-declaration/1.0";

/// The deepest nesting of a declaration.
const MAX_DEPTH: usize = 32;

/// How long an interceptor may take if the declaration does not say.
const DEFAULT_TIMEOUT_MS: u64 = 5_000;

/// The points that every host has, and the pairs that it has or has not.
const FLOOR: [&str; 4] = ["agent_startup", "input", "output", "agent_shutdown"];
const PAIRS: [(&str, [&str; 2]); 2] =
    [("model_calls", ["pre_model_call", "post_model_call"]), ("tool_calls", ["pre_tool_call", "post_tool_call"])];

const CAPABILITIES: &[&str] = &[
    "model_calls",
    "tool_calls",
    "parallel_tool_calls",
    "streaming",
    "multi_turn",
    "int64_json",
    "bigint_json",
    "incremental_output",
    "host_declaration",
];

/// What a host's code can do, and the names that it registers.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct HostRegistration {
    /// What it can do.
    pub surface: HostAbilities,
    /// Its providers of identities.
    pub identity_providers: Vec<String>,
    /// Its approvers.
    pub approval_resolvers: Vec<String>,
    /// What redacts contexts for its approvers.
    pub approval_redactors: Vec<String>,
    /// The kinds of its interceptors.
    pub kinds: Vec<String>,
}

/// What a host's code can do.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct HostAbilities {
    /// The points at which it asks.
    pub interception_points: Vec<String>,
    /// Its capabilities.
    pub capabilities: Vec<String>,
    /// Its profiles, with the values of their settings.
    pub profiles: Map<String, Value>,
    /// What it does after a failure at a tool call.
    pub tool_seam_host_error: String,
    /// Whether it can show an answer before it is permitted.
    pub streams_unbuffered: bool,
    /// The versions of declarations that it reads.
    pub declaration_versions: Vec<String>,
}

/// A declaration that a host can honour, with its defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct HostDeclaration {
    /// The settings.
    pub settings: EmitterSettings,
    /// The interceptors, in their order.
    pub bindings: Vec<DeclaredInterceptor>,
    /// The approver.
    pub resolver: Option<String>,
    /// What redacts contexts for the approver.
    pub redactor: Option<String>,
    /// How many records are kept; `None` is all.
    pub max_records: Option<usize>,
}

/// An interceptor as declared: its kind, which the host's code knows, and what only that code reads.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredInterceptor {
    /// Its name in records.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// The configuration of the kind.
    pub config: Value,
}

/// Why a declaration is refused, in the order of the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalClass {
    /// It is not an object, or too deep.
    Malformed,
    /// Its version is not read.
    VersionUnsupported,
    /// It is for another version of the format.
    SpecUnsupported,
    /// It has an unknown member.
    UnknownField,
    /// A value is not valid.
    InvalidField,
    /// Two values contradict each other.
    Inconsistent,
    /// The host cannot do it.
    SurfaceUnsupported,
    /// The host has no such provider, approver or redactor.
    ReferenceUnresolved,
    /// The host has no such kind of interceptor.
    KindUnknown,
    /// The code of the kind refused its configuration.
    BindingRejected,
}

/// A refused declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclarationRefusal {
    /// The class of the step that failed.
    pub class: RefusalClass,
    /// Where, as JSON pointers, and what; without values, which may be secrets.
    pub findings: Vec<(String, String)>,
}

/// The values that a member may have.
enum MemberShape {
    /// Any value.
    Any,
    Flag,
    /// A text for which a function returns true.
    Text(fn(&str) -> bool),
    /// The same, or null.
    Name(fn(&str) -> bool),
    Choice(&'static [&'static str]),
    /// A whole number from 1, or null.
    Count(u64),
    /// A list without repeated items, and the fewest it has.
    Set(&'static Self, usize),
    Table(&'static [DeclaredMember]),
    /// At most 256 tables.
    Tables(&'static [DeclaredMember]),
    /// A table with names of the author's.
    Named,
}

use MemberShape::{Any, Choice, Count, Flag, Name, Named, Set, Table, Tables, Text};

/// A member of an object: its name, its values, and whether it is required.
struct DeclaredMember(&'static str, MemberShape, bool);

const POINT: MemberShape = Text(|text| InterceptionPoint::by_name(text).is_some());
const ON_APPROVAL: MemberShape = Choice(&["stop", "resume"]);
const DENY_OR_ASK: MemberShape = Choice(&["deny", "approval"]);
const TIMEOUT: MemberShape = Count(3_600_000);

const ROOT: &[DeclaredMember] = &[
    DeclaredMember("$schema", Text(|_| true), false),
    DeclaredMember("declaration", Any, true),
    DeclaredMember("spec", Any, false),
    DeclaredMember("id", Text(is_label), false),
    DeclaredMember(
        "host",
        Table(&[
            DeclaredMember("name", Text(|text| is_of(text, 64, is_word)), true),
            DeclaredMember("version", Text(|text| (1..=64).contains(&text.chars().count())), false),
        ]),
        false,
    ),
    DeclaredMember(
        "configuration",
        Table(&[
            DeclaredMember("mode", Choice(&["enforce", "evaluate_only"]), false),
            DeclaredMember(
                "composition",
                Table(&[
                    DeclaredMember("profile", Text(|text| find_profile(text).is_some()), false),
                    DeclaredMember("on_approval", ON_APPROVAL, false),
                    DeclaredMember("on_disagreement", DENY_OR_ASK, false),
                    DeclaredMember("on_transform_conflict", DENY_OR_ASK, false),
                ]),
                false,
            ),
            DeclaredMember(
                "identity_provider",
                Name(|text| text == JCS_SHA256 || is_reference(text) && !text.starts_with("jcs")),
                false,
            ),
            DeclaredMember(
                "approval",
                Table(&[
                    DeclaredMember("resolver", Name(is_reference), false),
                    DeclaredMember("redactor", Name(is_reference), false),
                ]),
                false,
            ),
            DeclaredMember(
                "posture",
                Table(&[DeclaredMember("tool_seam_host_error", Choice(&["continue", "terminate"]), false)]),
                false,
            ),
            DeclaredMember(
                "timeouts",
                Table(&[
                    DeclaredMember("interceptor_ms", TIMEOUT, false),
                    DeclaredMember("approval_resolver_ms", TIMEOUT, false),
                ]),
                false,
            ),
            DeclaredMember(
                "records",
                Table(&[DeclaredMember("max_buffered", Count(9_007_199_254_740_991), false)]),
                false,
            ),
        ]),
        false,
    ),
    DeclaredMember(
        "surface",
        Table(&[
            DeclaredMember("interception_points", Set(&POINT, 4), false),
            DeclaredMember("capabilities", Set(&Choice(CAPABILITIES), 0), false),
            DeclaredMember(
                "profiles",
                Table(&[
                    DeclaredMember(
                        "sequential/first_deny",
                        Table(&[DeclaredMember("on_approval", Set(&ON_APPROVAL, 1), false)]),
                        false,
                    ),
                    DeclaredMember("sequential/run_all", Table(&[]), false),
                    DeclaredMember(
                        "parallel/strictest",
                        Table(&[DeclaredMember("on_transform_conflict", Set(&DENY_OR_ASK, 1), false)]),
                        false,
                    ),
                    DeclaredMember(
                        "parallel/unanimous",
                        Table(&[DeclaredMember("on_disagreement", Set(&DENY_OR_ASK, 1), false)]),
                        false,
                    ),
                ]),
                false,
            ),
            DeclaredMember("buffered_output", Flag, false),
            DeclaredMember("exposure_bound", Text(|text| (1..=512).contains(&text.chars().count())), false),
            DeclaredMember("declaration_versions", Set(&Text(is_version), 1), false),
        ]),
        false,
    ),
    DeclaredMember(
        "bindings",
        Tables(&[
            DeclaredMember("id", Text(is_reference), true),
            DeclaredMember("kind", Text(is_kind), true),
            DeclaredMember("config", Any, false),
            DeclaredMember("at", Set(&POINT, 1), false),
            DeclaredMember("timeout_ms", TIMEOUT, false),
        ]),
        true,
    ),
    DeclaredMember("extensions", Named, false),
];

fn is_word(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-'
}

fn is_of(text: &str, most: usize, is_known: fn(u8) -> bool) -> bool {
    !text.is_empty() && text.len() <= most && text.bytes().all(is_known)
}

fn is_label(text: &str) -> bool {
    is_of(text, 64, |byte| is_word(byte) || byte == b'.')
        && text.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
}

fn is_reference(text: &str) -> bool {
    is_of(text, 64, is_word) && text.starts_with(|first: char| first.is_ascii_lowercase())
}

fn is_kind(text: &str) -> bool {
    let is_part = |part: &str| is_of(part, 128, is_word) && part.starts_with(|first: char| first.is_ascii_lowercase());
    text.len() <= 128 && text.contains('.') && text.split('.').all(is_part)
}

fn is_version(text: &str) -> bool {
    text.strip_prefix("agent-hooks-declaration/").and_then(parse_numbers).is_some()
}

fn parse_spec(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("agent-hooks/").and_then(parse_numbers)
}

fn parse_numbers(text: &str) -> Option<(&str, &str)> {
    let (major, minor) = text.split_once('.')?;
    let is_number = |part: &str| is_of(part, usize::MAX, |byte| byte.is_ascii_digit());
    (is_number(major) && is_number(minor)).then_some((major, minor))
}

fn find_profile(name: &str) -> Option<(Profile, Option<ProfileSetting>)> {
    PROFILES.into_iter().find(|(profile, _)| profile.to_string() == name)
}

/// What is wrong with the members of a declaration.
#[derive(Default)]
struct MemberFaults {
    unknown: Vec<(String, String)>,
    invalid: Vec<(String, String)>,
}

impl MemberFaults {
    fn check(&mut self, shape: &MemberShape, value: &Value, pointer: &str) {
        let text = value.as_str();
        let is_valid = match (shape, value) {
            (Any, _) | (Flag, Value::Bool(_)) | (Name(_) | Count(_), Value::Null) => true,
            (Text(is_known) | Name(is_known), _) => text.is_some_and(is_known),
            (Choice(choices), _) => text.is_some_and(|text| choices.contains(&text)),
            (Count(most), _) => value.as_u64().is_some_and(|count| (1..=*most).contains(&count)),
            (Set(shape, fewest), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.check(shape, item, &format!("{pointer}/{index}"));
                }
                let is_repeated = |(index, item): (usize, &Value)| items.iter().take(index).any(|other| other == item);
                items.len() >= *fewest && !items.iter().enumerate().any(is_repeated)
            }
            (Tables(members), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.check_table(members, item, &format!("{pointer}/{index}"));
                }
                items.len() <= 256
            }
            (Table(members), _) => {
                self.check_table(members, value, pointer);
                true
            }
            (Named, Value::Object(fields)) => fields.keys().all(|name| {
                let is_known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
                is_of(name, usize::MAX, is_known) && name.starts_with(|first: char| first.is_ascii_lowercase())
            }),
            _ => false,
        };
        if !is_valid {
            self.invalid.push((pointer.to_owned(), String::from("the value is not valid")));
        }
    }

    fn check_table(&mut self, members: &[DeclaredMember], value: &Value, pointer: &str) {
        let Value::Object(fields) = value else {
            self.invalid.push((pointer.to_owned(), String::from("it must be an object")));
            return;
        };
        for (name, value) in fields {
            let at = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
            match members.iter().find(|DeclaredMember(known, ..)| known == name) {
                Some(DeclaredMember(_, shape, _)) => self.check(shape, value, &at),
                None => self.unknown.push((at, String::from("there is no such member"))),
            }
        }
        let missing =
            members.iter().filter(|DeclaredMember(name, _, is_required)| *is_required && !fields.contains_key(*name));
        self.invalid.extend(
            missing.map(|DeclaredMember(name, ..)| (format!("{pointer}/{name}"), String::from("it is missing"))),
        );
    }
}

type FoundFaults = Vec<(String, String)>;

fn refuse_found(class: RefusalClass, findings: FoundFaults) -> Result<(), DeclarationRefusal> {
    if findings.is_empty() { Ok(()) } else { Err(DeclarationRefusal { class, findings }) }
}

fn nesting(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(nesting).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(nesting).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Resolves a declaration for a host.
///
/// # Errors
/// With the refusal, if the host cannot honour it as it is written.
pub fn resolve_declaration(document: &Value, host: &HostRegistration) -> Result<HostDeclaration, DeclarationRefusal> {
    use RefusalClass::{
        Inconsistent, InvalidField, KindUnknown, Malformed, ReferenceUnresolved, SpecUnsupported, SurfaceUnsupported,
        UnknownField, VersionUnsupported,
    };
    let refuse =
        |class, at: &str, why: &str| DeclarationRefusal { class, findings: vec![(at.to_owned(), why.to_owned())] };
    if !document.is_object() || nesting(document) > MAX_DEPTH {
        return Err(refuse(Malformed, "", &format!("it must be an object, and at most {MAX_DEPTH} levels deep")));
    }
    if document.get("declaration").and_then(Value::as_str) != Some(DECLARATION_VERSION) {
        return Err(refuse(VersionUnsupported, "/declaration", &format!("it must be `{DECLARATION_VERSION}`")));
    }
    let is_read = |spec: &Value| matches!(spec.as_str().and_then(parse_spec), Some(("0", "0" | "1")));
    if document.get("spec").is_some_and(|spec| !is_read(spec)) {
        return Err(refuse(SpecUnsupported, "/spec", "it is for another version of the format"));
    }
    let mut faults = MemberFaults::default();
    faults.check_table(ROOT, document, "");
    refuse_found(UnknownField, faults.unknown)?;
    // Such a number could not be written in the canonical form.
    if let Err(fault) = canonical_json(document) {
        faults.invalid.push((String::new(), fault.detail));
    }
    refuse_found(InvalidField, faults.invalid)?;

    let (null, declared) = (Value::Null, ReadDeclaration::new(document, host));
    refuse_found(Inconsistent, declared.contradictions())?;
    refuse_found(SurfaceUnsupported, declared.beyond(host))?;
    let text = |at: &str| document.pointer(at).unwrap_or(&null).as_str().map(str::to_owned);
    let resolver = text("/configuration/approval/resolver");
    let redactor = text("/configuration/approval/redactor");
    let provider = document.pointer("/configuration/identity_provider");
    let provider = provider.map_or(Some(JCS_SHA256), Value::as_str).map(str::to_owned);
    let references = [
        ("/configuration/identity_provider", &provider, &host.identity_providers),
        ("/configuration/approval/resolver", &resolver, &host.approval_resolvers),
        ("/configuration/approval/redactor", &redactor, &host.approval_redactors),
    ];
    let unknown = references
        .into_iter()
        .filter(|(_, name, known)| name.as_ref().is_some_and(|name| name != JCS_SHA256 && !known.contains(name)));
    let unknown = unknown.map(|(at, ..)| (at.to_owned(), String::from("the host has registered no such name")));
    refuse_found(ReferenceUnresolved, unknown.collect())?;
    let bindings: Vec<DeclaredInterceptor> = declared.bindings.iter().map(read_interceptor).collect();
    let kinds = bindings.iter().enumerate().filter(|(_, binding)| !host.kinds.contains(&binding.kind));
    let kinds = kinds.map(|(index, _)| (format!("/bindings/{index}/kind"), String::from("the host has no such kind")));
    refuse_found(KindUnknown, kinds.collect())?;

    let timeout = |at: &str, usual: Option<u64>| document.pointer(at).map_or(usual, Value::as_u64);
    let interceptor_ms = timeout("/configuration/timeouts/interceptor_ms", Some(DEFAULT_TIMEOUT_MS));
    let settings = EmitterSettings {
        evaluates_only: text("/configuration/mode").as_deref() == Some("evaluate_only"),
        rule: declared.rule,
        identity_provider: provider,
        has_resolver: resolver.is_some(),
        has_redactor: redactor.is_some(),
        resolver_timeout_ms: timeout("/configuration/timeouts/approval_resolver_ms", interceptor_ms),
        bindings: declared
            .bindings
            .iter()
            .map(|binding| InterceptorBinding {
                name: binding.get("id").and_then(Value::as_str).map(str::to_owned),
                points: Some(declared.points_of(binding)),
                timeout_ms: binding.get("timeout_ms").map_or(interceptor_ms, Value::as_u64),
            })
            .collect(),
        declaration: Some(DECLARATION_VERSION.to_owned()),
    };
    let max_records = document.pointer("/configuration/records/max_buffered").and_then(Value::as_u64);
    let max_records = max_records.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
    Ok(HostDeclaration { settings, bindings, resolver, redactor, max_records })
}

fn read_interceptor(binding: &Value) -> DeclaredInterceptor {
    let text = |name: &str| binding.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    DeclaredInterceptor {
        id: text("id"),
        kind: text("kind"),
        config: binding.get("config").cloned().unwrap_or_else(|| json!({})),
    }
}

/// A declaration whose members are valid one by one.
struct ReadDeclaration<'d> {
    document: &'d Value,
    bindings: &'d [Value],
    rule: CompositionRule,
    /// The points of the surface: those of the host, if the declaration says nothing else.
    points: Vec<&'d str>,
    capabilities: Vec<&'d str>,
}

fn texts(list: Option<&Value>) -> Option<Vec<&str>> {
    Some(list?.as_array()?.iter().filter_map(Value::as_str).collect())
}

fn borrowed(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

impl<'d> ReadDeclaration<'d> {
    fn new(document: &'d Value, host: &'d HostRegistration) -> Self {
        let surface = |name: &str| texts(document.pointer("/surface").and_then(|surface| surface.get(name)));
        let written = document.pointer("/configuration/composition");
        Self {
            document,
            bindings: document.get("bindings").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default(),
            rule: written.and_then(|written| CompositionRule::parse(written).ok()).unwrap_or_default(),
            points: surface("interception_points").unwrap_or_else(|| borrowed(&host.surface.interception_points)),
            capabilities: surface("capabilities").unwrap_or_else(|| borrowed(&host.surface.capabilities)),
        }
    }

    fn points_of(&self, binding: &Value) -> Vec<InterceptionPoint> {
        let named = texts(binding.get("at")).unwrap_or_else(|| self.points.clone());
        named.into_iter().filter_map(InterceptionPoint::by_name).collect()
    }

    /// Where its values contradict each other.
    fn contradictions(&self) -> FoundFaults {
        let mut found = FoundFaults::new();
        let mut add = |at: &str, why: &str| found.push((at.to_owned(), why.to_owned()));
        let consulted = find_profile(&self.rule.profile.to_string()).and_then(|(_, setting)| setting);
        for setting in ["on_approval", "on_disagreement", "on_transform_conflict"] {
            let at = format!("/configuration/composition/{setting}");
            if self.document.pointer(&at).is_some() && consulted.is_none_or(|(name, _)| name != setting) {
                add(&at, "the profile does not consult it");
            }
        }
        if let Some(missing) = FLOOR.iter().find(|point| !self.points.contains(point)) {
            add("/surface/interception_points", &format!("every host has `{missing}`"));
        }
        for (capability, pair) in PAIRS {
            let count = pair.iter().filter(|point| self.points.contains(point)).count();
            if count == 1 || (count == 2) != self.capabilities.contains(&capability) {
                add("/surface/interception_points", &format!("`{capability}` is two points, or none"));
            }
        }
        let surface = |name: &str| self.document.pointer("/surface").and_then(|surface| surface.get(name));
        let is_unbuffered = surface("buffered_output") == Some(&Value::Bool(false));
        if is_unbuffered != surface("exposure_bound").is_some() {
            add("/surface/exposure_bound", "it is for output that is not buffered, and required there");
        }
        if self.capabilities.contains(&"incremental_output") && surface("buffered_output").is_some() && !is_unbuffered {
            add("/surface/capabilities", "`incremental_output` is for output that is not buffered");
        }
        if texts(surface("declaration_versions")).is_some_and(|versions| !versions.contains(&DECLARATION_VERSION)) {
            add("/surface/declaration_versions", "it has not the version of the declaration");
        }
        if surface("profiles").is_some_and(|profiles| !self.permits_rule(profiles)) {
            add("/configuration/composition", "the declared profiles do not include it");
        }
        for (index, binding) in self.bindings.iter().enumerate() {
            let same = |other: &&Value| other.get("id") == binding.get("id");
            if self.bindings.iter().take(index).any(|other| same(&other)) {
                add(&format!("/bindings/{index}/id"), "another interceptor has this id");
            }
            let points = texts(binding.get("at")).unwrap_or_default();
            if points.iter().any(|point| !self.points.contains(point)) {
                add(&format!("/bindings/{index}/at"), "the surface has not all of these points");
            }
        }
        found
    }

    /// Whether a table of profiles has the rule of the declaration. A profile without values has the default.
    fn permits_rule(&self, profiles: &Value) -> bool {
        let name = self.rule.profile.to_string();
        profiles.get(&name).is_some_and(|values| match find_profile(&name).and_then(|(_, setting)| setting) {
            None => true,
            Some((setting, [strict, lenient])) => texts(values.get(setting))
                .unwrap_or_else(|| vec![strict])
                .contains(if self.rule.is_lenient { &lenient } else { &strict }),
        })
    }

    /// What the host cannot do.
    fn beyond(&self, host: &HostRegistration) -> FoundFaults {
        let abilities = &host.surface;
        let mut found = FoundFaults::new();
        let mut add = |at: &str| found.push((at.to_owned(), String::from("the host cannot do that")));
        let surface = |name: &str| self.document.pointer("/surface").and_then(|surface| surface.get(name));
        let versions = texts(surface("declaration_versions")).unwrap_or_default();
        let lists = [
            ("/surface/interception_points", &self.points, &abilities.interception_points),
            ("/surface/capabilities", &self.capabilities, &abilities.capabilities),
            ("/surface/declaration_versions", &versions, &abilities.declaration_versions),
        ];
        for (at, declared, known) in lists {
            if declared.iter().any(|one| !known.iter().any(|known| known == one)) {
                add(at);
            }
        }
        for (name, values) in surface("profiles").and_then(Value::as_object).into_iter().flatten() {
            let known = abilities.profiles.get(name);
            let setting = find_profile(name).and_then(|(_, setting)| setting);
            let is_known = |(setting, [strict, _]): ProfileSetting| {
                let declared = texts(values.get(setting)).unwrap_or_else(|| vec![strict]);
                let known = texts(known.and_then(|known| known.get(setting))).unwrap_or_default();
                declared.iter().all(|value| known.contains(value))
            };
            if known.is_none() || !setting.is_none_or(is_known) {
                add("/surface/profiles");
            }
        }
        if surface("buffered_output") == Some(&Value::Bool(false)) && !abilities.streams_unbuffered {
            add("/surface/buffered_output");
        }
        let posture = self.document.pointer("/configuration/posture/tool_seam_host_error").and_then(Value::as_str);
        if posture.unwrap_or("continue") != abilities.tool_seam_host_error {
            add("/configuration/posture/tool_seam_host_error");
        }
        if !self.permits_rule(&Value::Object(abilities.profiles.clone())) {
            add("/configuration/composition");
        }
        found
    }
}
