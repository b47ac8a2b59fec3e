//! Cost of unauthenticated bytes for a receiver: messages of several sizes that are made to be
//! slow, without a key of any authority, as multiples of a usual message (P-256, signer by digest).
//!
//! `cargo bench -p waywarden-v2x-security --bench unverified`

use std::time::Instant;

use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now, written};
use waywarden_v2x_security::{Capacity, MessageSource, ReceptionContext, Verifier};
use waywarden_v2x_wire::coer::{Raw, SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateBase, CountryAndRegions, GeographicRegion, HashedId3, HeaderInfo,
    IdentifiedRegion, Psid, PsidGroupPermissions, PsidSsp, PsidSspRange, SspRange,
    SubjectPermissions, Time64, ToBeSignedCertificate, UnCountryId,
};

/// The sizes of a table, in bytes: the first two are within the default limit for radios.
const SIZES: [usize; 5] = [1_400, 2_300, 8_000, 65_000, 200_000];

/// A receiver that knows a root and a station, and what is sent to it.
struct ReceiverUnderLoad {
    root: Holder,
    station: Holder,
}

impl ReceiverUnderLoad {
    fn new() -> Self {
        let root = Holder::issue(&Spec::authority(1), None);
        let station = Holder::issue(&Spec::station(3), Some(&root));
        Self { root, station }
    }

    fn verifier(&self) -> Verifier {
        let mut verifier = Verifier::new(Capacity {
            table_bytes: 0,
            ..Capacity::DEFAULT
        });
        verifier.add_trust_anchor(&self.root.certificate).unwrap();
        verifier.add_certificate(&self.station.certificate).unwrap();
        verifier
    }

    /// Usual messages, each another one, so that none is a replay.
    fn usual(&self, count: u64) -> Vec<Vec<u8>> {
        let message = |after| MessageContents {
            made: Some(Time64(now().0 + after)),
            named: Named::Digest,
            ..MessageContents::new()
        };
        (0..count)
            .map(|after| message(after).sign(&self.station))
            .collect()
    }
}

/// The fastest of many runs, in microseconds: what other programs take is no part of the cost.
fn microseconds(mut run: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..40 {
        let begun = Instant::now();
        run();
        best = best.min(begun.elapsed().as_secs_f64() * 1e6);
    }
    best
}

/// Takes the contents of a certificate.
type Issue<'i> = &'i mut dyn FnMut(ToBeSignedCertificate<'_>);

/// A certificate of an authority with these contents, which the root did not sign.
fn forged(
    receiver: &ReceiverUnderLoad,
    change: impl for<'a> FnOnce(ToBeSignedCertificate<'a>, Issue<'_>),
) -> Holder {
    let authority = Holder::issue(&Spec::authority(7), Some(&receiver.root));
    let view: Certificate<'_> = parse(&authority.certificate).unwrap();
    let mut certificate = Vec::new();
    change(*view.to_be_signed, &mut |tbs| {
        let parts = CertificateBase {
            to_be_signed: Raw::new(tbs),
            ..*view
        };
        certificate = written(&Certificate::new(parts).unwrap());
    });
    Holder {
        certificate,
        key: authority.key,
    }
}

/// A message under a forged authority with a station of its own.
fn under(authority: &Holder, implicit: bool) -> Vec<u8> {
    let spec = Spec {
        implicit,
        ..Spec::station(8)
    };
    let station = Holder::issue(&spec, Some(authority));
    let message = MessageContents {
        named: Named::Certificates(&[authority]),
        ..MessageContents::new()
    };
    message.sign(&station)
}

fn regions(receiver: &ReceiverUnderLoad, bytes: usize) -> Vec<u8> {
    let numbers: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
    let authority = forged(receiver, |tbs, done| {
        let list = [IdentifiedRegion::CountryAndRegions(CountryAndRegions {
            country: UnCountryId(380),
            regions: SequenceOf::new(&numbers).unwrap(),
        })];
        done(ToBeSignedCertificate {
            region: Some(GeographicRegion::Identified(
                SequenceOf::new(&list).unwrap(),
            )),
            ..tbs
        });
    });
    under(&authority, true)
}

fn permissions(receiver: &ReceiverUnderLoad, bytes: usize) -> Vec<u8> {
    let app: Vec<PsidSsp<'_>> = (0..bytes / 4)
        .map(|at| PsidSsp {
            psid: Psid(200 + at as u64 % 40_000),
            ssp: None,
        })
        .collect();
    let authority = forged(receiver, |tbs, done| {
        done(ToBeSignedCertificate {
            app_permissions: Some(SequenceOf::new(&app).unwrap()),
            ..tbs
        });
    });
    under(&authority, true)
}

fn opaque(receiver: &ReceiverUnderLoad, bytes: usize) -> Vec<u8> {
    let values: Vec<&[u8]> = vec![&[]; bytes];
    let range = [PsidSspRange {
        psid: Psid(135),
        range: Some(SspRange::Opaque(SequenceOf::new(&values).unwrap())),
    }];
    let authority = forged(receiver, |tbs, done| {
        let groups = [PsidGroupPermissions {
            subject: SubjectPermissions::Explicit(SequenceOf::new(&range).unwrap()),
            min_chain_length: 1,
            chain_length_range: -1,
            ee_type: waywarden_v2x_wire::ieee1609dot2::EndEntityType::APP,
        }];
        done(ToBeSignedCertificate {
            cert_issue_permissions: Some(SequenceOf::new(&groups).unwrap()),
            ..tbs
        });
    });
    under(&authority, false)
}

/// A wrong signature behind a long payload, or behind a long list in the header.
fn long_message(receiver: &ReceiverUnderLoad, bytes: usize, in_header: bool) -> Vec<u8> {
    let payload = vec![7; if in_header { 1 } else { bytes }];
    let message = MessageContents {
        payload: &payload,
        named: Named::Digest,
        ..MessageContents::new()
    };
    let ids = vec![HashedId3([1, 2, 3]); bytes / 3];
    let header = HeaderInfo {
        inline_p2pcd_request: in_header.then(|| SequenceOf::new(&ids).unwrap()),
        ..message.header()
    };
    let mut signed = message.sign_with(header, &receiver.station);
    *signed.last_mut().unwrap() ^= 1;
    signed
}

/// Real certificates of two authorities, and a station under them whose message is not its own: as
/// many signatures as the limit allows, and the last one is wrong.
fn real_chain(receiver: &ReceiverUnderLoad) -> Vec<u8> {
    let authority = Holder::issue(&Spec::authority(20), Some(&receiver.root));
    let station = Holder::issue(&Spec::station(21), Some(&authority));
    let message = MessageContents {
        named: Named::Certificates(&[&authority]),
        ..MessageContents::new()
    };
    let mut signed = message.sign(&station);
    *signed.last_mut().unwrap() ^= 1;
    signed
}

fn implicit_chain(receiver: &ReceiverUnderLoad, length: usize) -> Vec<u8> {
    let mut above: Vec<Holder> = Vec::new();
    for seed in 0..length {
        let spec = Spec {
            implicit: true,
            ..Spec::authority(30 + seed as u8)
        };
        let next = Holder::issue(&spec, Some(above.last().unwrap_or(&receiver.root)));
        above.push(next);
    }
    let spec = Spec {
        implicit: true,
        ..Spec::station(50)
    };
    let station = Holder::issue(&spec, above.last());
    let named: Vec<&Holder> = above.iter().rev().collect();
    let message = MessageContents {
        named: Named::Certificates(&named),
        ..MessageContents::new()
    };
    message.sign(&station)
}

/// A printer of one row for each message; it keeps the time of the slowest one from a radio.
struct Table<'s> {
    receiver: &'s ReceiverUnderLoad,
    /// Time for a usual message, in microseconds.
    unit: f64,
    /// Time for the slowest message from a radio, as a multiple of `unit`.
    worst: f64,
}

impl Table<'_> {
    fn row(&mut self, name: &str, message: &[u8]) {
        let context = |source| ReceptionContext {
            source,
            ..ReceptionContext::at(now())
        };
        for (source, from) in [
            (MessageSource::Radio, "radio"),
            (MessageSource::File, "file"),
        ] {
            let mut verifier = self.receiver.verifier();
            let mut result = String::new();
            let took = microseconds(|| {
                if let Err(refusal) = verifier.verify(message, &context(source)) {
                    result = format!("{refusal}");
                }
            });
            let times = took / self.unit;
            if source == MessageSource::Radio {
                self.worst = self.worst.max(times);
            }
            println!(
                "{:<44} {:>8} {took:>9.1} {times:>7.2}  {}",
                format!("{name} ({from})"),
                message.len(),
                result.chars().take(60).collect::<String>()
            );
        }
    }
}

fn main() {
    let receiver = ReceiverUnderLoad::new();
    let usual = receiver.usual(400);
    let mut verifier = receiver.verifier();
    let mut next = usual.iter();
    let unit = microseconds(|| {
        let message = next.next().unwrap();
        assert!(
            verifier
                .verify(message, &ReceptionContext::at(now()))
                .is_ok()
        );
    });
    println!("a usual message: {unit:.1} us\n");
    println!(
        "{:<44} {:>8} {:>9} {:>7}  result",
        "message", "bytes", "us", "times"
    );
    let mut table = Table {
        receiver: &receiver,
        unit,
        worst: 0.0,
    };
    for size in SIZES {
        let room = size.saturating_sub(420);
        table.row("regions in a forged certificate", &regions(&receiver, room));
        table.row(
            "applications in a forged certificate",
            &permissions(&receiver, room),
        );
        table.row(
            "opaque permissions in a forged certificate",
            &opaque(&receiver, room),
        );
        table.row(
            "a long payload, wrongly signed",
            &long_message(&receiver, size - 180, false),
        );
        table.row(
            "a long header, wrongly signed",
            &long_message(&receiver, size - 180, true),
        );
    }
    table.row(
        "a real chain, the message wrongly signed",
        &real_chain(&receiver),
    );
    for length in [1, 6] {
        table.row(
            &format!("implicit certificates, {}", length + 1),
            &implicit_chain(&receiver, length),
        );
    }
    println!(
        "\nfrom a radio at most {:.2} times a usual message",
        table.worst
    );
}
