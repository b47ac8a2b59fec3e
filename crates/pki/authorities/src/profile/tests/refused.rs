//! Texts in profiles that the reader refuses: their forms are the schema's, too.

/// Lengths of time.
pub(super) const VALIDITIES: [&str; 13] = [
    "",
    "5",
    "0h",
    "65536h",
    "3000d",
    "h",
    "-1h",
    "1.5h",
    "5 m",
    "101y",
    "65535y",
    "4294967296y",
    "99999999999s",
];

/// Regions.
pub(super) const REGIONS: [&str; 14] = [
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

/// Permissions of holders; the last has 32 bytes.
pub(super) const PERMISSIONS: [&str; 8] = [
    "",
    "CAMM",
    "36:1",
    "36:xy",
    "-1",
    "+36",
    "36:",
    "36:0000000000000000000000000000000000000000000000000000000000000000",
];

/// Permissions of authorities.
pub(super) const RANGES: [&str; 4] = ["CAM:01", "CAM:01/FF00", "CAM:/", "CAM:01/x"];
