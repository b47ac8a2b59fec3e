//! Frames as `waywarden station` sends them, and others by seed.

use waywarden_testkit::Random;

/// A signed CAM over GeoNetworking.
pub(crate) const CAM: &str = "\
    ffffffffffff6e1e6158e6cd8947120005010381004003805120500280002d010014006e1e6158e6cdb377bc \
    e61cb19e4c06e4886985940e060000000007d1000002023fb7b6a5bce6005a4ad0e98e45cb4d3ffffffc224a \
    381e00e06fc2ca7e02c08aab37feea043e004001240002835d0bb9e2708062bc644a4d7b6fb980838dc4e3d9 \
    08883143b517fb08a4e5d9cf19fc329ec9dd37fb989ea2f27f6876bf2c084eb0694f53a0647568d43b5de531 \
    a8d9d2094d495eb8b946e04370b255e7";

/// A signed BSM over WSMP.
pub(crate) const BSM: &str = "\
    ffffffffffff6e1e6158e6cd88dc0300208085038100400380280014250f38b9636a0028292b432cb9172d36 \
    12287fffffffa15ff058fd83dfa1007ef280005a0e104001200002835d0bb6fc408062bc644a4d7b6fb98083 \
    c0fa32c90ee2ddbc7b300f1660d7ffb48184eac309c81dfef506cd9e594a8e7fc2297dc630291165e23a4cd3 \
    69f4907239772352dc2bfc2087463cdeb85cc54f";

/// A frame with so many bytes behind its header.
pub(crate) fn frame(random: &mut Random, length: usize) -> Vec<u8> {
    let ether_type = [[0x89, 0x47], [0x88, 0xDC]][random.index(2)];
    [
        &[0xFF; 6],
        &random.array::<6>()[..],
        &ether_type,
        &random.bytes(length),
    ]
    .concat()
}
