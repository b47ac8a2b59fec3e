//! Results of parsing a message.

use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_security::profile::SecurityProfile;

use super::{Matrix, STRICT, World, here, whole};

pub(super) fn parsing(matrix: &mut Matrix) {
    use ResultCode::*;
    let world = World::plain();
    let named = [&world.authority];
    let named = Named::Certificates(&named);
    let now = here(now());
    let mut verifier = world.verifier(SecurityProfile::DEFAULT);
    let mut sound = (0_u8..).map(|at| {
        let payload = [at];
        let message = MessageContents {
            payload: &payload,
            ..whole(named)
        };
        message.sign(&world.station)
    });
    let mut next = || sound.next().unwrap();
    let truncated = &next()[..200];
    matrix.row(
        ParsingInvalidInput,
        &mut verifier,
        (truncated, &now),
        (&next(), &now),
    );
    let mut foreign = next();
    // The alternative of the content: of an extension that there is not.
    foreign[1] = 0x85;
    let critical = ParsingUnsupportedCriticalInformationField;
    matrix.row(critical, &mut verifier, (&foreign, &now), (&next(), &now));
    let (code, unsecured) = (InconsistentInputParameters, [3, 0x80, 1, 7]);
    matrix.row(code, &mut verifier, (&unsecured, &now), (&next(), &now));
    let stranger = Holder::issue(&Spec::station(9), Some(&world.authority));
    let unknown = MessageContents {
        named: Named::Digest,
        ..whole(named)
    }
    .sign(&stranger);
    matrix.row(
        ParsingCertificateNotFound,
        &mut verifier,
        (&unknown, &now),
        (&next(), &now),
    );
    let mut strict = world.verifier(SecurityProfile {
        crl_tolerance: None,
        ..STRICT
    });
    let timeless = MessageContents {
        made: None,
        ..whole(named)
    }
    .sign(&world.station);
    let code = ParsingGenerationTimeNotAvailable;
    matrix.row(code, &mut strict, (&timeless, &now), (&next(), &now));
    let placeless = MessageContents {
        place: None,
        ..whole(named)
    }
    .sign(&world.station);
    let code = ParsingGenerationLocationNotAvailable;
    matrix.row(code, &mut strict, (&placeless, &now), (&next(), &now));
    let mut wrong = next();
    *wrong.last_mut().unwrap() ^= 1;
    matrix.row(
        CryptoVerificationFailure,
        &mut strict,
        (&wrong, &now),
        (&next(), &now),
    );
}
