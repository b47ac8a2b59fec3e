//! Places and regions as users write and read them.

use std::error::Error;
use std::fmt;

use waywarden_v2x_pki::{GeographicPoint, Region};
use waywarden_v2x_wire::ieee1609dot2::{
    Elevation, GeographicRegion, IdentifiedRegion, Latitude, Longitude, ThreeDLocation,
    TwoDLocation,
};

const FORMS: &str = "circle:LAT,LON,METRES, rectangle:NORTH,WEST,SOUTH,EAST, \
                     polygon:LAT,LON;LAT,LON;LAT,LON or country:276,250";

/// Reads a region. Rectangles and corners are separated by semicolons.
pub fn parse(text: &str) -> Result<Region, String> {
    let wrong = |why: &str| format!("{text:?}: {why}; give {FORMS}");
    let (kind, rest) = text.split_once(':').ok_or_else(|| wrong("no kind"))?;
    let parts: Vec<&str> = rest.split(';').collect();
    let lists = parts.iter().map(|part| numbers(part));
    let lists = lists.collect::<Option<Vec<_>>>();
    let lists = lists.ok_or_else(|| wrong("not numbers"))?;
    let region = match (kind, lists.as_slice()) {
        ("circle", [list]) => match list.as_slice() {
            &[latitude, longitude, radius]
                if whole::<u16>(radius).is_some_and(|radius| radius > 0) =>
            {
                place(latitude, longitude)
                    .zip(whole(radius))
                    .map(|(place, radius)| Region::Circle(place, radius))
            }
            _ => None,
        },
        ("rectangle", lists) => lists
            .iter()
            .map(|list| rectangle(list))
            .collect::<Option<_>>()
            .map(Region::Rectangles),
        ("polygon", lists) if lists.len() >= 3 => {
            let corners = lists.iter().map(|list| match list.as_slice() {
                &[latitude, longitude] => place(latitude, longitude),
                _ => None,
            });
            corners.collect::<Option<_>>().map(Region::Polygon)
        }
        ("country", [list]) => {
            let countries = list
                .iter()
                .map(|number| Some((whole(*number)?, Vec::new())));
            countries.collect::<Option<_>>().map(Region::Countries)
        }
        _ => None,
    };
    region.ok_or_else(|| wrong("not a region, or outside of its range"))
}

fn numbers(text: &str) -> Option<Vec<f64>> {
    let numbers = text.split(',').map(|number| number.trim().parse::<f64>());
    let numbers: Vec<f64> = numbers.collect::<Result<_, _>>().ok()?;
    numbers
        .iter()
        .all(|number| number.is_finite())
        .then_some(numbers)
}

/// A number without a fraction, in the range of its type.
fn whole<T: TryFrom<i64>>(number: f64) -> Option<T> {
    let is_whole = number.fract() == 0.0 && number.abs() < 1e9;
    is_whole.then(|| T::try_from(number as i64).ok())?
}

fn place(latitude: f64, longitude: f64) -> Option<GeographicPoint> {
    let place = position(latitude, longitude).ok()?;
    Some(GeographicPoint {
        latitude: place.latitude.0,
        longitude: place.longitude.0,
    })
}

fn rectangle(list: &[f64]) -> Option<(GeographicPoint, GeographicPoint)> {
    let &[north, west, south, east] = list else {
        return None;
    };
    (north > south).then(|| place(north, west).zip(place(south, east)))?
}

/// Numbers that are no place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LocationFault {
    /// So many numbers.
    Count(usize),
    /// Degrees north beyond a pole, or no number.
    Latitude(f64),
    /// Degrees east out of range, or no number. The standard writes the antimeridian as 180.
    Longitude(f64),
    /// Metres that a message cannot say, or no number.
    Elevation(f64),
}

impl fmt::Display for LocationFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(formatter, "{count} numbers; give two or three"),
            Self::Latitude(degrees) => {
                write!(formatter, "latitude {degrees}; give degrees from -90 to 90")
            }
            Self::Longitude(degrees) => {
                write!(
                    formatter,
                    "longitude {degrees}; give degrees above -180, up to 180"
                )
            }
            Self::Elevation(metres) => {
                write!(
                    formatter,
                    "elevation {metres}; give -409.5 to 6143.9 metres"
                )
            }
        }
    }
}

impl Error for LocationFault {}

/// Takes a position in degrees north and degrees east.
///
/// # Errors
/// [`LocationFault`] for a value out of range.
pub fn position(latitude: f64, longitude: f64) -> Result<TwoDLocation, LocationFault> {
    // Both fit: at most 1.8e9 ten millionths of a degree.
    let unit = |degrees: f64| (degrees * 1e7).round() as i32;
    match () {
        () if !(-90.0..=90.0).contains(&latitude) => Err(LocationFault::Latitude(latitude)),
        () if !(longitude > -180.0 && longitude <= 180.0) => {
            Err(LocationFault::Longitude(longitude))
        }
        () => Ok(TwoDLocation {
            latitude: Latitude(unit(latitude)),
            longitude: Longitude(unit(longitude)),
        }),
    }
}

/// Takes a place of a message: degrees north, degrees east and, if known, metres above the
/// ellipsoid.
///
/// # Errors
/// [`LocationFault`] for a value out of range, and another number of them.
pub fn location_of(numbers: &[f64]) -> Result<ThreeDLocation, LocationFault> {
    let (latitude, longitude, metres) = match *numbers {
        [latitude, longitude] => (latitude, longitude, 0.0),
        [latitude, longitude, metres] => (latitude, longitude, metres),
        _ => return Err(LocationFault::Count(numbers.len())),
    };
    let place = position(latitude, longitude)?;
    // A value beyond an `i32` becomes its nearest, which is out of range as well.
    let elevation = Elevation::from_decimetres((metres * 10.0).round() as i32);
    let elevation = elevation.filter(|_| metres.is_finite());
    Ok(ThreeDLocation {
        latitude: place.latitude,
        longitude: place.longitude,
        elevation: elevation.ok_or(LocationFault::Elevation(metres))?,
    })
}

/// Reads a place of a message: degrees north, degrees east, and metres above the ellipsoid.
pub fn location(text: &str) -> Result<ThreeDLocation, String> {
    let wrong = || {
        format!(
            "{text:?}: give LATITUDE,LONGITUDE in degrees, and ,METRES if known, -409.5 to 6143.9"
        )
    };
    let list = numbers(text).ok_or_else(wrong)?;
    location_of(&list).map_err(|_| wrong())
}

/// Writes a region.
pub fn show(region: &GeographicRegion<'_>) -> String {
    let point = |place: &TwoDLocation| {
        let degrees = |tenths: i32| f64::from(tenths) / 1e7;
        format!(
            "{},{}",
            degrees(place.latitude.0),
            degrees(place.longitude.0)
        )
    };
    match region {
        GeographicRegion::Circular(circle) => {
            format!("circle:{},{}", point(&circle.center), circle.radius)
        }
        GeographicRegion::Rectangular(rectangles) => {
            let corners = rectangles.iter().flatten();
            let corners =
                corners.map(|one| format!("{},{}", point(&one.north_west), point(&one.south_east)));
            format!("rectangle:{}", corners.collect::<Vec<_>>().join(";"))
        }
        GeographicRegion::Polygonal(corners) => {
            let corners = corners.iter().flatten().map(|one| point(&one));
            format!("polygon:{}", corners.collect::<Vec<_>>().join(";"))
        }
        GeographicRegion::Identified(countries) => {
            let countries = countries.iter().flatten().map(|one| match one {
                IdentifiedRegion::CountryOnly(country) => country.0.to_string(),
                IdentifiedRegion::CountryAndRegions(one) => format!("{} in part", one.country.0),
                IdentifiedRegion::CountryAndSubregions(one) => {
                    format!("{} in part", one.country.0)
                }
            });
            format!("country:{}", countries.collect::<Vec<_>>().join(","))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSED: [&str; 14] = [
        "",
        "circle",
        "circle:",
        "circle:91,0,5",
        "circle:1,2,0",
        "circle:1,2,65536",
        "circle:1,2,1.5",
        "circle:nan,2,3",
        "polygon:1,2;3,4",
        "rectangle:1,2,3,4",
        "country:-1",
        "country:65536",
        "circle:1,-180,5",
        "square:1,2,3",
    ];

    #[test]
    fn regions_are_read_in_their_four_forms() {
        let munich = GeographicPoint {
            latitude: 481_000_000,
            longitude: 115_000_000,
        };
        assert_eq!(
            parse("circle:48.1,11.5,2000"),
            Ok(Region::Circle(munich, 2_000))
        );
        assert_eq!(
            parse("country:276,56"),
            Ok(Region::Countries(vec![(276, vec![]), (56, vec![])]))
        );
        let two = parse("rectangle:49,11,48,12;51,11,50,12");
        assert!(matches!(two, Ok(Region::Rectangles(two)) if two.len() == 2));
        let three = parse("polygon:48,11;49,11;49,12");
        assert!(matches!(three, Ok(Region::Polygon(three)) if three.len() == 3));
        for text in REFUSED {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        use LocationFault::{Count, Elevation, Latitude, Longitude};
        for (numbers, fault) in [
            (&[][..], Count(0)),
            (&[1.0, 2.0, 3.0, 4.0], Count(4)),
            (&[90.000_1, 0.0], Latitude(90.000_1)),
            (&[f64::INFINITY, 0.0], Latitude(f64::INFINITY)),
            (&[0.0, -180.0], Longitude(-180.0)),
            (&[0.0, 180.1], Longitude(180.1)),
            (&[0.0, 0.0, 6_144.0], Elevation(6_144.0)),
            (&[0.0, 0.0, 1e300], Elevation(1e300)),
        ] {
            assert_eq!(location_of(numbers), Err(fault));
        }
        for numbers in [
            [f64::NAN, 0.0, 0.0],
            [0.0, f64::NAN, 0.0],
            [0.0, 0.0, f64::NAN],
        ] {
            assert!(location_of(&numbers).is_err(), "{numbers:?}");
        }
        assert_eq!(
            location_of(&[0.0, 180.0]).unwrap().longitude.0,
            1_800_000_000
        );
    }

    #[test]
    fn places_have_an_elevation_above_the_lowest() {
        let place = location("48.1,11.5").unwrap();
        assert_eq!(
            (place.latitude.0, place.longitude.0, place.elevation.0),
            (481_000_000, 115_000_000, 4_096)
        );
        // The standard's least and greatest: -409.5 m and 6143.9 m.
        assert_eq!(location("0,0,-409.5").unwrap().elevation.0, 1);
        assert_eq!(location("0,0,6143.9").unwrap().elevation.0, 65_535);
        assert_eq!(location("0,0,2962").unwrap().elevation.decimetres(), 29_620);
        let wrong = [
            "",
            "1",
            "1,2,3,4",
            "91,0",
            "0,0,-409.7",
            "0,0,6144",
            "0,0,1e300",
            "x,y",
        ];
        for text in wrong {
            assert!(location(text).is_err(), "{text}");
        }
    }
}
