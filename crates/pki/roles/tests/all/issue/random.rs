//! Random contents, all of which a root may issue.

use super::*;

/// A text of so many characters, each of one to four bytes.
fn name(random: &mut Random, characters: usize) -> String {
    (0..characters)
        .map(|_| ['a', 'ä', '中', '🚗'][random.index(4)])
        .collect()
}

fn place(random: &mut Random) -> GeographicPoint {
    GeographicPoint {
        latitude: 500_000_000 + random.below(1_000_000) as i32,
        longitude: 100_000_000 + random.below(1_000_000) as i32,
    }
}

fn region(random: &mut Random) -> Region {
    let GeographicPoint {
        latitude,
        longitude,
    } = place(random);
    let size = 1_000 + random.below(100_000) as i32;
    match random.below(4) {
        0 => Region::Circle(place(random), 1 + random.below(65_535) as u16),
        1 => {
            let rectangle = |at: usize| {
                let east = longitude + at as i32 * 200_000;
                let north_west = GeographicPoint {
                    latitude: latitude + size,
                    longitude: east,
                };
                (
                    north_west,
                    GeographicPoint {
                        latitude,
                        longitude: east + size,
                    },
                )
            };
            Region::Rectangles((0..1 + random.index(8)).map(rectangle).collect())
        }
        2 => {
            // Around a middle, so that no sides cross.
            let corners = 3 + random.index(10);
            let corner = |at: usize| {
                let angle = at as f64 / corners as f64 * std::f64::consts::TAU;
                GeographicPoint {
                    latitude: latitude + (f64::from(size) * angle.sin()) as i32,
                    longitude: longitude + (f64::from(size) * angle.cos()) as i32,
                }
            };
            Region::Polygon((0..corners).map(corner).collect())
        }
        _ => {
            let count = 1 + random.index(8);
            let country = |_| (random.below(999) as u16, random.bytes_up_to(3));
            Region::Countries((0..count).map(country).collect())
        }
    }
}

fn duration(random: &mut Random) -> Duration {
    let count = 1 + random.below(1_000) as u16;
    match random.below(7) {
        0 => Duration::Microseconds(count),
        1 => Duration::Milliseconds(count),
        2 => Duration::Seconds(count),
        3 => Duration::Minutes(count),
        4 => Duration::Hours(count),
        5 => Duration::SixtyHours(count),
        _ => Duration::Years(1 + count % 9),
    }
}

/// Returns 1 to `most` applications, each once.
fn applications(random: &mut Random, most: usize) -> Vec<Psid> {
    let sizes = [0x7F, 0x4000, 0x20_0000, 0x1000_0000, u64::MAX];
    let count = 1 + random.index(most);
    let psid = |_| {
        let size = sizes[random.index(sizes.len())];
        Psid(random.below(size))
    };
    let mut all: Vec<Psid> = (0..count).map(psid).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn range(random: &mut Random) -> PermissionRange {
    match random.below(3) {
        0 => PermissionRange::All,
        1 => {
            let length = 1 + random.index(32);
            PermissionRange::Bitmap {
                value: random.bytes(length),
                mask: random.bytes(length),
            }
        }
        _ => PermissionRange::Opaque(
            (0..1 + random.index(4))
                .map(|_| random.bytes_up_to(40))
                .collect(),
        ),
    }
}

/// Groups, none of them for all applications but the first.
fn groups(random: &mut Random, most: usize) -> Vec<IssueGroup> {
    let count = random.index(most + 1);
    let group = |at| IssueGroup {
        applications: (at > 0 || random.once_in(2)).then(|| {
            let all = applications(random, 4).into_iter();
            all.map(|psid| (psid, range(random))).collect()
        }),
        min_chain_length: 1 + random.below(3) as i64,
        chain_length_range: random.below(4) as i64 - 1,
        ee_type: EndEntityType::new(0x40 << random.below(2)).unwrap(),
    };
    (0..count).map(group).collect()
}

pub(crate) fn contents(root: &mut Root, random: &mut Random) -> Contents {
    let mut contents = Contents::new(
        Time32(START.0 + random.below(1_000_000) as u32),
        duration(random),
    );
    let characters = [0, 1, 10, 255][random.index(4)];
    contents.name = random.once_in(2).then(|| name(random, characters));
    contents.region = random.once_in(2).then(|| region(random));
    contents.assurance = random.once_in(2).then(|| random.u64() as u8);
    for psid in applications(random, 8) {
        let permission = match random.below(3) {
            0 => SspPermission::Default,
            1 => SspPermission::Bitmap(random.bytes_up_to(31)),
            _ => SspPermission::Opaque(random.bytes_up_to(200)),
        };
        contents.permissions.push((psid, permission));
    }
    contents.issues = groups(random, 3);
    contents.requests = groups(random, 3);
    if random.once_in(3) && !(contents.issues.is_empty() && contents.requests.is_empty()) {
        contents.permissions.clear();
    }
    contents.craca = HashedId3(random.array());
    contents.crl_series = CrlSeries(random.u64() as u16);
    contents.encryption_key = random.once_in(2).then(|| {
        let curve = [Curve::P256, Curve::BrainpoolP256r1][random.index(2)];
        let key = root
            .store
            .generate(curve, Uses::AGREE, &random.array())
            .unwrap();
        let public = root.store.public_key(key).unwrap();
        root.store.retire(key).unwrap();
        public
    });
    contents
}
