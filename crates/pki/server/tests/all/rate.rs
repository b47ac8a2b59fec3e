//! Rate limits of peers: compared with a plain count of the requests in a window.

use std::net::IpAddr;
use std::time::Duration;

use waywarden_testkit::{Random, cases};
use waywarden_v2x_pki_service::server::{RateLimit, RateLimiter};

const LIMIT: RateLimit = RateLimit {
    burst: 5,
    per_second: 2,
};

fn peer(number: u32) -> IpAddr {
    IpAddr::from(number.to_be_bytes())
}

#[test]
fn a_peer_has_its_burst_and_then_its_rate() {
    let mut limiter = RateLimiter::new(LIMIT, 10);
    let mut allowed = |milliseconds, who| {
        let now = Duration::from_millis(milliseconds);
        (0..20).filter(|_| limiter.allow(peer(who), now)).count()
    };
    assert_eq!(allowed(0, 1), 5);
    assert_eq!(allowed(499, 1), 0);
    assert_eq!(allowed(500, 1), 1);
    assert_eq!(allowed(500, 2), 5);
    assert_eq!(allowed(3_600_000, 1), 5);
    // A clock that stands still or goes back earns nothing.
    assert_eq!(allowed(3_600_000, 1), 0);
    assert_eq!(allowed(0, 1), 0);
}

#[test]
fn addresses_of_one_holder_are_one_peer() {
    let mut limiter = RateLimiter::new(LIMIT, 10);
    let now = Duration::ZERO;
    let addresses = [
        "2001:db8::1",
        "2001:db8::2",
        "2001:db8::ffff:0:0:1",
        "2001:db8::5",
        "2001:db8::6",
    ];
    for address in addresses {
        assert!(limiter.allow(address.parse().unwrap(), now));
    }
    assert!(!limiter.allow("2001:db8::7".parse().unwrap(), now));
    assert!(limiter.allow("2001:db8:0:1::7".parse().unwrap(), now));
    for _ in 0..5 {
        assert!(limiter.allow("::ffff:10.0.0.1".parse().unwrap(), now));
    }
    assert!(!limiter.allow("10.0.0.1".parse().unwrap(), now));
}

#[test]
fn a_flood_of_addresses_stays_within_the_bound_and_leaves_known_peers_their_rate() {
    let mut limiter = RateLimiter::new(LIMIT, 100);
    let known = peer(1);
    assert!(limiter.allow(known, Duration::ZERO));
    let mut from_flood = 0;
    for number in 0..100_000_u32 {
        let now = Duration::from_micros(u64::from(number) * 10);
        from_flood += usize::from(limiter.allow(peer(1_000 + number), now));
        assert!(limiter.peers() <= 100);
        if number % 50_000 == 49_999 {
            assert!(limiter.allow(known, now));
        }
    }
    // Each address that found room, and the rest together as one peer.
    assert!(from_flood <= 100 + 5 + 2 + 1, "{from_flood}");
}

#[test]
fn no_window_has_more_requests_than_burst_and_rate_allow() {
    let mut random = Random::of_test("no_window_has_more_requests_than_burst_and_rate_allow");
    for _ in 0..cases(200) {
        let limit = RateLimit {
            burst: 1 + random.below(10) as u32,
            per_second: random.below(20) as u32,
        };
        let mut limiter = RateLimiter::new(limit, 4);
        let (mut now, mut allowed) = (0_u64, Vec::new());
        for _ in 0..200 {
            now += random.below(300);
            if limiter.allow(peer(7), Duration::from_millis(now)) {
                allowed.push(now);
            }
        }
        for (first, from) in allowed.iter().enumerate() {
            for (last, to) in allowed.iter().enumerate().skip(first) {
                let count = (last - first + 1) as u64;
                let earned = (to - from) * u64::from(limit.per_second) / 1_000;
                assert!(count <= u64::from(limit.burst) + earned + 1, "{limit:?}");
            }
        }
    }
}
