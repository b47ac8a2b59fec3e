//! The files of Unix-domain sockets, and addresses.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::Path;

use tempfile::TempDir;
use waywarden_v2x_service::server::{ListenError, Listeners, SocketProblem, Sockets};

use super::served::{OTHER, as_other_user, open_to_all};

fn both(folder: &Path) -> Sockets {
    Sockets {
        stream: Some(folder.join("stream")),
        datagram: Some(folder.join("datagram")),
        ..Sockets::default()
    }
}

fn stream(path: &Path) -> Sockets {
    Sockets {
        stream: Some(path.to_owned()),
        ..Sockets::default()
    }
}

fn problem(sockets: &Sockets) -> SocketProblem {
    match Listeners::open(sockets) {
        Err(ListenError::Socket { path, problem }) => {
            let paths = [&sockets.stream, &sockets.datagram];
            assert!(paths.contains(&&Some(path)), "the error names the socket");
            problem
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn sockets_have_the_mode_and_the_group_that_are_configured() {
    for mode in [0o660, 0o600, 0o666, 0o606] {
        let folder = TempDir::new().unwrap();
        let is_root = rustix::process::geteuid().is_root();
        let group = is_root.then_some(OTHER);
        let sockets = Sockets {
            mode,
            group,
            ..both(folder.path())
        };
        let _listeners = Listeners::open(&sockets).unwrap();
        for name in ["stream", "datagram"] {
            let metadata = fs::metadata(folder.path().join(name)).unwrap();
            assert_eq!(metadata.permissions().mode() & 0o7777, mode, "{name}");
            assert!(group.is_none_or(|group| metadata.gid() == group), "{name}");
        }
    }
    assert_eq!(Sockets::default().mode, 0o660);
}

#[test]
fn the_mode_keeps_another_user_out() {
    let folder = TempDir::new().unwrap();
    open_to_all(folder.path());
    let _listeners = Listeners::open(&both(folder.path())).unwrap();
    let errors = as_other_user(|| {
        let stream = UnixStream::connect(folder.path().join("stream"));
        let datagram = UnixDatagram::unbound().unwrap();
        let datagram = datagram.connect(folder.path().join("datagram"));
        [stream.map(drop), datagram].map(|tried| tried.unwrap_err().kind())
    });
    let denied = std::io::ErrorKind::PermissionDenied;
    assert!(errors.is_none_or(|errors| errors == [denied; 2]));
}

#[test]
fn files_are_removed_at_the_end_if_they_are_still_the_same() {
    let folder = TempDir::new().unwrap();
    let sockets = both(folder.path());
    drop(Listeners::open(&sockets).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);

    let listeners = Listeners::open(&sockets).unwrap();
    let path = folder.path().join("stream");
    fs::remove_file(&path).unwrap();
    fs::write(&path, "of another").unwrap();
    drop(listeners);
    assert_eq!(fs::read(&path).unwrap(), b"of another");
}

#[test]
fn the_socket_of_a_dead_process_is_replaced() {
    let folder = TempDir::new().unwrap();
    let sockets = both(folder.path());
    // The standard library leaves the files when it closes.
    drop(UnixListener::bind(folder.path().join("stream")).unwrap());
    drop(UnixDatagram::bind(folder.path().join("datagram")).unwrap());
    let _listeners = Listeners::open(&sockets).unwrap();
    UnixStream::connect(folder.path().join("stream")).unwrap();
}

#[test]
fn the_socket_of_a_live_process_stays() {
    let folder = TempDir::new().unwrap();
    let sockets = both(folder.path());
    let listeners = Listeners::open(&sockets).unwrap();
    assert!(matches!(problem(&sockets), SocketProblem::Live));
    let swapped = Sockets {
        stream: sockets.datagram.clone(),
        datagram: sockets.stream.clone(),
        ..sockets.clone()
    };
    assert!(matches!(problem(&swapped), SocketProblem::Live));
    assert!(folder.path().join("stream").exists());
    let error = Listeners::open(&sockets).unwrap_err().to_string();
    assert!(
        error.contains("stream") && error.contains("another process"),
        "{error}"
    );
    drop(listeners);
}

#[test]
fn paths_that_cannot_be_sockets_are_refused_by_name() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "kept").unwrap();
    assert!(matches!(problem(&stream(&file)), SocketProblem::NotASocket));
    assert_eq!(fs::read(&file).unwrap(), b"kept");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert!(matches!(problem(&stream(&link)), SocketProblem::NotASocket));
    let absent = folder.path().join("absent/stream");
    assert!(matches!(problem(&stream(&absent)), SocketProblem::NoFolder));
    let long = folder.path().join("a".repeat(108));
    assert!(matches!(
        problem(&stream(&long)),
        SocketProblem::PathTooLong
    ));
    // What was opened before is closed again.
    let sockets = Sockets {
        datagram: Some(file),
        ..stream(&folder.path().join("stream"))
    };
    assert!(matches!(problem(&sockets), SocketProblem::NotASocket));
    assert!(!folder.path().join("stream").exists());
}

#[test]
fn modes_and_addresses_out_of_range_are_refused() {
    let folder = TempDir::new().unwrap();
    let sockets = Sockets {
        mode: 0o1660,
        ..both(folder.path())
    };
    let error = Listeners::open(&sockets).unwrap_err();
    assert!(error.to_string().contains("0o1660"), "{error}");
    let error = Listeners::open(&Sockets::default()).unwrap_err();
    assert!(matches!(error, ListenError::Nothing));
    let mut remote = Sockets {
        tcp: Some(([0, 0, 0, 0], 0).into()),
        ..Sockets::default()
    };
    let error = Listeners::open(&remote).unwrap_err();
    assert!(error.to_string().contains("0.0.0.0:0"), "{error}");
    remote.remote = true;
    let listeners = Listeners::open(&remote).unwrap();
    let taken = listeners.tcp_address().unwrap();
    remote.tcp = Some(taken);
    assert!(
        matches!(Listeners::open(&remote), Err(ListenError::Tcp(address, _)) if address == taken)
    );
}
