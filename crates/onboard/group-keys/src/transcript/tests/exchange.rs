//! One key exchange against the vectors: its orchestration, its shares and its confirmations.

use waywarden_key_suites::symmetric::decrypt_ctr;
use waywarden_work::{NoMeter, RecordedOperations};

use super::*;

pub(super) fn exchange_is_met<S: Listed>(known: &Known, block: &Fields<'_>) {
    let settings = &known.settings;
    let (header, freshness) = (header(block), number(block, "freshness"));
    let (meter, hardened) = (&mut NoMeter, settings.profile == GroupProfile::Hardened);
    orchestration_is_met::<S>(settings, block);
    let scalar = |name: &str, side: Address| {
        let secret = secret(block, name);
        let published = !hardened && !settings.plan.is_physical(side);
        let half = secret.as_bytes().first_chunk().unwrap();
        match published {
            true => S::scalar_as_published(half),
            false => S::scalar(&secret),
        }
    };
    let scalars = [
        scalar("secret-a", header.first),
        scalar("secret-b", header.second),
    ];
    let shares = ["a", "b"].map(|side| -> Share {
        let share = payload(block, &std::format!("sent-share-{side}"));
        share.try_into().unwrap()
    });
    for (side, name) in ["scalar-a", "scalar-b"].into_iter().enumerate() {
        assert_eq!(S::share(meter, &scalars[side]), shares[side]);
        assert_eq!(S::share_of(array(block, name)), shares[side]);
        let agreed = S::extract(meter, &scalars[side], &shares[1 - side]).unwrap();
        assert!(agreed == secret(block, "z"));
    }
    let actors = array(block, "actors").map(Address);
    let of = [&shares[0], &shares[1]];
    let agreed = secret(block, "z");
    let keys = keys(
        (S::IDENTIFIER, settings),
        header,
        freshness,
        actors,
        of,
        &agreed,
        meter,
    );
    assert_eq!(keys.confirmation[..], field(block, "k"));
    assert_eq!(keys.channel[..], field(block, "channel"));
    assert!(keys.secret == secret(block, "secret"));
    let traffic = traffic_key(settings, header.result, &keys.secret);
    assert!(traffic == secret(block, "traffic-key"));
    for (side, step) in [Step::ConfirmationA, Step::ConfirmationB]
        .into_iter()
        .enumerate()
    {
        let pair = Pair {
            signer: actors[side],
            reader: actors[1 - side],
            signer_share: of[side],
            reader_share: of[1 - side],
        };
        confirmation_is_met::<S>(known, block, step, pair, &keys.confirmation);
    }
}

fn orchestration_is_met<S: Listed>(settings: &GroupSettings, block: &Fields<'_>) {
    let (header, freshness) = (header(block), number(block, "freshness"));
    let none = Excluded::default();
    let step = Step::Orchestration;
    let order = orchestration(S::IDENTIFIER, settings, step, header, freshness, &none);
    assert_eq!(order.as_bytes(), field(block, "signed-orchestration"));
    if settings.profile == GroupProfile::Hardened {
        let bound = Message::bound(
            S::IDENTIFIER,
            settings.plan.scheme(),
            step,
            header,
            freshness,
        );
        assert_eq!(bound.as_bytes(), field(block, "bound-orchestration"));
        let present = settings.plan.composition(header.result, &none);
        assert_eq!(present.as_bytes()[..], field(block, "who-is-in-the-result"));
        let salt = sha256(&mut NoMeter, &[&field(block, "salted")]);
        assert_eq!(salt[..], field(block, "salt"));
    }
}

fn confirmation_is_met<S: Listed>(
    known: &Known,
    block: &Fields<'_>,
    step: Step,
    pair: Pair<'_>,
    key: &[u8; 16],
) {
    let (settings, meter) = (&known.settings, &mut RecordedOperations::new());
    let (header, freshness) = (header(block), number(block, "freshness"));
    let letter = if step == Step::ConfirmationA {
        "a"
    } else {
        "b"
    };
    let named = |what: &str| std::format!("{what}-confirmation-{letter}");
    let signer = pair.signer;
    let message = confirmation(S::IDENTIFIER, settings, step, header, freshness, pair);
    assert_eq!(message.as_bytes(), field(block, &named("signed")));
    let counter = counter_block(settings.profile, step, freshness);
    assert_eq!(counter, array(block, &named("counter")));
    let mut signature: [u8; 64] = payload(block, &named("sent")).try_into().unwrap();
    decrypt_ctr(meter, key, &counter, &mut signature);
    assert_eq!(signature[..], field(block, &named("signature")));
    let mut keys = known.keys.iter();
    let (_, key) = keys.find(|(at, _)| *at == signer).unwrap();
    assert_eq!(
        S::verify(meter, key, message.as_bytes(), &signature),
        Ok(())
    );
}
