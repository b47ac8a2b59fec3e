//! Folders from elsewhere: no command writes or moves files outside of them.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::{World, snapshot};

/// A PKI, and beside it a home with a key.
fn world() -> World {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    fs::create_dir_all(world.path("home/.ssh")).unwrap();
    world.write("home/.ssh/id", "private");
    world
}

/// Reads and changes the PKI; the home stays as it is.
fn home_stays(world: &World, reason: &str) {
    let before = snapshot(&world.path("home"));
    let shown = world.run("pki show p");
    assert_eq!(snapshot(&world.path("home")), before, "{}", shown.complaint);
    assert!(shown.complaint.contains(reason), "{}", shown.complaint);
    world.refused("pki issue p --name car", &[reason]);
    assert_eq!(snapshot(&world.path("home")), before);
}

#[test]
fn a_link_to_another_folder_is_not_taken_as_a_change_to_finish() {
    let world = world();
    symlink("../home", world.path("p/.commit")).unwrap();
    home_stays(&world, "p/.commit: is not a folder");
    assert!(!world.path("p/.ssh").exists());
}

#[test]
fn files_that_the_index_of_a_change_does_not_list_are_not_moved() {
    let world = world();
    fs::create_dir_all(world.path("p/.commit/x")).unwrap();
    world.write("p/.commit/x/authorized_keys", "theirs");
    symlink("../home/.ssh", world.path("p/x")).unwrap();
    let reason = "p/.commit/x/authorized_keys: is not a file that the index beside it lists";
    home_stays(&world, reason);
    // An index in which the files are not listed changes nothing.
    fs::copy(world.path("p/pki.toml"), world.path("p/.commit/pki.toml")).unwrap();
    home_stays(&world, reason);
    // Neither does one that lists them, outside of the folders of a PKI.
    let index = fs::read_to_string(world.path("p/pki.toml")).unwrap();
    let certificate = world.newest("p", "aa", "certificate").replace("p/", "");
    let listing = index.replace(&certificate, "x/authorized_keys");
    world.write("p/.commit/pki.toml", listing);
    home_stays(&world, reason);
}

#[test]
fn a_change_is_not_finished_through_links() {
    for place in ["trust", "keys", "stations"] {
        let world = world();
        let index = fs::read_to_string(world.path("p/pki.toml")).unwrap();
        let certificate = world.newest("p", "aa", "certificate").replace("p/", "");
        fs::create_dir_all(world.path("p/.commit").join(place)).unwrap();
        let file = format!("{place}/authorized_keys");
        world.write(&format!("p/.commit/{file}"), "theirs");
        world.write("p/.commit/pki.toml", index.replace(&certificate, &file));
        let folder = world.path("p").join(place);
        if folder.exists() {
            fs::rename(&folder, world.path("away")).unwrap();
        }
        symlink("../home/.ssh", folder).unwrap();
        home_stays(&world, &format!("p/{place}: not a directory"));
    }
}

#[test]
fn names_and_identifiers_of_a_foreign_index_are_checked() {
    let world = world();
    let index = fs::read_to_string(world.path("p/pki.toml")).unwrap();
    let id = &world.newest("p", "aa", "id")[2..];
    for (old, new, reason) in [
        ("\"aa\"", "\"../../../evil\"", "../../../evil"),
        ("\"aa\"", "\"/evil\"", "/evil"),
        (id, "../../evil", "not a HashedId8"),
    ] {
        world.write("p/pki.toml", index.replace(old, new));
        for command in ["pki renew p ../../../evil", "pki show p", "pki renew p ea"] {
            world.refused(command, &["p/pki.toml", reason]);
        }
    }
    assert!(!world.path("evil").exists());
}
