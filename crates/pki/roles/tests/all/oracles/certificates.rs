//! Certificates with every field, read by pycrate.

use waywarden_testkit::{Random, hex_of, seeds};

use super::Oracle;
use crate::issue::Root;
use crate::issue::random::contents as random_contents;

#[test]
fn pycrate_reads_certificates_with_every_field() {
    let Some(mut oracle) = Oracle::find() else {
        return;
    };
    let mut random = Random::of_test("pycrate_reads_certificates_with_every_field");
    let mut root = Root::new(&mut random);
    let anchor = hex_of(root.authority.credential().certificate().bytes());
    for _ in 0..seeds(20).min(500) {
        let contents = random_contents(&mut root, &mut random);
        for issued in root.issue(&contents) {
            let chain = format!("{anchor},{}", hex_of(&issued.unwrap()));
            oracle.ask(&["certificate", &chain]);
        }
    }
    for (answer, question) in oracle.answers().iter().zip(&oracle.questions) {
        assert!(answer.is_ok(), "{answer:?}: {question}");
    }
}
