//! The library as C and C++ have it: its header, its examples, hostile programs, and what is
//! installed, with the compilers of this machine and their sanitizers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use waywarden_c::{can, group, keys, lasan, outcome, paired, retention, role, secoc};
use waywarden_can::StandardId;
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::secoc::{
    FreshnessState, Layout, SecocCarrier, SecocProfile, SecocSender, SecocStream,
};
use waywarden_testkit::{cases, first_seed, has_program, hex_of, output_of, workspace};
use waywarden_work::NoMeter;

/// Warnings and faults that no C program may have.
const WARNINGS: [&str; 8] = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wshadow",
    "-Werror",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
];

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c").join(name);
    fs::create_dir_all(&folder).expect("a folder for what is built");
    folder
}

fn sources() -> PathBuf {
    workspace().join("bindings/c")
}

/// Returns the static library of this build: the newest beside this test.
fn archive() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let beside = fs::read_dir(test.parent().expect("a folder")).expect("its files");
    let found = beside.flatten().map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libwaywarden_c-") && name.ends_with(".a")
    });
    let newest = found.max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok());
    newest.expect("the static library")
}

/// Returns the folder in which the library is installed, once.
fn installed() -> &'static Path {
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let folder = scratch("installed");
        let mut lay_out = Command::new(workspace().join("xtask/c-library"));
        output_of(lay_out.arg(archive()).arg(&folder));
        folder
    })
}

/// Compiles a program with the static library, and returns its path.
fn compiled(compiler: &str, standard: &str, source: &Path) -> PathBuf {
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    let program = scratch("programs").join(format!("{stem}-{standard}"));
    let mut compile = Command::new(compiler);
    compile
        .arg(format!("-std={standard}"))
        .args(WARNINGS)
        .args(["-g", "-O1", "-D_POSIX_C_SOURCE=200809L", "-I"])
        .arg(sources().join("include"))
        .arg(source)
        .arg(archive())
        .args(["-o".as_ref(), program.as_os_str()])
        .args(["-lpthread", "-ldl", "-lm"]);
    output_of(&mut compile);
    program
}

/// Returns true if the tools are here; prints a message where not.
fn have(tools: &[&str]) -> bool {
    tools.iter().all(|tool| has_program(tool))
}

fn example(name: &str) -> String {
    let source = sources().join("examples").join(name);
    let (compiler, standard) = match name.ends_with("cpp") {
        true => ("c++", "c++17"),
        false => ("cc", "c99"),
    };
    output_of(&mut Command::new(compiled(compiler, standard, &source)))
}

/// Returns the frames of messages of the stream that examples/secoc.c has, after a counter.
fn frames_after(counter: u64, payloads: &[&[u8]]) -> Vec<String> {
    let id = StandardId::new(0x120).unwrap();
    let layout = Layout::fixed(SecocCarrier::Classic, 4);
    let stream = SecocStream::new(SecocProfile::AUTOSAR_1, layout, id, KeyId(1)).unwrap();
    let mut keys = Keyring::<AesCmac, 1>::new();
    let key = MacKey::from_bytes([0x2B; 16]);
    keys.insert(KeyId(1), Usage::Protect, &key).unwrap();
    let mut sender = SecocSender::resumed(stream, counter);
    let wanted = sender.to_retain().unwrap();
    sender.retained(wanted);
    let state = FreshnessState::UNSYNCHRONISED;
    let frames = payloads.iter().map(|payload| {
        let frame = sender.protect(payload, &state, &mut keys, &mut NoMeter);
        format!("120#{}", hex_of(frame.unwrap().data()).to_uppercase())
    });
    frames.collect()
}

#[test]
fn frames_in_c_are_those_of_the_library() {
    let said = example("secoc.c");
    let frames: Vec<&str> = said.lines().filter(|line| line.contains('#')).collect();
    let first = frames_after(0, &[b"40 %"]);
    // 32 counters are retained ahead.
    let after_reset = frames_after(32, &[b"42 %", b"42 %"]);
    assert_eq!(frames[0], first[0], "{said}");
    assert_eq!(frames[1], after_reset[0], "{said}");
    for line in [
        "authentic: 40 %",
        "again: refused",
        "forged: wrong code",
        "after a reset: authentic",
    ] {
        assert!(said.contains(line), "{line:?} is missing in {said}");
    }
}

#[test]
fn examples_run() {
    assert!(example("verify.c").contains("the signature: success"));
    assert!(example("paired.c").contains("authentic: 20 of 20"));
    assert!(example("freshness.c").contains("authentic: 50 of 50, 100 codes"));
    assert!(example("group_keys.c").contains("2 keys, authentic: 20 of 20"));
    assert!(example("lasan.c").contains("opened: 1 of 1, SecOC under the stream's key: authentic"));
    if !have(&["c++"]) {
        return;
    }
    let said = example("secoc.cpp");
    assert!(said.contains("authentic: 40 %") && said.contains("no payloads of this length"));
    assert!(example("roles.cpp").contains("the group has a key"));
    // The same wrapper with std::span.
    compiled("c++", "c++20", &sources().join("examples/secoc.cpp"));
}

#[test]
fn hostile_calls_end_in_answers() {
    let program = compiled("cc", "c99", &sources().join("tests/c/hostile.c"));
    let seed = first_seed(1);
    println!("hostile.c: WAYWARDEN_SEED={seed}");
    let words = [cases(100_000).to_string(), seed.to_string()];
    println!("{}", output_of(Command::new(program).args(words)));
}

#[test]
fn roles_agree_in_spite_of_hostile_frames() {
    let program = compiled("cc", "c99", &sources().join("tests/c/roles.c"));
    let seed = first_seed(1);
    println!("roles.c: WAYWARDEN_SEED={seed}");
    let words = [cases(100_000).to_string(), seed.to_string()];
    println!("{}", output_of(Command::new(program).args(words)));
}

/// Each suite of LASAN with keys, digests and certificates; frames for each network.
#[test]
fn networks_agree_with_each_suite() {
    let program = compiled("cc", "c99", &sources().join("tests/c/networks.c"));
    let seed = first_seed(1);
    println!("networks.c: WAYWARDEN_SEED={seed}");
    let words = [cases(4_000).to_string(), seed.to_string()];
    println!("{}", output_of(Command::new(program).args(words)));
}

#[test]
fn the_autosar_shaped_module_works() {
    let program = compiled("cc", "c99", &sources().join("tests/c/autosar.c"));
    println!("{}", output_of(&mut Command::new(program)));
}

#[test]
fn threads_use_no_freshness_twice() {
    let program = compiled("cc", "c99", &sources().join("tests/c/threads.c"));
    println!("{}", output_of(&mut Command::new(program)));
}

/// Functions and types of the header are those of the library: names, and sizes and places of all
/// fields.
#[test]
fn the_header_is_that_of_the_library() {
    let header = fs::read_to_string(sources().join("include/waywarden.h")).unwrap();
    let declared: BTreeSet<&str> = header
        .lines()
        .filter(|line| !line.starts_with([' ', '#', '}', '/']) && line.contains('('))
        .filter_map(|line| line.split('(').next()?.split([' ', '*']).next_back())
        .filter(|name| name.starts_with("waywarden_"))
        .collect();
    let mut symbols = Command::new("nm");
    symbols.args(["--dynamic", "--defined-only", "--with-symbol-versions"]);
    let symbols = output_of(symbols.arg(installed().join("lib/libwaywarden.so")));
    // All but the name of the version itself are of that version.
    let exported: BTreeSet<&str> = symbols
        .lines()
        .filter_map(|line| line.split(' ').next_back())
        .filter(|name| *name != "WAYWARDEN_0.1")
        .map(|name| {
            name.strip_suffix("@@WAYWARDEN_0.1")
                .unwrap_or("another version")
        })
        .collect();
    assert_eq!(declared, exported);
    let listed = fs::read_to_string(sources().join("waywarden.symbols")).unwrap();
    let listed: BTreeSet<&str> = listed.lines().collect();
    assert_eq!(
        listed, exported,
        "a function that is added or taken away changes waywarden.symbols, and the version"
    );
}

/// Sizes of types, and places of fields, as Rust has them.
macro_rules! layout {
    ($c:literal, $rust:ty: $($field:ident),*) => {{
        let size = (format!("sizeof({})", $c), size_of::<$rust>());
        let fields = [$((
            format!("offsetof({}, {})", $c, stringify!($field)),
            std::mem::offset_of!($rust, $field),
        )),*];
        std::iter::once(size).chain(fields).collect::<Vec<_>>()
    }};
}

#[test]
fn sizes_and_fields_are_those_of_the_library() {
    let all = [
        layout!("waywarden_can_frame", can::CanFrame: identifier, flags, length, data),
        layout!("waywarden_outcome", outcome::Outcome: kind, length, payload),
        layout!("waywarden_key", keys::Key: bytes, algorithm, compute, check, context),
        layout!("waywarden_retention", retention::Retention: retain, context),
        layout!("waywarden_secoc_stream_options", secoc::SecocStreamOptions: identifier,
            cryptographic_identifier, data_id, flags, profile, shortest, longest, secured_from,
            secured_to, padding, own),
        layout!("waywarden_secoc_profile_parameters", secoc::SecocProfileParameters: trip, reset,
            message, flag, freshness_bits, code_bits, attempts, as_found),
        layout!("waywarden_announcement_options", secoc::freshness::AnnouncementOptions:
            identifier, flags, profile, code_bits, own),
        layout!("waywarden_secoc_sender", secoc::in_frame::SecocSender: opaque),
        layout!("waywarden_secoc_receiver", secoc::in_frame::SecocReceiver: opaque),
        layout!("waywarden_secoc_separate_sender", secoc::separate::SecocSeparateSender: opaque),
        layout!("waywarden_secoc_separate_receiver", secoc::separate::SecocSeparateReceiver:
            opaque),
        layout!("waywarden_freshness_state", secoc::freshness::FreshnessState: opaque),
        layout!("waywarden_freshness_follower", secoc::freshness::FreshnessFollower: opaque),
        layout!("waywarden_freshness_master", secoc::freshness::FreshnessMaster: opaque),
        layout!("waywarden_paired_sender", paired::PairedSender: opaque),
        layout!("waywarden_paired_receiver", paired::PairedReceiver: opaque),
        layout!("waywarden_slot_retention", role::SlotRetention: retain, context),
        layout!("waywarden_retained_slot", role::RetainedSlot: slot, value),
        layout!("waywarden_role_start", role::RoleStart: address, secret, seed, retained,
            retained_count, retention, now),
        layout!("waywarden_group_party", group::GroupParty: address, rank, key),
        layout!("waywarden_group_options", group::GroupOptions: members, member_count,
            orchestrator, suite, scheme, flags, identifier_base, identifier_mask, exchange, answer,
            beacon),
        layout!("waywarden_group_event", group::GroupEvent: kind, failure, epoch, count, address),
        layout!("waywarden_group_member", group::member::GroupMember: opaque),
        layout!("waywarden_group_orchestrator", group::orchestrator::GroupOrchestrator: opaque),
        layout!("waywarden_lasan_party", lasan::LasanParty: address, name, key),
        layout!("waywarden_lasan_permission", lasan::LasanPermission: stream, sender, receivers,
            from, until),
        layout!("waywarden_lasan_options", lasan::LasanOptions: parties, party_count, permissions,
            permission_count, security_module, suite, flags, identifier_base, identifier_mask,
            time_at_zero, authentication, answer, patience, stream_key, credentials, authority,
            authority_key, credential, credential_length, keys),
        layout!("waywarden_lasan_statement", lasan::credential::LasanStatement: suite, is_module,
            authority, subject, key, first, last),
        layout!("waywarden_lasan_quantum_ecu", lasan::object::LasanQuantumEcu: opaque),
        layout!("waywarden_lasan_quantum_module", lasan::object::LasanQuantumModule: opaque),
        layout!("waywarden_lasan_event", lasan::LasanEvent: kind, reason, epoch, stream, generation,
            address),
        layout!("waywarden_lasan_ecu", lasan::object::LasanEcu: opaque),
        layout!("waywarden_lasan_module", lasan::object::LasanModule: opaque),
    ];
    let lines: String = all
        .iter()
        .flatten()
        .enumerate()
        .map(|(at, (what, value))| format!("typedef char own_{at}[{what} == {value} ? 1 : -1];\n"))
        .collect();
    let source = scratch("programs").join("layout.c");
    let text = format!("#include <waywarden.h>\n{lines}int main(void) {{ return 0; }}\n");
    fs::write(&source, text).expect("a source");
    compiled("cc", "c99", &source);
    // The bound: one end of SecOC with its key and what it keeps.
    assert!(size_of::<secoc::in_frame::SecocSender>() <= 256);
    assert!(size_of::<secoc::in_frame::SecocReceiver>() <= 256);
}

/// In a folder of its own, by pkg-config and by CMake, against the shared library.
#[test]
fn what_is_installed_builds_programs() {
    if !have(&["c++", "cmake", "pkg-config"]) {
        return;
    }
    let lib = installed().join("lib");
    let folder = scratch("outside");
    for name in ["secoc.c", "secoc.cpp"] {
        fs::copy(sources().join("examples").join(name), folder.join(name)).expect("a copy");
    }
    let mut flags = Command::new("pkg-config");
    flags.env("PKG_CONFIG_PATH", lib.join("pkgconfig"));
    let flags = output_of(flags.args(["--cflags", "--libs", "waywarden"]));
    let mut compile = Command::new("cc");
    compile.current_dir(&folder);
    compile.args(["-std=c99", "secoc.c", "-o", "by-pkg-config"]);
    output_of(compile.args(flags.split_whitespace()));
    let run = |program: &str| {
        let mut run = Command::new(folder.join(program));
        output_of(run.env("LD_LIBRARY_PATH", &lib))
    };
    assert!(run("by-pkg-config").contains("authentic: 40 %"));

    let project = "cmake_minimum_required(VERSION 3.16)\n\
                   project(outside C CXX)\n\
                   set(CMAKE_CXX_STANDARD 17)\n\
                   find_package(Waywarden 0.1 REQUIRED)\n\
                   add_executable(in-c secoc.c)\n\
                   target_link_libraries(in-c Waywarden::waywarden)\n\
                   add_executable(in-cpp secoc.cpp)\n\
                   target_link_libraries(in-cpp Waywarden::static)\n";
    fs::write(folder.join("CMakeLists.txt"), project).expect("a project");
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(&folder).arg("-B").arg(&folder);
    let prefix = format!("-DCMAKE_PREFIX_PATH={}", installed().display());
    output_of(configure.arg(prefix));
    output_of(Command::new("cmake").arg("--build").arg(&folder));
    assert!(run("in-c").contains("authentic: 40 %"));
    assert!(run("in-cpp").contains("authentic: 40 %"));
}
