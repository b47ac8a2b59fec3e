//! Grants for signing and decryption.

use std::collections::BTreeSet;
use std::time::Duration;

use waywarden_v2x_service::access::{
    Access, AccessError, AccessRule, ClientCredential, Grant, Peer, RULES_MAX,
};
use waywarden_v2x_service::server::ServiceLimits;
use waywarden_v2x_service_protocol::{ClientToken, ResponseBody, Status, TOKEN_BYTES_MAX};
use waywarden_v2x_wire::ieee1609dot2::Psid;
use zeroize::Zeroizing;

use super::client::{Client, decrypt, refusal, sign, status, token};
use super::datagram::DatagramClient;
use super::served::{OTHER, Served, as_other_user, as_other_user_in};

const SECRET: &str = "a-secret-of-many-bytes";
const SECOND: &str = "another-secret-of-many-bytes";

pub(super) fn grant(psids: &[u64]) -> Grant {
    Grant {
        sign: psids.iter().copied().map(Psid).collect(),
        decrypt: false,
    }
}

pub(super) fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn own_gid() -> u32 {
    rustix::process::getegid().as_raw()
}

fn secret(text: &str) -> ClientCredential {
    ClientCredential::Token(ClientToken(Zeroizing::new(text.as_bytes().to_vec())))
}

fn rule(client: ClientCredential, grant: Grant) -> AccessRule {
    AccessRule { client, grant }
}

fn decrypting() -> Grant {
    Grant {
        sign: BTreeSet::new(),
        decrypt: true,
    }
}

/// Limits that do not slow the tests.
fn quick() -> ServiceLimits {
    ServiceLimits {
        wrong_token_delay: Duration::from_millis(1),
        ..ServiceLimits::default()
    }
}

#[test]
fn nothing_is_signed_or_decrypted_without_a_rule() {
    let served = Served::new();
    for mut client in [served.client(), Client::tcp(served.tcp)] {
        let response = client.ask(1, sign(36));
        let (status, reason) = refusal(&response);
        assert_eq!(status, Status::NotAuthorized);
        assert!(reason.contains("PSID 36"), "{reason}");
        assert!(reason.contains("administrator"), "{reason}");
        let response = client.ask(2, decrypt());
        assert_eq!(refusal(&response).0, Status::NotAuthorized);
    }
    assert_eq!(served.echo.submitted(), 0);
}

#[test]
fn a_client_has_what_the_rules_of_its_user_and_its_group_grant_together() {
    let rules = [
        rule(ClientCredential::Uid(own_uid()), grant(&[36])),
        rule(ClientCredential::Gid(own_gid()), grant(&[37])),
        rule(ClientCredential::Gid(own_gid()), decrypting()),
        rule(ClientCredential::Uid(own_uid() + 1), grant(&[38])),
        rule(ClientCredential::Gid(own_gid() + 1), grant(&[38])),
        rule(secret(SECRET), grant(&[38])),
    ];
    let served = Served::with(quick(), rules);
    let mut client = served.client();
    assert_eq!(status(&client.ask(1, sign(36))), Status::Ok);
    assert_eq!(status(&client.ask(2, sign(37))), Status::Ok);
    assert_eq!(status(&client.ask(3, decrypt())), Status::Ok);
    let response = client.ask(4, sign(38));
    let (refused, reason) = refusal(&response);
    assert_eq!(refused, Status::PsidNotAuthorized);
    assert!(
        reason.contains("PSID 38") && reason.contains("administrator"),
        "{reason}"
    );
    // The kernel does not say who is at the other end of TCP, also where it is the same user.
    let mut remote = Client::tcp(served.tcp);
    assert_eq!(status(&remote.ask(1, sign(36))), Status::NotAuthorized);
}

#[test]
fn a_supplementary_group_of_a_client_grants_nothing() {
    const GROUP: u32 = 4_711;
    let rules = [
        rule(ClientCredential::Gid(GROUP), grant(&[36])),
        rule(ClientCredential::Gid(OTHER), grant(&[37])),
    ];
    let served = Served::with(quick(), rules);
    let statuses = as_other_user_in(&[GROUP], || {
        let mut stream = served.client();
        let datagram = DatagramClient::of(&served, "member");
        let [own, supplementary] = [37, 36].map(|psid| {
            datagram.send(psid, sign(psid));
            [stream.ask(psid, sign(psid)), datagram.receive()].map(|one| status(&one))
        });
        (own, supplementary)
    });
    let expected = ([Status::Ok; 2], [Status::PsidNotAuthorized; 2]);
    assert!(statuses.is_none_or(|statuses| statuses == expected));
}

#[test]
fn another_user_is_refused() {
    let rules = [
        rule(ClientCredential::Uid(own_uid()), grant(&[36])),
        rule(ClientCredential::Gid(own_gid()), grant(&[36])),
        rule(ClientCredential::Uid(OTHER), decrypting()),
    ];
    let served = Served::with(quick(), rules);
    let statuses = as_other_user(|| {
        let mut client = served.client();
        [client.ask(1, sign(36)), client.ask(2, decrypt())].map(|one| status(&one))
    });
    let expected = [Status::NotAuthorized, Status::Ok];
    assert!(statuses.is_none_or(|statuses| statuses == expected));
}

#[test]
fn a_token_grants_what_its_rule_says_for_its_connection() {
    let rules = [
        rule(secret(SECRET), grant(&[36])),
        rule(secret(SECOND), decrypting()),
    ];
    let served = Served::with(quick(), rules);
    for mut client in [served.client(), Client::tcp(served.tcp).json()] {
        assert_eq!(status(&client.ask(1, sign(36))), Status::NotAuthorized);
        let response = client.ask(2, token(SECRET));
        assert_eq!(response.body, Ok(ResponseBody::Authenticated));
        assert_eq!(status(&client.ask(3, sign(36))), Status::Ok);
        assert_eq!(status(&client.ask(4, decrypt())), Status::NotAuthorized);
        assert_eq!(status(&client.ask(5, token(SECOND))), Status::Ok);
        assert_eq!(status(&client.ask(6, sign(36))), Status::Ok);
        assert_eq!(status(&client.ask(7, decrypt())), Status::Ok);
    }
    let mut other = served.client();
    assert_eq!(status(&other.ask(1, sign(36))), Status::NotAuthorized);
}

#[test]
fn five_wrong_tokens_end_a_connection() {
    let served = Served::with(quick(), [rule(secret(SECRET), grant(&[36]))]);
    let mut client = served.client();
    for id in 0..5 {
        let response = client.ask(id, token("wrong"));
        assert_eq!(status(&response), Status::NotAuthorized);
    }
    assert_eq!(client.next(), None);
    assert_eq!(served.statistics.wrong_tokens.read(), 5);
    assert_eq!(served.statistics.answers_with(Status::NotAuthorized), 5);
}

#[test]
fn a_request_behind_a_token_has_its_grant() {
    let served = Served::with(quick(), [rule(secret(SECRET), grant(&[36]))]);
    let mut client = served.client();
    client.send(1, token("wrong"));
    client.send(2, sign(36));
    client.send(3, token(SECRET));
    client.send(4, sign(36));
    let statuses: Vec<_> = (0..4).map(|_| status(&client.receive())).collect();
    let refused = Status::NotAuthorized;
    assert_eq!(statuses, [refused, refused, Status::Ok, Status::Ok]);
}

#[test]
fn only_the_whole_token_counts() {
    let access = Access::new([rule(secret(SECRET), grant(&[36]))]).unwrap();
    assert_eq!(access.grant_of_token(SECRET.as_bytes()), Some(grant(&[36])));
    let padded = [SECRET.as_bytes(), &[0]].concat();
    let long = vec![b'a'; TOKEN_BYTES_MAX + 1];
    let longer = vec![b'a'; (1 << 16) + SECRET.len()];
    let start = &SECRET.as_bytes()[..SECRET.len() - 1];
    for wrong in [&b""[..], start, &padded, &long, &longer, SECOND.as_bytes()] {
        assert_eq!(access.grant_of_token(wrong), None);
    }
    assert_eq!(Access::default().grant_of_token(b""), None);
}

#[test]
fn a_client_that_the_kernel_does_not_know_is_granted_nothing() {
    let rules = [
        rule(ClientCredential::Uid(0), grant(&[36])),
        rule(ClientCredential::Gid(7), grant(&[37])),
    ];
    let access = Access::new(rules).unwrap();
    assert_eq!(access.grant_of_peer(None), Grant::default());
    let peer = |uid, gid| access.grant_of_peer(Some(Peer { uid, gid }));
    assert_eq!(peer(0, 7), grant(&[36, 37]));
    assert_eq!(peer(7, 0), Grant::default());
}

#[test]
fn rules_that_cannot_hold_are_refused() {
    let long = "a".repeat(TOKEN_BYTES_MAX + 1);
    for text in ["", "too short", &long] {
        let rules = [
            rule(ClientCredential::Uid(0), grant(&[])),
            rule(secret(text), grant(&[])),
        ];
        let error = Access::new(rules).unwrap_err();
        let length = text.len();
        assert_eq!(error, AccessError::TokenLength { rule: 1, length });
        assert!(error.to_string().contains("rule 2"), "{error}");
        assert!(
            text.is_empty() || !error.to_string().contains(text),
            "{error}"
        );
    }
    let rules = (0..).map(|uid| rule(ClientCredential::Uid(uid), grant(&[])));
    let error = Access::new(rules).unwrap_err();
    assert_eq!(error, AccessError::TooManyRules(RULES_MAX + 1));
}

#[test]
fn a_token_is_not_shown_in_logs() {
    let access = Access::new([rule(secret(SECRET), grant(&[36]))]).unwrap();
    assert!(!format!("{access:?}").contains("secret-of"));
    assert!(!format!("{:?}", secret(SECRET)).contains("secret-of"));
}
