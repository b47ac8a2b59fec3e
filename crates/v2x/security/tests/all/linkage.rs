//! Linkage seeds and values as the vectors of CAMP state them.

use std::collections::HashMap;

use waywarden_testkit::{bytes_of, corpus_text, workspace};
use waywarden_v2x_security::linkage::{
    PreLinkageValue, encrypted_indices, later_seed, linkage_value, next_seed, pre_linkage_value,
    value_of_seeds,
};
use waywarden_v2x_wire::ieee1609dot2::{LaId, LinkageSeed, LinkageValue};

/// One block of `vectors/linkage.txt`.
struct Block(HashMap<String, String>);

impl Block {
    fn array<const N: usize>(&self, name: &str) -> [u8; N] {
        bytes_of(&self.0[name]).try_into().expect(name)
    }

    fn authority(&self, number: u8) -> LaId {
        LaId(self.array(&format!("la{number}")))
    }

    fn seed(&self, number: u8) -> LinkageSeed {
        LinkageSeed(self.array(&format!("seed{number}")))
    }
}

fn blocks() -> Vec<Block> {
    let text = std::fs::read_to_string(workspace().join("vectors/linkage.txt")).unwrap();
    let is_comment = |part: &&str| !part.trim_start().starts_with('#');
    let parts = text.split("\n\n").filter(is_comment);
    let pairs = |part: &str| {
        let lines = part.lines().filter_map(|line| line.split_once(' '));
        lines
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect()
    };
    parts.map(|part| Block(pairs(part))).collect()
}

#[test]
fn seeds_and_values_meet_camp() {
    let blocks = blocks();
    assert_eq!(blocks.len(), 4);
    for block in &blocks {
        let period = u16::from_be_bytes(block.array("period"));
        let j = u32::from_be_bytes(block.array("j"));
        let contributions = [1, 2].map(|number| {
            let (authority, first) = (block.authority(number), block.seed(number));
            let seed = later_seed(authority, &first, period);
            assert_eq!(seed.0, block.array(&format!("later{number}")));
            if period == 1 {
                assert_eq!(next_seed(authority, &first), seed);
            }
            let value = pre_linkage_value(authority, &seed, j);
            assert_eq!(value, PreLinkageValue(block.array(&format!("plv{number}"))));
            (seed, value)
        });
        let [(seed_1, one), (seed_2, other)] = contributions;
        let expected = LinkageValue(block.array("lv"));
        assert_eq!(linkage_value(one, other), expected);
        let authorities = (block.authority(1), block.authority(2));
        assert_eq!(value_of_seeds(authorities, (&seed_1, &seed_2), j), expected);
    }
}

#[test]
fn encrypted_indices_of_groups_meet_camp() {
    let blocks = blocks();
    let groups = blocks.iter().filter(|block| block.0["kind"] == "group");
    let indices = groups.map(|block| {
        let (k, j) = (block.array("k"), block.array("j"));
        let [k, j] = [k, j].map(u32::from_be_bytes);
        assert_eq!(
            encrypted_indices(&block.array("key"), k, j),
            block.array("indices")
        );
    });
    assert_eq!(indices.count(), 2);
}

/// Holds our copy of the vectors to the files that it was made from.
#[test]
fn every_known_answer_stands_in_the_files_of_camp() {
    let (Some(individual), Some(group)) = (
        corpus_text("v2x/camp/lv.txt"),
        corpus_text("v2x/camp/glv.txt"),
    ) else {
        return;
    };
    for block in blocks() {
        let file = match &*block.0["kind"] {
            "individual" => individual.to_lowercase(),
            _ => group.to_lowercase(),
        };
        for (name, value) in block
            .0
            .iter()
            .filter(|(name, _)| !["kind", "period"].contains(&&***name))
        {
            assert!(file.contains(&format!("0x{value}")), "{name} = {value}");
        }
    }
}
