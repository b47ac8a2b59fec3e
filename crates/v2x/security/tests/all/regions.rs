//! Certificates whose regions are invalid, larger than their issuer's, or too many to compare.

use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_security::region::RegionFault;
use waywarden_v2x_security::{
    MessageSource, Reason, ReceptionContext, Refusal, ResultCode, Verifier,
};
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    CircularRegion, CountryAndRegions, GeographicRegion, IdentifiedRegion, Latitude, Longitude,
    RectangularRegion, TwoDLocation, UnCountryId,
};

type Region = GeographicRegion<'static>;

/// A place in tenths of a degree.
fn at(latitude: i32, longitude: i32) -> TwoDLocation {
    TwoDLocation {
        latitude: Latitude(latitude * 1_000_000),
        longitude: Longitude(longitude * 1_000_000),
    }
}

fn circle(radius: u16) -> Region {
    let center = at(480, 110);
    GeographicRegion::Circular(CircularRegion { center, radius })
}

/// South, north, west and east of each.
fn rectangles(all: &[[i32; 4]]) -> Region {
    let rectangle = |&[south, north, west, east]: &[i32; 4]| RectangularRegion {
        north_west: at(north, west),
        south_east: at(south, east),
    };
    let all: Vec<RectangularRegion> = all.iter().map(rectangle).collect();
    GeographicRegion::Rectangular(SequenceOf::new(all.leak()).unwrap())
}

fn polygon(corners: &[[i32; 2]]) -> Region {
    let corners: Vec<TwoDLocation> = corners.iter().map(|one| at(one[0], one[1])).collect();
    GeographicRegion::Polygonal(SequenceOf::new(corners.leak()).unwrap())
}

/// Returns `count` regions of a country, all of them the same one.
fn regions_of_a_country(count: usize) -> Region {
    let regions = vec![1; count].leak();
    let all = vec![IdentifiedRegion::CountryAndRegions(CountryAndRegions {
        country: UnCountryId(276),
        regions: SequenceOf::new(regions).unwrap(),
    })];
    GeographicRegion::Identified(SequenceOf::new(all.leak()).unwrap())
}

fn with_region(spec: Spec, region: Option<Region>) -> Spec {
    Spec { region, ..spec }
}

/// Verifies a message of a station under an authority under a root, which is a trust anchor, with
/// these regions.
fn verify(root: Option<Region>, authority: Option<Region>, station: Option<Region>) -> Verdict {
    let root = Holder::issue(&with_region(Spec::authority(1), root), None);
    let authority = Holder::issue(&with_region(Spec::authority(2), authority), Some(&root));
    let station = Holder::issue(&with_region(Spec::station(3), station), Some(&authority));
    let mut verifier = Verifier::default();
    verifier.add_trust_anchor(&root.certificate)?;
    let named = Named::Certificates(&[&authority]);
    let message = MessageContents {
        named,
        ..MessageContents::new()
    };
    let signed = message.sign(&station);
    // Certificates of 60 kB come in files.
    let context = ReceptionContext {
        source: MessageSource::File,
        ..ReceptionContext::at(now())
    };
    let by_message = verifier.verify(&signed, &context);
    let by_message = by_message.map(|_| ());
    let certificate = verifier.add_certificate(&authority.certificate);
    let certificate = certificate.and_then(|_| verifier.add_certificate(&station.certificate));
    assert_eq!(by_message, certificate.map(|_| ()));
    by_message
}

type Verdict = Result<(), Refusal>;

#[track_caller]
fn assert_refused(verdict: Verdict, code: ResultCode, why: &'static str) {
    let refusal = verdict.unwrap_err();
    assert_eq!((refusal.code, refusal.field), (code, "region"), "{refusal}");
    assert_eq!(refusal.reason, Reason::Words(why));
}

#[test]
fn invalid_region_makes_its_certificate_invalid() {
    let unknown = GeographicRegion::Circular(CircularRegion {
        center: TwoDLocation {
            latitude: Latitude(900_000_001),
            ..at(0, 0)
        },
        radius: 1,
    });
    for (fault, region) in [
        (RegionFault::Empty, rectangles(&[])),
        (RegionFault::NoRadius, circle(0)),
        (RegionFault::UnknownCoordinate, unknown),
        (
            RegionFault::SwappedLatitudes,
            rectangles(&[[481, 479, 109, 111]]),
        ),
        (RegionFault::NoHeight, rectangles(&[[481, 481, 109, 111]])),
        (RegionFault::NoWidth, rectangles(&[[479, 481, 109, 109]])),
        (
            RegionFault::RepeatedCorner,
            polygon(&[[479, 109], [480, 110], [481, 109], [480, 110]]),
        ),
        (
            RegionFault::CrossingSides,
            polygon(&[[479, 109], [481, 111], [479, 111], [481, 109]]),
        ),
    ] {
        // An anchor's, one that nothing above restricts, and one that is in its issuer's.
        let in_all = rectangles(&[[-900, 900, -1_700, 1_700]]);
        for (root, authority, station) in [
            (Some(region), None, None),
            (None, Some(region), None),
            (None, None, Some(region)),
            (Some(in_all), None, Some(region)),
            (Some(region), None, Some(region)),
        ] {
            let verdict = verify(root, authority, station);
            assert_refused(verdict, ResultCode::ParsingInvalidInput, fault.why());
        }
    }
}

#[test]
fn region_beyond_its_issuers_is_refused() {
    let code = ResultCode::ChainInconsistentChainPermissions;
    let why = "not certain to be in the issuer's region";
    let short = rectangles(&[[479, 481, 109, 111]]);
    let long = rectangles(&[[479, 481, 111, 109]]);
    for (root, authority, station) in [
        (None, Some(circle(65_000)), Some(long)),
        (Some(circle(65_000)), None, Some(long)),
        (Some(circle(65_000)), Some(long), None),
        (Some(short), Some(circle(1_000)), Some(short)),
        (Some(short), Some(circle(65_000)), Some(short)),
    ] {
        assert_refused(verify(root, authority, station), code, why);
    }
}

#[test]
fn region_within_its_issuers_is_accepted() {
    let country = polygon(&[[450, 90], [450, 130], [500, 130], [500, 90]]);
    let halves = rectangles(&[[470, 490, 100, 110], [470, 490, 110, 120]]);
    let whole = rectangles(&[[475, 485, 105, 115]]);
    let part = polygon(&[[479, 109], [479, 111], [481, 110]]);
    for (root, authority, station) in [
        (Some(country), Some(halves), Some(whole)),
        (Some(country), Some(circle(65_000)), Some(part)),
        (Some(country), Some(part), Some(circle(1_000))),
        (Some(country), None, Some(part)),
        (Some(halves), Some(circle(40_000)), Some(circle(40_000))),
    ] {
        assert_eq!(verify(root, authority, station), Ok(()));
    }
}

/// A certificate of 60 kB names one region 60,000 times.
#[test]
fn regions_beyond_the_bounds_are_not_supported() {
    let code = ResultCode::ParsingUnsupportedCriticalInformationField;
    let corner = |at: i32| [480 + at, 110 + at * at / 4];
    let corners: Vec<[i32; 2]> = (0..49).map(corner).collect();
    let around = polygon(&[[0, 0], [0, 1_200], [0, -1_200]]);
    for (fault, region) in [
        (RegionFault::TooManyIdentified, regions_of_a_country(60_000)),
        (
            RegionFault::TooManyRectangles,
            rectangles(&[[479, 481, 109, 111]; 65]),
        ),
        (RegionFault::TooManyCorners, polygon(&corners)),
        (RegionFault::PolygonTooLarge, around),
    ] {
        assert_refused(verify(None, None, Some(region)), code, fault.why());
        assert_refused(verify(Some(region), None, None), code, fault.why());
    }
    let most = regions_of_a_country(1_023);
    assert_eq!(
        verify(Some(most), Some(most), Some(regions_of_a_country(1))),
        Ok(())
    );
}
