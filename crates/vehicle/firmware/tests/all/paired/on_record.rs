//! Frames of vatiCAN and LeiA on record: those of simulated ECUs, and of images in their place.

use super::image;
use crate::known_answers::{are_on_record, assert_sent, known, of_simulated};
use crate::vehicles::of;

/// The crate of the role, with its frames on record.
const ROLE: &str = "firmware-paired";

/// Two ECUs that each send the other a message and its tag. Messages begin after the boots of both,
/// so that each knows by then where the other's stream stands.
fn pair_on_record(scheme: &str) -> String {
    let ecu = |(name, start, to, id): (&str, u32, &str, u32)| {
        format!(
            "[[ecu]]\nname = '{name}'\nports = ['a']\nboard = 'm4f-emulated'\n\
             start = '{start}ms'\nfirmware = 'paired.elf'\nclock = '80MHz'\n\
             sends = [{{ name = 'From{name}', id = {id}, length = 8, period = '100ms', \
             offset = '1s', receivers = ['{to}'] }}]\n"
        )
    };
    let ecus = [("one", 10, "two", 0x120), ("two", 20, "one", 0x124)].map(ecu);
    format!(
        "[vehicle]\nname = 'pair'\nduration = '1550ms'\n\
         [[bus]]\nname = 'a'\nbitrate = '500k'\n{}\
         [[authentication]]\nname = 'tags'\nscheme = '{scheme}'\n\
         protect = ['Fromone', 'Fromtwo']\n",
        ecus.concat()
    )
}

const SCHEMES: [&str; 2] = ["vatican", "leia"];

#[test]
fn the_frames_of_pairs_are_those_on_record() {
    for scheme in SCHEMES {
        let own = of_simulated(&pair_on_record(scheme)).without_times();
        are_on_record(ROLE, scheme, &own);
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn the_frames_of_paired_images_are_those_on_record() {
    let Some(image) = image() else { return };
    for scheme in SCHEMES {
        let (frames, ..) = of(&pair_on_record(scheme), &image, 1);
        assert_sent(&known(ROLE, scheme), &frames);
    }
}
