//! Points as they are written.

use waywarden_ecverify::{EncodedPoint, Point};
use waywarden_v2x_wire::ieee1609dot2::CurvePoint;

/// Returns a point as keys are written: compressed.
///
/// # Panics
/// If the coordinates of its curve do not have `N` bytes.
#[must_use]
pub fn compressed<const N: usize>(point: &Point) -> CurvePoint<'_, N> {
    let x = point
        .x()
        .try_into()
        .expect("a curve with coordinates of N bytes");
    match point.uncompressed().to_compressed() {
        EncodedPoint::CompressedY1(_) => CurvePoint::CompressedY1(x),
        _ => CurvePoint::CompressedY0(x),
    }
}
