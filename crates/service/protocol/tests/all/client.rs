//! The client beside a service that is not there, or that hangs.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, listen, socket};
use waywarden_v2x_service_protocol::SignRequest;
use waywarden_v2x_service_protocol::client::ServiceClient;
use waywarden_v2x_wire::ieee1609dot2::Psid;

/// Asks once; returns the reason for no answer.
fn refused(client: &mut ServiceClient) -> String {
    let sign = SignRequest {
        psid: Psid(36),
        payload: b"hello".to_vec(),
        permissions: None,
        signer: None,
        location: None,
        lifetime: None,
    };
    client.sign(sign).unwrap_err().to_string()
}

fn client(path: &Path) -> ServiceClient {
    ServiceClient::new(path.to_owned(), Duration::from_millis(20))
}

#[test]
fn service_that_accepts_no_connection_is_given_up_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("service");
    let listener = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    bind(&listener, &SocketAddrUnix::new(&path).unwrap()).unwrap();
    listen(&listener, 1).unwrap();
    let mut client = client(&path);
    let begin = Instant::now();
    // The first calls are in its queue of connections, which is full then.
    for _ in 0..10 {
        let why = refused(&mut client);
        assert_eq!(why, "the security service does not answer in time");
    }
    // Not a measure: a call that waits for the service never ends.
    assert!(begin.elapsed() < Duration::from_secs(60));
}

#[test]
fn missing_service_is_named_with_its_socket_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("service");
    let missing = refused(&mut client(&path));
    assert!(missing.contains("service: No such file"), "{missing}");
    assert!(
        missing.ends_with("start it with `waywarden serve`"),
        "{missing}"
    );
    // A service that was killed leaves its socket.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let killed = refused(&mut client(&path));
    assert!(killed.contains("service: Connection refused"), "{killed}");
    let long = folder.path().join("x".repeat(200));
    let long = refused(&mut client(&long));
    assert!(long.contains("xxx: File name too long"), "{long}");
}
