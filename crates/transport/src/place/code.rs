//! Places as bytes, for other ranks to read: one line of words with tabs between, the host's name at its end.

use std::str::FromStr;

use super::list::{parse, ranges};
use super::{Identity, Place};

/// What the line begins with, so that nothing else is taken for one.
const VERSION: &str = "place-1";
/// Stands for what is not known.
const UNKNOWN: &str = "-";

impl Place {
    /// This place in a form that [`decode`](Self::decode) reads.
    pub fn encode(&self) -> Vec<u8> {
        let Self { host, node, cores, numa, cache, pid, identity } = self;
        let Identity { boot, clock, processes } = identity;
        let words = [
            VERSION.into(),
            pid.to_string(),
            node.to_string(),
            word(*numa),
            word(*cache),
            word(*clock),
            word(*processes),
            ranges(cores),
            boot.clone(),
            host.clone(),
        ];
        words.join("\t").into_bytes()
    }

    /// The place that these bytes say; nothing if they are none.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        // A host may have a name with tabs in it, hence its place and the limit.
        const WORDS: usize = 10;
        let words: Vec<&str> = str::from_utf8(bytes).ok()?.splitn(WORDS, '\t').collect();
        let [VERSION, pid, node, numa, cache, clock, processes, cores, boot, host] = words[..] else {
            return None;
        };
        Some(Self {
            host: host.into(),
            node: node.parse().ok()?,
            cores: parse(cores)?,
            numa: known(numa).ok()?,
            cache: known(cache).ok()?,
            pid: pid.parse().ok()?,
            identity: Identity {
                boot: boot.into(),
                clock: known(clock).ok()?,
                processes: known(processes).ok()?,
            },
        })
    }
}

fn word(number: Option<impl ToString>) -> String {
    number.map_or_else(|| UNKNOWN.into(), |number| number.to_string())
}

/// What [`word`] wrote.
fn known<N: FromStr>(word: &str) -> Result<Option<N>, N::Err> {
    if word == UNKNOWN { Ok(None) } else { word.parse().map(Some) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn identity()(boot in "[0-9a-f-]{0,36}", clock: Option<u64>, processes: Option<u64>) -> Identity {
            Identity { boot, clock, processes }
        }
    }

    prop_compose! {
        fn place()(
            host in any::<String>(),
            node: usize,
            cores in prop::collection::btree_set(0..9000_usize, 0..40),
            numa: Option<usize>,
            cache: Option<usize>,
            pid: u32,
            identity in identity(),
        ) -> Place {
            Place { host, node, cores: cores.into_iter().collect(), numa, cache, pid, identity }
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(place in place()) {
            prop_assert_eq!(Place::decode(&place.encode()), Some(place));
        }

        #[test]
        fn other_bytes_are_none(bytes: Vec<u8>) {
            prop_assert_eq!(Place::decode(&bytes), None);
        }

        #[test]
        fn a_place_that_was_cut_short_is_never_another_one(place in place(), cut: prop::sample::Index) {
            let whole = place.encode();
            let text = &whole[..cut.index(whole.len())];
            // What lies before the name must be there in full; of the name itself any part may be.
            if let Some(read) = Place::decode(text) {
                prop_assert!(place.host.starts_with(&read.host));
                prop_assert_eq!(Place { host: place.host.clone(), ..read }, place);
            }
        }
    }

    #[test]
    fn damaged_words_are_none() {
        let whole = "place-1\t7\t0\t-\t0\t1\t2\t0-3\tb\thost";
        assert!(Place::decode(whole.as_bytes()).is_some());
        let words: Vec<&str> = whole.split('\t').collect();
        for (index, damage) in
            [(0, "place-2"), (1, "-"), (2, ""), (3, "x"), (4, "-1"), (5, "--"), (6, ""), (7, "3-0")]
        {
            let mut words = words.clone();
            words[index] = damage;
            assert_eq!(Place::decode(words.join("\t").as_bytes()), None, "{damage} for word {index}");
        }
        let endless = whole.replace("0-3", "0-99999999999");
        assert_eq!(Place::decode(endless.as_bytes()), None);
        assert_eq!(Place::decode(b"place-1\t7\t0\t-\t0\t1\t2\t0-3\tb\t\xff"), None);
    }
}
