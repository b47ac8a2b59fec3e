//! Errors of a position in the units and codes of messages \[TS 102 894-2\], \[J2735 §6\].
//!
//! Every field has a code for an error that is not known; those of ETSI have another one for an
//! error beyond what the field can say. An error is rounded up.

use waywarden_v2x_security::region::{Accuracy, ErrorEllipse};
use waywarden_v2x_wire::bsm::PositionalAccuracy;
use waywarden_v2x_wire::etsi102894::{AltitudeConfidence, PosConfidenceEllipse};
use waywarden_v2x_wire::uper::Bounded;

use crate::number::bounded;

/// Largest half axis that ETSI's messages say, in cm; the next value is `outOfRange`.
const SEMI_AXIS_MAX_CM: u32 = 4_093;
/// Largest error of a speed in cm/s, and of a heading in tenths of a degree; then `outOfRange`.
const ERROR_MAX: u32 = 125;
/// Largest half axis of a basic safety message in its unit of 5 cm: it stands for any longer one.
const SEMI_AXIS_MAX_5_CM: u32 = 254;

/// Returns the ellipse as ETSI's messages have it.
pub(crate) fn ellipse(accuracy: &Accuracy) -> PosConfidenceEllipse {
    let Some(ellipse) = &accuracy.ellipse else {
        return PosConfidenceEllipse {
            semi_major_cm: Bounded::MAX,
            semi_minor_cm: Bounded::MAX,
            semi_major_orientation_decidegrees: Bounded::MAX,
        };
    };
    // 0 is no length of an axis.
    let axis = |cm: u32| bounded(i64::from(cm.clamp(1, SEMI_AXIS_MAX_CM + 1)));
    PosConfidenceEllipse {
        semi_major_cm: axis(ellipse.semi_major_cm),
        semi_minor_cm: axis(ellipse.semi_minor_cm),
        semi_major_orientation_decidegrees: bounded(orientation(ellipse)),
    }
}

/// Returns the ellipse as basic safety messages have it.
pub(crate) fn positional_accuracy(accuracy: &Accuracy) -> PositionalAccuracy {
    let Some(ellipse) = &accuracy.ellipse else {
        return PositionalAccuracy {
            semi_major_5_cm: Bounded::MAX,
            semi_minor_5_cm: Bounded::MAX,
            orientation: Bounded::MAX,
        };
    };
    let axis = |cm: u32| bounded(i64::from(cm.div_ceil(5).min(SEMI_AXIS_MAX_5_CM)));
    PositionalAccuracy {
        semi_major_5_cm: axis(ellipse.semi_major_cm),
        semi_minor_5_cm: axis(ellipse.semi_minor_cm),
        // A turn has 65,535 steps; the code of that number is for what is not known.
        orientation: bounded(orientation(ellipse) * 65_535 / 3_600),
    }
}

fn orientation(ellipse: &ErrorEllipse) -> i64 {
    i64::from(ellipse.orientation_decidegrees % 3_600)
}

/// Returns the class of an error of the altitude: the smallest that contains it.
pub(crate) fn altitude(accuracy: &Accuracy) -> AltitudeConfidence {
    let classes = [
        (1, AltitudeConfidence::Centimetre1),
        (2, AltitudeConfidence::Centimetres2),
        (5, AltitudeConfidence::Centimetres5),
        (10, AltitudeConfidence::Centimetres10),
        (20, AltitudeConfidence::Centimetres20),
        (50, AltitudeConfidence::Centimetres50),
        (100, AltitudeConfidence::Metre1),
        (200, AltitudeConfidence::Metres2),
        (500, AltitudeConfidence::Metres5),
        (1_000, AltitudeConfidence::Metres10),
        (2_000, AltitudeConfidence::Metres20),
        (5_000, AltitudeConfidence::Metres50),
        (10_000, AltitudeConfidence::Metres100),
        (20_000, AltitudeConfidence::Metres200),
    ];
    let Some(error) = accuracy.elevation_cm else {
        return AltitudeConfidence::Unavailable;
    };
    let mut classes = classes.into_iter();
    let class = classes.find(|(cm, _)| error <= *cm);
    class.map_or(AltitudeConfidence::OutOfRange, |(_, class)| class)
}

/// Returns an error of a speed in cm/s, or of a heading in tenths of a degree: 126 beyond 125, and
/// 127 for one that is not known.
pub(crate) fn confidence(error: Option<u32>) -> Bounded<1, 127> {
    let error = error.map(|error| i64::from(error.clamp(1, ERROR_MAX + 1)));
    error.map_or(Bounded::MAX, bounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(semi_major_cm: u32, semi_minor_cm: u32, orientation_decidegrees: u16) -> Accuracy {
        Accuracy {
            ellipse: Some(ErrorEllipse {
                semi_major_cm,
                semi_minor_cm,
                orientation_decidegrees,
            }),
            ..Accuracy::default()
        }
    }

    #[test]
    fn ellipses_are_in_the_range_of_their_fields_or_said_to_be_out_of_it() {
        let etsi = |accuracy: Accuracy| {
            let ellipse = ellipse(&accuracy);
            let orientation = ellipse.semi_major_orientation_decidegrees;
            (
                ellipse.semi_major_cm.value(),
                ellipse.semi_minor_cm.value(),
                orientation.value(),
            )
        };
        assert_eq!(etsi(Accuracy::default()), (4_095, 4_095, 3_601));
        assert_eq!(etsi(of(0, 0, 0)), (1, 1, 0));
        assert_eq!(etsi(of(4_093, 250, 900)), (4_093, 250, 900));
        assert_eq!(etsi(of(u32::MAX, 4_094, 1_799)), (4_094, 4_094, 1_799));
        let american = |accuracy: Accuracy| {
            let ellipse = positional_accuracy(&accuracy);
            (
                ellipse.semi_major_5_cm.value(),
                ellipse.semi_minor_5_cm.value(),
                ellipse.orientation.value(),
            )
        };
        assert_eq!(american(Accuracy::default()), (255, 255, 65_535));
        assert_eq!(american(of(0, 0, 0)), (0, 0, 0));
        assert_eq!(american(of(251, 250, 900)), (51, 50, 16_383));
        assert_eq!(american(of(1_270, 1_271, 0)), (254, 254, 0));
    }

    #[test]
    fn other_errors_take_the_class_that_contains_them() {
        let class = |elevation_cm| {
            altitude(&Accuracy {
                elevation_cm,
                ..Accuracy::default()
            })
        };
        assert_eq!(class(None), AltitudeConfidence::Unavailable);
        assert_eq!(class(Some(0)), AltitudeConfidence::Centimetre1);
        assert_eq!(class(Some(501)), AltitudeConfidence::Metres10);
        assert_eq!(class(Some(20_000)), AltitudeConfidence::Metres200);
        assert_eq!(class(Some(20_001)), AltitudeConfidence::OutOfRange);
        for (error, code) in [
            (None, 127),
            (Some(0), 1),
            (Some(125), 125),
            (Some(126), 126),
            (Some(u32::MAX), 126),
        ] {
            assert_eq!(confidence(error).value(), code, "{error:?}");
        }
    }
}
