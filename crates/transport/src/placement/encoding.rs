//! Placements as bytes, to be sent to other ranks: one line of fields separated by tabs, the host
//! name last.

use std::str::FromStr;

use super::cpu_list::{parse, ranges};
use super::{HostIdentity, Placement};

/// The first field, which identifies the format.
const VERSION: &str = "place-1";
/// An unknown value.
const UNKNOWN: &str = "-";

impl Placement {
    /// Encodes this placement for [`decode`](Self::decode).
    pub fn encode(&self) -> Vec<u8> {
        let Self { host, node, cores, numa, cache, pid, identity } = self;
        let HostIdentity { boot, clock, processes } = identity;
        let fields = [
            VERSION.into(),
            pid.to_string(),
            node.to_string(),
            field(*numa),
            field(*cache),
            field(*clock),
            field(*processes),
            ranges(cores),
            boot.clone(),
            host.clone(),
        ];
        fields.join("\t").into_bytes()
    }

    /// Decodes a placement; `None` if the bytes are malformed.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        // A host name may contain tabs, hence it is last and the number of fields is limited.
        const FIELDS: usize = 10;
        let fields: Vec<&str> = str::from_utf8(bytes).ok()?.splitn(FIELDS, '\t').collect();
        let [VERSION, pid, node, numa, cache, clock, processes, cores, boot, host] = fields[..] else {
            return None;
        };
        Some(Self {
            host: host.into(),
            node: node.parse().ok()?,
            cores: parse(cores)?,
            numa: optional(numa).ok()?,
            cache: optional(cache).ok()?,
            pid: pid.parse().ok()?,
            identity: HostIdentity {
                boot: boot.into(),
                clock: optional(clock).ok()?,
                processes: optional(processes).ok()?,
            },
        })
    }
}

fn field(number: Option<impl ToString>) -> String {
    number.map_or_else(|| UNKNOWN.into(), |number| number.to_string())
}

/// Decodes an optional number.
fn optional<N: FromStr>(word: &str) -> Result<Option<N>, N::Err> {
    if word == UNKNOWN { Ok(None) } else { word.parse().map(Some) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn identity()(boot in "[0-9a-f-]{0,36}", clock: Option<u64>, processes: Option<u64>) -> HostIdentity {
            HostIdentity { boot, clock, processes }
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
        ) -> Placement {
            Placement { host, node, cores: cores.into_iter().collect(), numa, cache, pid, identity }
        }
    }

    proptest! {
        #[test]
        fn encoded_placements_are_decoded(place in place()) {
            prop_assert_eq!(Placement::decode(&place.encode()), Some(place));
        }

        #[test]
        fn other_bytes_are_rejected(bytes: Vec<u8>) {
            prop_assert_eq!(Placement::decode(&bytes), None);
        }

        #[test]
        fn truncated_input_never_gives_another_placement(place in place(), cut: prop::sample::Index) {
            let whole = place.encode();
            let text = &whole[..cut.index(whole.len())];
            // All fields before the host name must be complete; the name may be cut anywhere.
            if let Some(read) = Placement::decode(text) {
                prop_assert!(place.host.starts_with(&read.host));
                prop_assert_eq!(Placement { host: place.host.clone(), ..read }, place);
            }
        }
    }

    #[test]
    fn malformed_fields_are_rejected() {
        let whole = "place-1\t7\t0\t-\t0\t1\t2\t0-3\tb\thost";
        assert!(Placement::decode(whole.as_bytes()).is_some());
        let fields: Vec<&str> = whole.split('\t').collect();
        for (index, damage) in
            [(0, "place-2"), (1, "-"), (2, ""), (3, "x"), (4, "-1"), (5, "--"), (6, ""), (7, "3-0")]
        {
            let mut fields = fields.clone();
            fields[index] = damage;
            assert_eq!(Placement::decode(fields.join("\t").as_bytes()), None, "{damage} for word {index}");
        }
        let endless = whole.replace("0-3", "0-99999999999");
        assert_eq!(Placement::decode(endless.as_bytes()), None);
        assert_eq!(Placement::decode(b"place-1\t7\t0\t-\t0\t1\t2\t0-3\tb\t\xff"), None);
    }
}
