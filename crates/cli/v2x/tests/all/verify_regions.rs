//! `waywarden verify` and `waywarden inspect` on certificates that name countries: judged offline,
//! and shown with names.

use std::fs;

use serde_json::Value;
use waywarden_testkit_v2x::world::{Holder, MessageContents, Spec, now};
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    CountryAndRegions, CountryAndSubregions, Elevation, GeographicRegion, IdentifiedRegion,
    Latitude, Longitude, RegionAndSubregions, ThreeDLocation, UnCountryId,
};

use crate::support::{json, waywarden};

type Region = IdentifiedRegion<'static>;

fn country(number: u16) -> Region {
    IdentifiedRegion::CountryOnly(UnCountryId(number))
}

fn states(number: u16, states: &[u8]) -> Region {
    IdentifiedRegion::CountryAndRegions(CountryAndRegions {
        country: UnCountryId(number),
        regions: SequenceOf::new(states.to_vec().leak()).unwrap(),
    })
}

fn county(region: u8, county: u16) -> Region {
    let subregions = SequenceOf::new(vec![county].leak()).unwrap();
    let regions = vec![RegionAndSubregions { region, subregions }].leak();
    IdentifiedRegion::CountryAndSubregions(CountryAndSubregions {
        country: UnCountryId(840),
        regions: SequenceOf::new(regions).unwrap(),
    })
}

fn identified(regions: &[Region]) -> Option<GeographicRegion<'static>> {
    let regions = SequenceOf::new(regions.to_vec().leak()).unwrap();
    Some(GeographicRegion::Identified(regions))
}

const MUNICH: (f64, f64) = (48.137, 11.575);
const PARIS: (f64, f64) = (48.8566, 2.3522);
const BERN: (f64, f64) = (46.948, 7.4474);
const DETROIT: (f64, f64) = (42.38, -83.1);
const DALLAS: (f64, f64) = (32.7767, -96.797);
const ATLANTIC: (f64, f64) = (30.0, -40.0);

/// Verifies a message from a place, by a station that has a region, under a root that has another.
/// Returns verdict, field and reason.
fn verify(root: &[Region], station: &[Region], place: (f64, f64)) -> [String; 3] {
    let folder = tempfile::tempdir().unwrap();
    let trust = folder.path().join("trust");
    let root = Spec {
        region: identified(root),
        ..Spec::authority(1)
    };
    let root = Holder::issue(&root, None);
    let station = Spec {
        region: identified(station),
        ..Spec::station(3)
    };
    let station = Holder::issue(&station, Some(&root));
    let place = Some(ThreeDLocation {
        latitude: Latitude((place.0 * 1e7) as i32),
        longitude: Longitude((place.1 * 1e7) as i32),
        elevation: Elevation(4_100),
    });
    let message = MessageContents {
        psid: 37,
        place,
        ..MessageContents::new()
    };
    fs::create_dir(&trust).unwrap();
    fs::write(trust.join("root.oer"), &root.certificate).unwrap();
    let path = folder.path().join("message.oer");
    fs::write(&path, message.sign(&station)).unwrap();
    let mut command = waywarden();
    command.arg("verify").arg(&path).arg("--trust").arg(&trust);
    command.args(["--at", &now().0.to_string(), "--format", "json"]);
    let document = json(&mut command);
    let text = |name: &str| {
        document["messages"][0][name]
            .as_str()
            .unwrap_or("")
            .to_owned()
    };
    ["verdict", "field", "reason"].map(text)
}

const UNION: &[Region] = &[IdentifiedRegion::CountryOnly(UnCountryId(65_535))];
const WORLD: &[Region] = &[IdentifiedRegion::CountryOnly(UnCountryId(1))];

#[test]
fn message_in_the_region_of_its_signer_is_accepted() {
    for (root, station, place) in [
        (UNION, vec![country(276)], MUNICH),
        (UNION, vec![country(65_535)], PARIS),
        (UNION, vec![country(276), country(250)], PARIS),
        (WORLD, vec![country(150)], BERN),
        (WORLD, vec![states(840, &[48, 26])], DETROIT),
        // One region that is unknown takes nothing from another that is known.
        (WORLD, vec![country(276), states(250, &[7])], MUNICH),
    ] {
        let answer = verify(root, &station, place);
        assert_eq!(answer[0], "success", "{station:?}: {answer:?}");
    }
}

#[test]
fn message_outside_of_the_region_of_its_signer_is_refused() {
    for (root, station, place) in [
        (UNION, vec![country(276)], PARIS),
        (UNION, vec![country(65_535)], BERN),
        (WORLD, vec![states(840, &[26])], DALLAS),
        (WORLD, vec![county(26, 163)], DALLAS),
        (WORLD, vec![country(155)], DETROIT),
    ] {
        let [verdict, field, reason] = verify(root, &station, place);
        let expected = "spduConsistencyGenerationLocationOutsideValidityRegion";
        assert_eq!((&*verdict, &*field), (expected, "region"), "{station:?}");
        assert_eq!(reason, "the message was made outside of it", "{station:?}");
    }
}

#[test]
fn message_whose_region_has_no_borders_is_refused_as_unknown() {
    for (root, station, place) in [
        (WORLD, vec![county(26, 163)], DETROIT),
        (WORLD, vec![states(276, &[9])], MUNICH),
        (WORLD, vec![country(276)], ATLANTIC),
        (&[country(999)], vec![country(999)], MUNICH),
    ] {
        let [verdict, field, reason] = verify(root, &station, place);
        let expected = "spduConsistencyGenerationLocationOutsideValidityRegion";
        assert_eq!((&*verdict, &*field), (expected, "region"), "{station:?}");
        assert_eq!(
            reason, "whether the message was made in it is not known",
            "{station:?}"
        );
    }
}

#[test]
fn certificate_beyond_its_issuers_countries_is_refused() {
    for (root, station, place) in [
        (UNION, vec![country(756)], BERN),
        (UNION, vec![country(150)], MUNICH),
        (&[country(276)], vec![country(65_535)], MUNICH),
        (UNION, vec![country(276), country(756)], MUNICH),
    ] {
        let [verdict, field, _] = verify(root, &station, place);
        let expected = "spduCertificateChainInconsistentChainPermissions";
        assert_eq!((&*verdict, &*field), (expected, "region"), "{station:?}");
    }
}

/// All meanings in a tree of parts, in order.
fn meanings(part: &Value, found: &mut Vec<String>) {
    if ["UnCountryId", "Uint8"].contains(&part["type"].as_str().unwrap()) {
        found.extend(part["meaning"].as_str().map(str::to_owned));
    }
    let parts = part["parts"].as_array();
    parts
        .into_iter()
        .flatten()
        .for_each(|part| meanings(part, found));
}

#[test]
fn inspect_names_countries_and_states() {
    let folder = tempfile::tempdir().unwrap();
    let all = [
        country(276),
        country(65_535),
        country(150),
        country(999),
        states(840, &[48, 3]),
        states(380, &[9]),
        county(26, 163),
    ];
    let root = Spec {
        region: identified(&all),
        ..Spec::authority(1)
    };
    let path = folder.path().join("root.oer");
    fs::write(&path, Holder::issue(&root, None).certificate).unwrap();
    let mut command = waywarden();
    command.arg("inspect").arg(&path).args(["--format", "json"]);
    let mut found = Vec::new();
    meanings(&json(&mut command)["rows"][0]["parts"], &mut found);
    let expected = [
        "Germany, DE",
        "European Union",
        "Europe",
        "unknown: no number of M49",
        "United States, US",
        "Texas, US-TX",
        "unknown: no state's number",
        "Italy, IT",
        "unknown: not defined for this country",
        "United States, US",
        "Michigan, US-MI",
    ];
    assert_eq!(found, expected);
}
