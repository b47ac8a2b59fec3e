//! Requests that sockets refuse are in the metrics and in the answer to `statistics`.

use super::client::Client;
use super::service::{Service, command};
use super::{configured, log_of};

#[test]
fn requests_that_sockets_refuse_are_in_metrics_and_statistics() {
    let uid = rustix::process::geteuid().as_raw();
    let world = configured(&format!(
        "[sockets]\nstream = \"s.sock\"\n[[access]]\nuid = {uid}\nsign = [\"CAM\"]\n"
    ));
    let mut service = Service::run(&world, &mut command(&world), 2);
    let mut client = Client::connect(&world);
    assert_eq!(client.ask("{\"id\":1}")["status"], "malformed");
    assert_eq!(client.sign(37)["status"], "psidNotAuthorized");
    let token = "{\"operation\":\"authenticate\",\"token\":\"0123456789abcdef\"}";
    assert_eq!(client.ask(token)["status"], "notAuthorized");
    assert_eq!(client.sign(36)["status"], "ok");
    assert!(service.get("/nothing").starts_with("HTTP/1.1 404"));

    let mut answer = client.ask("{\"operation\":\"statistics\"}");
    let sockets = answer["statistics"]["sockets"].take();
    assert_eq!(sockets["connectionsOpen"], 1);
    assert_eq!(sockets["connectionsAccepted"], 1);
    assert_eq!(sockets["connectionsClosed"]["frameTimeout"], 0);
    assert_eq!(sockets["refused"]["malformed"], 1);
    assert_eq!(sockets["refused"]["psidNotAuthorized"], 1);
    assert_eq!(sockets["refused"]["tooLong"], 0);
    assert_eq!(sockets["httpRefused"]["404"], 1);
    assert_eq!(sockets["wrongTokens"], 1);

    let metrics = service.get("/metrics");
    for line in [
        "waywarden_connections_accepted_total 1",
        "waywarden_connections_refused_total 0",
        "waywarden_connections_closed_total{cause=\"frameTimeout\"} 0",
        "waywarden_refused_total{status=\"malformed\"} 1",
        "waywarden_refused_total{status=\"notAuthorized\"} 1",
        "waywarden_refused_total{status=\"psidNotAuthorized\"} 1",
        "waywarden_refused_total{status=\"tooManyConnections\"} 0",
        "waywarden_http_refused_total{code=\"404\"} 1",
        "waywarden_wrong_tokens_total 1",
        "waywarden_datagrams_total 0",
        "waywarden_events_lost_total 0",
        // What is granted reaches the engine, and is counted there.
        "waywarden_requests_total{operation=\"sign\",status=\"ok\"} 1",
    ] {
        assert!(metrics.lines().any(|one| one == line), "{line}\n{metrics}");
    }
    assert_eq!(service.end(), Some(0), "{}", log_of(&world));
}
