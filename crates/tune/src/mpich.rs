//! Selection trees of MPICH.
//!
//! A tree is JSON whose keys are conditions, tested in their order; the first that holds leads to
//! its subtree, and a leaf names an algorithm. A file replaces the whole tree, so the changed one
//! is the library's own with other branches for the tuned collectives. It is changed as text: the
//! order of keys matters, and no key contains a brace.
//!
//! What an algorithm demands is part of the tree, because MPICH does not check it again: sums of
//! predefined types with enough elements, numbers of ranks that are powers of two, buffers that are
//! not in place. Where a demand is not met, the library's own choice stays.

use panto_calls::Collective;

use crate::tuning::{Band, TunedCollective, Tuning};

/// Where the choice holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// In communicators of the measured number of ranks.
    Ranks,
    /// In communicators of any number of ranks: on several nodes a collective consists of
    /// collectives of fewer ranks.
    All,
}

/// Returns the general tree with the choices of a tuning; `None` if the tree lacks a collective.
pub fn general(tree: &str, tuning: &Tuning, scope: Scope) -> Option<String> {
    change(tree, tuning, scope, &|collective, band, own| {
        band.algorithm.as_ref().map_or_else(|| own.to_owned(), |name| demanding(collective, name, own))
    })
}

/// Returns the tree of the shared-memory layer, in which that layer leaves the chosen sizes to the
/// general tree; `None` if none of the collectives is in it.
pub fn shared_memory(tree: &str, tuning: &Tuning, scope: Scope) -> Option<String> {
    let mut tuning = tuning.clone();
    tuning.collectives.retain(|tuned| tuned.collective().is_some_and(|it| branch(tree, it).is_some()));
    if !tuning.is_changed() {
        return None;
    }
    change(tree, &tuning, scope, &|_, band, own| match &band.algorithm {
        // Programs with several threads do not use this layer, so the branch leads nowhere, which
        // means the general tree.
        Some(_) => format!("{{\"is_multi_threaded=yes\":{}}}", leaf_of(own)),
        None => own.to_owned(),
    })
}

/// Returns the first leaf of a subtree.
fn leaf_of(own: &str) -> &str {
    let start = own.find("{\"algorithm=").unwrap_or(0);
    object(&own[start..]).unwrap_or(own)
}

type Subtree<'a> = dyn Fn(Collective, &Band, &str) -> String + 'a;

/// Replaces the branches of the tuned collectives.
fn change(tree: &str, tuning: &Tuning, scope: Scope, subtree: &Subtree<'_>) -> Option<String> {
    let mut tree = tree.to_owned();
    for tuned in tuning.collectives.iter().filter(|tuned| tuned.is_changed()) {
        let collective = tuned.collective()?;
        let (start, own) = branch(&tree, collective)?;
        let (end, own) = (start + own.len(), own.to_owned());
        let by_size = by_size(collective, tuned, tuning.ranks, &own, subtree);
        let new = match scope {
            Scope::All => by_size,
            Scope::Ranks => {
                let ranks = tuning.ranks;
                format!(
                    "{{\"comm_size<{ranks}\":{own},\"comm_size<={ranks}\":{by_size},\"comm_size=any\":{own}}}"
                )
            }
        };
        tree.replace_range(start..end, &new);
    }
    Some(tree)
}

/// Returns conditions on the size, in the measure that the tree has for the collective.
fn by_size(
    collective: Collective,
    tuned: &TunedCollective,
    ranks: usize,
    own: &str,
    subtree: &Subtree<'_>,
) -> String {
    let (measure, scale) = match collective {
        Collective::Allgather => ("total_msg_size", ranks as u64),
        _ => ("avg_msg_size", 1),
    };
    let bands = tuned.bands();
    let mut branches = Vec::new();
    for (place, band) in bands.iter().enumerate() {
        let condition = bands.get(place + 1).map_or("=any".into(), |next| format!("<{}", next.from * scale));
        branches.push(format!("\"{measure}{condition}\":{}", subtree(collective, band, own)));
    }
    format!("{{{}}}", branches.join(","))
}

/// Returns a leaf below the conditions that its algorithm demands.
fn demanding(collective: Collective, name: &str, own: &str) -> String {
    let leaf = format!("{{\"algorithm=MPIR_{}_intra_{name}\":{{}}}}", tree_name(collective));
    let is_power_of_two = name.contains("recursive_doubling")
        && matches!(collective, Collective::Allgather | Collective::Broadcast);
    let leaf =
        if is_power_of_two { format!("{{\"comm_size=pow2\":{leaf},\"comm_size=any\":{own}}}") } else { leaf };
    match collective {
        Collective::Allreduce | Collective::Reduce => format!(
            "{{\"is_op_built_in=no\":{own},\"is_op_built_in=yes\":{{\"count<pow2\":{own},\"count=any\":{leaf}}}}}"
        ),
        Collective::Alltoall => {
            format!("{{\"is_sendbuf_inplace=yes\":{own},\"is_sendbuf_inplace=no\":{leaf}}}")
        }
        _ => leaf,
    }
}

fn tree_name(collective: Collective) -> &'static str {
    collective.function().trim_start_matches("MPI_")
}

/// Returns the place and the text of the branch of a collective within one communicator.
fn branch(tree: &str, collective: Collective) -> Option<(usize, &str)> {
    let key = format!("\"collective={}\":", tree_name(collective).to_lowercase());
    let start = tree.find(&key)? + key.len();
    let whole = object(&tree[start..])?;
    let key = "{\"comm_type=intra\":";
    let intra = whole.strip_prefix(key)?;
    Some((start + key.len(), object(intra)?))
}

/// Returns the object that a text begins with.
fn object(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (byte == b'}').then(|| &text[..=place]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::tuning::tests::tuning;

    const TREE: &str = concat!(
        r#"{"collective=bcast":{"comm_type=intra":{"algorithm=MPIR_Bcast_intra_binomial":{}}},"#,
        r#""collective=allreduce":{"comm_type=intra":{"algorithm=MPIR_Allreduce_intra_smp":{}},"#,
        r#""comm_type=inter":{"algorithm=MPIR_Allreduce_inter_x":{}}}}"#
    );
    const OWN: &str = r#"{"algorithm=MPIR_Allreduce_intra_smp":{}}"#;

    fn parsed(text: &str) -> Value {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    #[test]
    fn the_rest_of_a_tree_stays() {
        let text = general(TREE, &tuning(), Scope::Ranks).unwrap();
        let tree = parsed(&text);
        assert_eq!(tree["collective=bcast"], parsed(TREE)["collective=bcast"]);
        let allreduce = &tree["collective=allreduce"];
        assert_eq!(allreduce["comm_type=inter"], parsed(TREE)["collective=allreduce"]["comm_type=inter"]);
        let sizes = &allreduce["comm_type=intra"];
        assert_eq!(sizes["comm_size<4"], parsed(OWN));
        assert_eq!(sizes["comm_size=any"], parsed(OWN));
        assert_eq!(sizes["comm_size<=4"]["avg_msg_size<23"], parsed(OWN));
        // The order of conditions decides.
        let places = ["avg_msg_size<23", "avg_msg_size<1449", "avg_msg_size=any"].map(|key| text.find(key));
        assert!(places.is_sorted() && places[0].is_some(), "{text}");
    }

    #[test]
    fn demands_of_algorithms_are_conditions() {
        let tree = parsed(&general(TREE, &tuning(), Scope::All).unwrap());
        let chosen = &tree["collective=allreduce"]["comm_type=intra"]["avg_msg_size=any"];
        assert_eq!(chosen["is_op_built_in=no"], parsed(OWN));
        assert_eq!(chosen["is_op_built_in=yes"]["count<pow2"], parsed(OWN));
        let leaf = parsed(r#"{"algorithm=MPIR_Allreduce_intra_b":{}}"#);
        assert_eq!(chosen["is_op_built_in=yes"]["count=any"], leaf);
    }

    #[test]
    fn shared_memory_leaves_the_chosen_sizes_to_the_general_tree() {
        let posix = concat!(
            r#"{"collective=allreduce":{"comm_type=intra":{"is_multi_threaded=no":"#,
            r#"{"is_commutative=yes":{"algorithm=MPIDI_POSIX_x":{}}}}}}"#
        );
        let tree = parsed(&shared_memory(posix, &tuning(), Scope::All).unwrap());
        let sizes = &tree["collective=allreduce"]["comm_type=intra"];
        assert_eq!(
            sizes["avg_msg_size=any"],
            parsed(r#"{"is_multi_threaded=yes":{"algorithm=MPIDI_POSIX_x":{}}}"#)
        );
        assert!(sizes["avg_msg_size<23"]["is_multi_threaded=no"].is_object());
        // A layer without the collective needs no file.
        let other = r#"{"collective=bcast":{"comm_type=intra":{"algorithm=MPIDI_POSIX_y":{}}}}"#;
        assert_eq!(shared_memory(other, &tuning(), Scope::All), None);
    }

    #[test]
    fn damaged_trees_are_refused() {
        for text in
            ["", "{", r#"{"collective=allreduce":{"comm_type=intra":{"#, r#"{"collective=allreduce":7}"#]
        {
            assert_eq!(general(text, &tuning(), Scope::All), None, "{text}");
        }
    }
}
