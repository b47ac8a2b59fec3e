//! Names of applications as users write them.

use waywarden_v2x_wire::application::{UnknownApplication, application};
use waywarden_v2x_wire::ieee1609dot2::Psid;

#[test]
fn applications_are_read_by_name_and_by_digits() {
    for text in ["CAM", "cam", "36", "036"] {
        assert_eq!(application(text), Ok(Psid(36)), "{text}");
    }
    for text in ["", "CAMM", "+36", "-36", "3 6", "18446744073709551616"] {
        assert_eq!(application(text), Err(UnknownApplication), "{text}");
    }
}
