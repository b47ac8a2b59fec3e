//! Values of the JSON form.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use waywarden_v2x_security::time::CivilTime;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, ThreeDLocation, Time64};

use crate::bounds::location;

/// Octets as hexadecimal digits.
pub(super) struct Octets(pub(super) Vec<u8>);

impl Serialize for Octets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&base16ct::lower::encode_string(&self.0))
    }
}

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits;
        impl Visitor<'_> for Digits {
            type Value = Octets;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an even number of hexadecimal digits")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Octets, E> {
                base16ct::mixed::decode_vec(text)
                    .map(Octets)
                    .map_err(|_| E::custom("an even number of hexadecimal digits is expected"))
            }
        }
        deserializer.deserialize_str(Digits)
    }
}

/// The HashedId8 of a certificate, as 16 hexadecimal digits.
pub(super) struct Id(pub(super) HashedId8);

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&base16ct::lower::encode_string(&self.0.0))
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let octets = Octets::deserialize(deserializer)?.0;
        let id = octets.try_into().map_err(|_| {
            de::Error::custom("a HashedId8 is expected, which has 16 hexadecimal digits")
        })?;
        Ok(Self(HashedId8(id)))
    }
}

/// A time.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Moment {
    /// In UTC, for readers: a second that leaps has that of the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    utc: Option<String>,
    /// Microseconds of TAI since 2004: what counts.
    tai: u64,
}

impl From<Time64> for Moment {
    fn from(time: Time64) -> Self {
        Self {
            utc: CivilTime::of(time).map(|civil| civil.to_string()),
            tai: time.0,
        }
    }
}

impl From<Moment> for Time64 {
    fn from(moment: Moment) -> Self {
        Self(moment.tai)
    }
}

/// A place, in the standard's units.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    latitude: i32,
    longitude: i32,
    elevation: u16,
}

/// A place that is in the standard's ranges.
#[derive(Serialize, Deserialize)]
#[serde(try_from = "Place", into = "Place")]
pub(super) struct Location(pub(super) ThreeDLocation);

impl Clone for Location {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl From<Location> for Place {
    fn from(Location(location): Location) -> Self {
        Self {
            latitude: location.latitude.0,
            longitude: location.longitude.0,
            elevation: location.elevation.0,
        }
    }
}

impl TryFrom<Place> for Location {
    type Error = &'static str;

    fn try_from(place: Place) -> Result<Self, &'static str> {
        location(place.latitude, place.longitude, place.elevation).map(Self)
    }
}

/// A list of at most `MAX` entries, which is not read further than that.
pub(super) struct List<T, const MAX: usize>(pub(super) Vec<T>);

impl<T: Serialize, const MAX: usize> Serialize for List<T, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T, const MAX: usize>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Entries<T, MAX> {
            type Value = List<T, MAX>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "an array of 1 to {MAX} entries")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
                let mut list = Vec::new();
                while let Some(entry) = entries.next_element()? {
                    if list.len() == MAX {
                        return Err(de::Error::invalid_length(MAX + 1, &self));
                    }
                    list.push(entry);
                }
                Ok(List(list))
            }
        }
        deserializer.deserialize_seq(Entries(PhantomData))
    }
}

/// A text that is borrowed from a line where it has no escapes.
#[derive(Serialize, Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// Returns a duration in whole microseconds.
pub(super) fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
