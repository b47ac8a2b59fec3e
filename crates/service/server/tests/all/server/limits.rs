//! The ranges of limits.

use std::time::Duration;

use waywarden_v2x_service::server::ServiceLimits;
use waywarden_v2x_service_protocol::FRAME_BYTES_MAX;

type Change = fn(&mut ServiceLimits);

const FEW: usize = FRAME_BYTES_MAX - 1;

#[test]
fn limits_out_of_range_are_refused_by_name() {
    let usual = ServiceLimits::default();
    usual.check().unwrap();
    let cases: [(&str, Change); 10] = [
        ("connections", |it| it.connections = 0),
        ("connections_of_user", |it| it.connections_of_user = 0),
        ("connections_ungranted", |it| it.connections_ungranted = 0),
        ("requests_of_connection", |it| {
            it.requests_of_connection = 1 << 17;
        }),
        ("request_bytes_of_connection", |it| {
            it.request_bytes_of_connection = FEW;
        }),
        ("request_bytes", |it| it.request_bytes = 1 << 20),
        ("datagrams", |it| it.datagrams = 0),
        ("datagrams_of_user", |it| it.datagrams_of_user = 0),
        ("write_timeout", |it| it.write_timeout = Duration::ZERO),
        ("idle_timeout", |it| it.idle_timeout = Some(Duration::ZERO)),
    ];
    for (name, change) in cases {
        let mut limits = usual;
        change(&mut limits);
        let error = limits.check().unwrap_err();
        assert_eq!(error.limit, name);
        assert!(error.to_string().contains(" to "), "{error}");
    }
}
