//! The budgets of the images in groups: a vehicle of three ECUs, of which the image is a member or
//! the orchestrator, up to its first key.

use std::sync::Arc;

use waywarden_vehicle_firmware::QemuImage;

use crate::budgets::hold;
use crate::group_vehicles::{SUITES, car, on_board};
use crate::image::group_image;
use crate::tap::{Tap, replayed};

/// The instructions of a boot, those from there to the first key, and the stack.
fn measure(image: &QemuImage, suite: &str, orchestrator: &str) -> [u64; 3] {
    let tap = Tap::new(image.clone());
    on_board(
        &car(suite, orchestrator, ""),
        &(Arc::new(tap.clone()) as _),
        1,
    );
    let (requests, stack) = replayed(image, &tap.answers(0));
    let first = |name: &str| {
        let mut requests = requests.iter();
        let found = requests.find(|(request, _)| request == name);
        found
            .unwrap_or_else(|| panic!("no {name}: {suite}, {orchestrator}"))
            .1
    };
    let (boot, key) = (first("Wait"), first("GroupKey"));
    [boot, key - boot, stack.into()]
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn images_in_groups_keep_their_budgets() {
    for suite in SUITES {
        let Some(image) = group_image(suite) else {
            return;
        };
        let [boot, member, member_stack] = measure(&image, suite, "two");
        let [_, orchestrator, orchestrator_stack] = measure(&image, suite, "one");
        let footprint = image.footprint();
        let measured = [
            ("flash_bytes", footprint.flash.into()),
            ("ram_bytes", footprint.ram.into()),
            ("stack_bytes", member_stack.max(orchestrator_stack)),
            ("boot", boot),
            ("member", member),
            ("orchestrator", orchestrator),
        ];
        hold(&format!("group-keys-{suite}"), &measured, &image);
    }
}
