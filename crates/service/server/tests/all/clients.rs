//! The example clients in C and Python sign and verify over a Unix socket.
#![cfg(unix)]

use std::borrow::Cow;
use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, mpsc};

use waywarden_testkit::{python_with, workspace};
use waywarden_v2x_service::service::{Reply, Service};
use waywarden_v2x_service_protocol::Frames;

use crate::stub::{Stub, grant};

/// Serves a stub to so many clients, one after the other.
fn served(folder: &Path, clients: usize) -> PathBuf {
    let path = folder.join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        let stub = Arc::new(Stub::new());
        for stream in listener.incoming().take(clients) {
            serve(&stub, stream.unwrap());
        }
    });
    path
}

fn serve(stub: &Stub, mut stream: UnixStream) {
    let mut frames = Frames::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).unwrap_or(0);
        let mut input = &buffer[..read];
        if input.is_empty() {
            return;
        }
        while let Some(frame) = frames.next(&mut input).unwrap() {
            let form = frames.form().unwrap();
            let request = form.decode_request(&Cow::into_owned(frame)).unwrap();
            let (send, receive) = mpsc::channel();
            let reply = Reply::new(request.id, move |response| {
                send.send(form.encode_response(&response)).unwrap();
            });
            stub.submit(&grant(0x24), request, reply);
            stream.write_all(&receive.recv().unwrap()).unwrap();
        }
    }
}

fn example(name: &str) -> PathBuf {
    workspace().join("examples/service-client").join(name)
}

fn text_of(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// Runs a client with a PSID that it may sign for, and with another one.
fn check(program: &Path, before: &[&Path], expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let socket = served(folder.path(), 2);
    let run = |psid: &str| {
        let mut command = Command::new(program);
        command.args(before).arg(&socket).args([psid, "hello"]);
        command.output().unwrap()
    };
    let output = run("0x24");
    let (out, error) = text_of(&output);
    assert!(output.status.success(), "{error}");
    assert_eq!(out, expected);
    let refused = run("0x25");
    assert!(!refused.status.success());
    let (_, error) = text_of(&refused);
    assert!(error.contains("no grant"), "{error}");
}

#[test]
fn the_client_in_c_signs_and_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let client = folder.path().join("client");
    let mut compile = Command::new("cc");
    compile.args([
        "-std=c11",
        "-D_DEFAULT_SOURCE",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-o",
    ]);
    let compiled = compile
        .arg(&client)
        .arg(example("client.c"))
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", text_of(&compiled).1);
    check(
        &client,
        &[],
        "signed: 8 bytes\nverified: result 0, report 0\n",
    );
}

#[test]
fn the_client_in_python_signs_and_verifies() {
    let Some(python) = python_with("socket") else {
        return;
    };
    check(
        &python,
        &[&example("client.py")],
        "signed: 03810068656c6c6f expires: 2026-11-23T06:26:35.250000Z\n\
         verified: SUCCESS hello\n",
    );
}
