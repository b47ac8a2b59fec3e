//! Results of internal consistency and of local policy.

use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_security::profile::SecurityProfile;
use waywarden_v2x_security::{ReceptionContext, ResultCode};
use waywarden_v2x_wire::ieee1609dot2::Psid;

use super::{Matrix, World, here, whole};

pub(super) fn internal(matrix: &mut Matrix) {
    use ResultCode::*;
    let world = World::plain();
    let named = [&world.authority];
    let message = whole(Named::Certificates(&named));
    let now = here(now());
    let mut verifier = world.verifier(SecurityProfile::DEFAULT);
    let early = MessageContents {
        expires: Some(self::now()),
        ..message
    }
    .sign(&world.station);
    let sound = message.sign(&world.station);
    let code = InternalConsistencyExpiryTimeBeforeGenerationTime;
    matrix.row(code, &mut verifier, (&early, &now), (&sound, &now));

    let data = b"elsewhere";
    let digest = hash(HashFunction::Sha256, data)
        .as_bytes()
        .try_into()
        .unwrap();
    let hashed = |payload| {
        let message = MessageContents {
            external: Some(digest),
            payload,
            ..message
        };
        message.sign(&world.station)
    };
    let with = |data| ReceptionContext {
        external_data: Some(data),
        ..now
    };
    let code = InternalConsistencyExtDataHashDoesntMatch;
    let one = hashed(b"1");
    matrix.row(
        code,
        &mut verifier,
        (&one, &with(b"other")),
        (&one, &with(data)),
    );
    let code = InternalConsistencyNoExtDataHashProvided;
    let two = hashed(b"2");
    matrix.row(code, &mut verifier, (&two, &now), (&two, &with(data)));
    let code = InternalConsistencyNoExtDataHashPresent;
    let three = MessageContents {
        payload: b"3",
        ..message
    }
    .sign(&world.station);
    matrix.row(code, &mut verifier, (&three, &with(data)), (&three, &now));
}

pub(super) fn local(matrix: &mut Matrix) {
    use ResultCode::*;
    let world = World::plain();
    let named = [&world.authority];
    let message = whole(Named::Certificates(&named));
    let now = here(now());
    let mut verifier = world.verifier(SecurityProfile::DEFAULT);
    let sound = message.sign(&world.station);
    let four = MessageContents {
        payload: b"4",
        ..message
    }
    .sign(&world.station);
    let wants = |psid| ReceptionContext {
        psid: Some(Psid(psid)),
        ..now
    };
    let code = LocalConsistencyPsidsDontMatch;
    matrix.row(
        code,
        &mut verifier,
        (&four, &wants(32)),
        (&four, &wants(135)),
    );

    let short = SecurityProfile {
        chain_max: 2,
        ..SecurityProfile::DEFAULT
    };
    let mut verifier = world.verifier(short);
    let near = Holder::issue(&Spec::station(5), Some(&world.root));
    let near = whole(Named::Certificates(&[])).sign(&near);
    let code = LocalConsistencyChainWasTooLongForSdee;
    matrix.row(code, &mut verifier, (&sound, &now), (&near, &now));
}
