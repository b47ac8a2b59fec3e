//! The oracle of the areas: geodesics of the ellipsoid by the inverse formula of Vincenty (1975),
//! which shares no formula with the code under test.

use waywarden_v2x_wire::ieee1609dot2::TwoDLocation;

use super::at;

const AXIS_M: f64 = 6_378_137.0;
const FLATTENING: f64 = 1.0 / 298.257_223_563;

/// The length in metres and the azimuth in radians, clockwise from north, of the way from one place
/// to another some kilometres off.
pub(super) fn inverse(from: &TwoDLocation, to: &TwoDLocation) -> (f64, f64) {
    let radians = |units: i64| (units as f64 / 1e7).to_radians();
    let (latitude_1, latitude_2) = (from.latitude.0.into(), to.latitude.0.into());
    let difference = i64::from(to.longitude.0) - i64::from(from.longitude.0);
    let longitude = radians((difference + 1_800_000_000).rem_euclid(3_600_000_000) - 1_800_000_000);
    let reduced = |latitude| ((1.0 - FLATTENING) * radians(latitude).tan()).atan();
    let (u_1, u_2): (f64, f64) = (reduced(latitude_1), reduced(latitude_2));
    let mut lambda = longitude;
    for _ in 0..100 {
        let (sine, cosine) = lambda.sin_cos();
        let y = u_2.cos() * sine;
        let x = u_1.cos() * u_2.sin() - u_1.sin() * u_2.cos() * cosine;
        let sin_sigma = y.hypot(x);
        if sin_sigma == 0.0 {
            return (0.0, 0.0);
        }
        let cos_sigma = u_1.sin() * u_2.sin() + u_1.cos() * u_2.cos() * cosine;
        let sigma = sin_sigma.atan2(cos_sigma);
        let sin_alpha = u_1.cos() * u_2.cos() * sine / sin_sigma;
        let square = 1.0 - sin_alpha * sin_alpha;
        let middle = match square > 0.0 {
            true => cos_sigma - 2.0 * u_1.sin() * u_2.sin() / square,
            false => 0.0,
        };
        let c = FLATTENING / 16.0 * square * (4.0 + FLATTENING * (4.0 - 3.0 * square));
        let bracket = middle + c * cos_sigma * (2.0 * middle * middle - 1.0);
        let next =
            longitude + (1.0 - c) * FLATTENING * sin_alpha * (sigma + c * sin_sigma * bracket);
        let is_done = (next - lambda).abs() < 1e-14;
        lambda = next;
        if is_done {
            let length = length(sigma, sin_sigma, cos_sigma, middle, square);
            return (length, y.atan2(x));
        }
    }
    panic!("no geodesic from {from:?} to {to:?}");
}

fn length(sigma: f64, sin_sigma: f64, cos_sigma: f64, middle: f64, square: f64) -> f64 {
    let minor = AXIS_M * (1.0 - FLATTENING);
    let u = square * (AXIS_M * AXIS_M - minor * minor) / (minor * minor);
    let a = 1.0 + u / 16_384.0 * (4_096.0 + u * (u * (320.0 - 175.0 * u) - 768.0));
    let b = u / 1_024.0 * (256.0 + u * (u * (74.0 - 47.0 * u) - 128.0));
    let far = middle / 6.0 * (4.0 * sin_sigma * sin_sigma - 3.0) * (4.0 * middle * middle - 3.0);
    let near = cos_sigma * (2.0 * middle * middle - 1.0);
    minor * a * (sigma - b * sin_sigma * (middle + b / 4.0 * (near - b * far)))
}

/// From Flinders Peak to Buninyong: the test line of Australia's geodetic datum manual.
#[test]
fn the_oracle_gives_the_published_test_line() {
    let from = at(-379_510_334, 1_444_248_679);
    let to = at(-376_528_211, 1_439_264_955);
    let (length, azimuth) = inverse(&from, &to);
    println!("{length} m, {} degrees", azimuth.to_degrees());
    assert!((length - 54_972.271).abs() < 0.02);
    assert!((azimuth.to_degrees() + 360.0 - 306.868_158).abs() < 1e-5);
}
