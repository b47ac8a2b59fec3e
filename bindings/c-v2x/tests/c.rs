//! The complete library as C has it: verdicts, signatures, encryption, threads, hostile messages.

use std::collections::BTreeSet;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use clap::Parser as _;
use waywarden_command_line::program::Program as _;
use waywarden_command_pki::program::PkiArguments;
use waywarden_pki_authorities::{NewCertificates, NewKeys, NewPki, create, ignore, issue};
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::CertificateShape;
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::token::TokenSource;
use waywarden_pki_folder::trust::TrustSources;
use waywarden_testkit::{bytes_of, cases, first_seed, output_of, workspace};
use waywarden_v2x_input::certificates::SignerKeys;
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::time::{self, At};
use waywarden_v2x_receiver::{Receiver, ReceiverSettings, Reception};

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("c-v2x")
        .join(name);
    fs::create_dir_all(&folder).expect("a folder for what is built");
    folder
}

/// Returns the folder in which the library is installed, once: of the newest static library beside
/// this test.
fn installed() -> &'static Path {
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let test = std::env::current_exe().expect("the path of this test");
        let beside = fs::read_dir(test.parent().expect("a folder")).expect("its files");
        let found = beside.flatten().map(|entry| entry.path()).filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libwaywarden_c_v2x-") && name.ends_with(".a")
        });
        let newest = found.max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok());
        let folder = scratch("installed");
        let mut lay_out = Command::new(workspace().join("xtask/c-library"));
        output_of(
            lay_out
                .arg(newest.expect("the static library"))
                .arg(&folder),
        );
        folder
    })
}

/// Compiles a program against the shared library, and returns a command that runs it.
fn program(source: &str) -> Command {
    let source = workspace().join("bindings/c-v2x").join(source);
    let stem = source.file_stem().unwrap_or_default();
    let program = scratch("programs").join(stem);
    let lib = installed().join("lib");
    let mut compile = Command::new("cc");
    compile
        .args([
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Wpedantic",
            "-Wconversion",
            "-Wshadow",
            "-Werror",
        ])
        .args([
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all",
            "-g",
            "-O1",
        ])
        .args(["-D_POSIX_C_SOURCE=200809L", "-I"])
        .arg(installed().join("include"))
        .arg(source)
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(&lib)
        .args(["-lwaywarden", "-lpthread"]);
    output_of(&mut compile);
    let mut run = Command::new(program);
    run.env("LD_LIBRARY_PATH", lib);
    run
}

/// Messages of a file of hexadecimal digits, as the example reads them.
fn messages(file: &Path) -> Vec<Vec<u8>> {
    let text = fs::read_to_string(file).expect("a file");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let words = lines.filter_map(|line| line.split(' ').next_back());
    words
        .filter(|word| !word.is_empty())
        .map(bytes_of)
        .collect()
}

#[test]
fn verdicts_are_those_of_the_library() {
    let folder = workspace().join("examples/v2x");
    let (trust, file) = (folder.join("trust"), folder.join("messages.hex"));
    let mut sources = TrustSources::default();
    sources.add_path(&trust).expect("certificates");
    let settings = ReceiverSettings::default();
    let mut verifier = settings.verifier();
    let (loaded, _) = sources.install(&mut verifier, time::now()).expect("trust");
    let receiver = Receiver::new(&settings, verifier, loaded, SignerKeys::default());
    let reception = Reception {
        at: Some(At::Generation),
        ..Reception::default()
    };
    let ours = messages(&file).into_iter().map(|bytes| {
        let record = InputRecord::of("message".to_owned(), bytes);
        let verdict = receiver.verify(&record, &reception).expect("a verdict");
        verdict.to_json().expect("JSON")
    });
    let ours: Vec<String> = ours.collect();
    let output = program("examples/verify_v2x.c")
        .arg(&trust)
        .arg(&file)
        .output();
    let output = output.expect("a program that starts");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.stderr.is_empty(), "{:?}", output.stderr);
    assert_eq!(said.lines().collect::<Vec<_>>(), ours);
    assert!(ours.len() > 3, "{} messages", ours.len());
}

#[test]
fn a_station_signs_and_a_receiver_verifies_from_many_threads() {
    let pki = scratch("station").join("pki");
    if pki.exists() {
        fs::remove_dir_all(&pki).expect("a folder that goes");
    }
    create(&pki, &NewPki::default(), || Ok(NewKeys::Unencrypted)).expect("a PKI");
    let car = NewCertificates {
        encryption_key: true,
        ..NewCertificates::of("car")
    };
    let mut passphrases = Passphrases::known(None);
    let issued = issue(
        &pki,
        &car,
        &mut passphrases,
        &TokenSource::default(),
        &mut ignore,
    );
    drop(issued.expect("a certificate"));
    let directory = PkiDirectory::open(&pki).expect("the PKI");
    let entry = directory.entry("car").expect("the certificate");
    let certificate = directory.file(&entry.certificate);
    let key = entry.encryption_key.as_ref().or(entry.key.as_ref());
    let key = directory.file(key.expect("a key"));
    let seed = first_seed(1);
    println!("station.c: WAYWARDEN_SEED={seed}");
    let mut run = program("tests/c/station.c");
    run.arg(&pki).arg(&certificate).arg(&key);
    let said = output_of(run.args([cases(2_000).to_string(), seed.to_string()]));
    assert!(said.contains("the station works"), "{said}");
}

#[test]
fn messages_are_read_and_written_in_json() {
    let seed = first_seed(1);
    println!("messages.c: WAYWARDEN_SEED={seed}");
    let mut run = program("tests/c/messages.c");
    let said = output_of(run.args([cases(2_000).to_string(), seed.to_string()]));
    assert!(said.contains("the messages work"), "{said}");
}

#[test]
fn a_station_gets_what_it_needs_of_a_pki() {
    let folder = scratch("pki");
    let [european, american] = ["european", "american"].map(|name| {
        let pki = folder.join(name);
        if pki.exists() {
            fs::remove_dir_all(&pki).expect("a folder that goes");
        }
        pki
    });
    let keys = || Ok(NewKeys::Unencrypted);
    create(&european, &NewPki::default(), keys).expect("a PKI");
    let us = NewPki {
        shape: Some(CertificateShape::Us),
        ..NewPki::default()
    };
    create(&american, &us, keys).expect("a PKI");
    let said = output_of(program("tests/c/pki.c").arg(&european).arg(&american));
    assert!(said.contains("the PKI works"), "{said}");
}

/// Runs a command of `waywarden pki`, in this process.
fn run_pki(words: &[&str]) {
    let words = ["waywarden", "pki"].iter().chain(words);
    let done = PkiArguments::try_parse_from(words)
        .expect("a command")
        .execute();
    done.expect("a command that does what it is told");
}

#[test]
fn a_station_gets_what_it_needs_of_a_server() {
    let folder = scratch("enrol");
    fs::remove_dir_all(&folder).expect("a folder that goes");
    fs::create_dir_all(&folder).expect("a folder");
    let place = |name: &str| {
        folder
            .join(name)
            .to_str()
            .expect("a path of text")
            .to_owned()
    };
    let (pki, key, public) = (place("pki"), place("car.p8"), place("car.der"));
    let keys = || Ok(NewKeys::Unencrypted);
    create(Path::new(&pki), &NewPki::default(), keys).expect("a PKI");
    run_pki(&["keygen", &key, "--public", &public, "--no-passphrase"]);
    run_pki(&[
        "register",
        &pki,
        "--id",
        "WAYWARDEN-0001",
        "--public-key",
        &public,
    ]);
    // A port that is free now.
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let address = port.expect("a port").to_string();
    let (served, at) = (pki.clone(), address.clone());
    // It ends with the process.
    std::thread::spawn(move || run_pki(&["serve", &served, "--listen", &at]));
    while TcpStream::connect(&address).is_err() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let trust = Path::new(&pki).join("trust");
    let mut run = program("tests/c/enrol.c");
    run.arg(format!("http://{address}"))
        .args([place("car"), key])
        .arg(trust);
    let said = output_of(&mut run);
    assert!(said.contains("the station is enrolled"), "{said}");
}

/// Returns the functions that a header declares.
fn declared(header: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(header).expect("a header");
    let lines = text
        .lines()
        .filter(|line| !line.starts_with([' ', '#', '}', '/']));
    let names = lines
        .filter(|line| line.contains('('))
        .filter_map(|line| line.split('(').next()?.split([' ', '*']).next_back());
    let ours = names.filter(|name| name.starts_with("waywarden_"));
    ours.map(str::to_owned).collect()
}

#[test]
fn both_headers_together_are_those_of_the_library() {
    let include = installed().join("include");
    let mut all = declared(&include.join("waywarden.h"));
    all.extend(declared(&include.join("waywarden_v2x.h")));
    let mut symbols = Command::new("nm");
    symbols.args(["--dynamic", "--defined-only", "--with-symbol-versions"]);
    let symbols = output_of(symbols.arg(installed().join("lib/libwaywarden.so")));
    let exported: BTreeSet<String> = symbols
        .lines()
        .filter_map(|line| line.split(' ').next_back())
        .filter(|name| *name != "WAYWARDEN_0.1")
        .map(|name| {
            name.strip_suffix("@@WAYWARDEN_0.1")
                .unwrap_or("another version")
        })
        .map(str::to_owned)
        .collect();
    assert_eq!(all, exported);
    let listed = fs::read_to_string(workspace().join("bindings/c-v2x/waywarden_v2x.symbols"));
    let listed: BTreeSet<String> = listed.expect("a list").lines().map(str::to_owned).collect();
    let own = declared(&include.join("waywarden_v2x.h"));
    assert_eq!(
        listed, own,
        "a function that is added or taken away changes waywarden_v2x.symbols, and the version"
    );
}
