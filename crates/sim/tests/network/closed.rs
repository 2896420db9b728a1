//! Cases with closed-form solutions. A header takes 3 ps, a byte 1 ps, each message 10 ps more.

use panto_machine::{Cost, Network, Nodes, Overheads, Piece, Switching, Topology};
use panto_sim::network::Transfer;
use panto_units::Time;

use crate::cases::{network, per_byte, ps};
use crate::drive::{Habit, drive};

const CIRCUIT: Switching = Switching::Circuit { control: 1 };
const CUT: Switching = Switching::CutThrough { header: 1 };
const FLOW: Switching = Switching::Flow { header: 1 };
const WORM: Switching = Switching::Wormhole { flit: 5 };

/// The times at which messages (start, from, to, bytes) have left and arrived.
fn times(network: &Network, messages: &[(u64, u32, u32, u64)]) -> Vec<(u64, u64)> {
    let messages: Vec<(Time, Transfer)> = messages
        .iter()
        .map(|(start, from, to, bytes)| (ps(*start), Transfer { from: *from, to: *to, bytes: *bytes }))
        .collect();
    let passages = drive(network, &messages, Habit::Orderly);
    passages.iter().map(|passage| (passage.left.as_picos(), passage.arrived.as_picos())).collect()
}

fn arrivals(network: &Network, messages: &[(u64, u32, u32, u64)]) -> Vec<u64> {
    times(network, messages).into_iter().map(|(_, arrived)| arrived).collect()
}

fn linear(switching: Switching) -> Network {
    network(Topology::linear(5).unwrap(), switching)
}

#[test]
fn the_second_message_waits_for_the_first() {
    let two = [(0, 0, 1, 100), (20, 0, 1, 100)];
    assert_eq!(arrivals(&linear(Switching::Packet), &two), [110, 220]);
    assert_eq!(arrivals(&linear(CUT), &two), [113, 226]);
    assert_eq!(arrivals(&linear(CIRCUIT), &two), [113, 226]);
    // 20 flits of 15 each.
    assert_eq!(arrivals(&linear(WORM), &two), [300, 600]);
}

#[test]
fn senders_are_free_when_the_first_link_is() {
    let one = [(5, 0, 3, 100)];
    assert_eq!(times(&linear(Switching::Packet), &one), [(115, 335)]);
    assert_eq!(times(&linear(CUT), &one), [(118, 124)]);
    assert_eq!(times(&linear(FLOW), &one), [(118, 124)]);
    assert_eq!(times(&linear(CIRCUIT), &one), [(124, 124)]);
    assert_eq!(times(&linear(WORM), &one), [(335, 335)]);
}

#[test]
fn packets_queue_at_shared_links() {
    // The first is at processor 1 at 110; the second has link 1 from 20 to 130.
    let meet = [(0, 0, 2, 100), (20, 1, 2, 100)];
    assert_eq!(arrivals(&linear(Switching::Packet), &meet), [240, 130]);
    // Cut-through: the header of the first arrives at 3, so the second waits until 3 + 113.
    assert_eq!(arrivals(&linear(CUT), &meet), [116, 229]);
    // The other direction is another link.
    assert_eq!(arrivals(&linear(Switching::Packet), &[(0, 0, 2, 100), (20, 2, 1, 100)]), [220, 130]);
}

#[test]
fn cut_through_buffers_a_message_before_an_occupied_link() {
    // Link 1 is occupied until 113; link 0 is free again at 10 + 113, although the first message
    // waits.
    let messages = [(0, 1, 2, 100), (10, 0, 2, 100), (11, 0, 1, 100)];
    assert_eq!(times(&linear(CUT), &messages), [(113, 113), (123, 226), (236, 236)]);
}

#[test]
fn a_circuit_holds_its_whole_route() {
    // 0 -> 4 takes 4 x 3 + 110; 2 -> 3 shares a link with it, 4 -> 0 does not.
    let messages = [(0, 2, 3, 100), (1, 0, 4, 100), (2, 0, 1, 100), (3, 4, 0, 100)];
    assert_eq!(arrivals(&linear(CIRCUIT), &messages), [113, 235, 348, 125]);
}

#[test]
fn e_cube_routes_conflict_only_on_shared_links() {
    let cube = |switching| network(Topology::hypercube(3).unwrap(), switching);
    // 0 -> 7 goes over 1 and 3, and so does 1 -> 3.
    let conflict = [(0, 0, 7, 100), (1, 1, 3, 100)];
    assert_eq!(arrivals(&cube(CIRCUIT), &conflict), [119, 119 + 113]);
    assert_eq!(arrivals(&cube(WORM), &conflict), [22 * 15, 42 * 15]);
    // 2 -> 6, 4 -> 5 and 3 -> 1 share no link with it.
    let disjoint = [(0, 0, 7, 100), (1, 2, 6, 100), (1, 4, 5, 100), (1, 3, 1, 100)];
    assert_eq!(arrivals(&cube(CIRCUIT), &disjoint), [119, 114, 114, 114]);
}

#[test]
fn a_pool_of_two_carries_two_messages() {
    // Two subtrees of two; the pools above them have two channels, those above processors three.
    let tree = |switching| network(Topology::fat_tree(2, &[3, 2]).unwrap(), switching);
    let flows = [(0, 0, 2, 600), (0, 1, 3, 600), (0, 0, 3, 600)];
    let alone = 4 * 3 + 610;
    assert_eq!(arrivals(&tree(CIRCUIT), &flows), [alone, alone, 2 * alone]);
    assert_eq!(arrivals(&tree(CUT), &flows), [alone, alone, alone + 613]);
    // Each flow has two thirds of its speed.
    assert_eq!(arrivals(&tree(FLOW), &flows), [alone + 300, alone + 300, alone + 300]);
}

#[test]
fn flows_share_evenly() {
    // Both begin at 13. Without contention 100 bytes take 100.
    assert_eq!(arrivals(&linear(FLOW), &[(0, 0, 1, 100), (0, 0, 1, 100)]), [213, 213]);
    // Half of the first is done when the second begins; then each has half. The second ends alone.
    assert_eq!(arrivals(&linear(FLOW), &[(0, 0, 1, 100), (50, 0, 1, 100)]), [163, 213]);
    // No contention: different links, or different directions.
    assert_eq!(arrivals(&linear(FLOW), &[(0, 0, 1, 100), (0, 1, 2, 100), (0, 1, 0, 100)]), [113, 113, 113]);
}

#[test]
fn flows_use_the_capacity_that_others_leave() {
    // Two others on link 1 limit 0 -> 2 to a third; so 0 -> 1 has two thirds of link 0.
    let messages = [(0, 0, 2, 100), (0, 1, 2, 100), (0, 1, 2, 100), (0, 0, 1, 200)];
    // Those of a third end at 13 + 300, the last when its 200 have moved at two thirds, too.
    assert_eq!(arrivals(&linear(FLOW), &messages), [316, 313, 313, 313]);
}

#[test]
fn seven_flows_take_seven_times_as_long() {
    let messages = [(0, 0, 1, 1_000_000); 7];
    assert_eq!(arrivals(&linear(FLOW), &messages), [13 + 7_000_000; 7]);
}

#[test]
fn a_slow_piece_has_its_own_full_speed() {
    let slow = Piece { up_to: Some(100), startup: ps(10), per_byte: per_byte(3_000), ..Piece::default() };
    let fast = Piece { startup: ps(10), per_byte: per_byte(1_000), ..Piece::default() };
    let network = Network { link: Cost::new(vec![slow], fast), ..linear(FLOW) };
    assert_eq!(arrivals(&network, &[(0, 0, 1, 100)]), [313]);
    assert_eq!(arrivals(&network, &[(0, 0, 1, 100), (0, 0, 1, 300)]), [613, 613]);
}

#[test]
fn pipelined_flows_need_a_part_of_a_link() {
    // Clusters with one channel above each. The sender takes twice the time of a link.
    let overheads = Overheads { send: Cost::line(ps(5), per_byte(2_000)), ..Overheads::default() };
    let tree = network(Topology::fat_tree(4, &[1, 1]).unwrap(), FLOW);
    let network = Network { overheads, pipelined: true, ..tree };
    let alone = 4 * 3 + 10 + 200;
    assert_eq!(arrivals(&network, &[(0, 0, 4, 100)]), [alone]);
    assert_eq!(arrivals(&network, &[(0, 0, 4, 100), (0, 1, 5, 100)]), [alone; 2]);
    assert_eq!(
        arrivals(&network, &[(0, 0, 4, 100), (0, 1, 5, 100), (0, 2, 6, 100)]),
        [alone + 100; 3],
        "three share the link"
    );
    // A processor is no faster with two messages than with one.
    assert_eq!(arrivals(&network, &[(0, 0, 4, 100), (0, 0, 1, 100)]), [alone + 200, alone + 200 - 6]);
    assert_eq!(arrivals(&network, &[(0, 0, 4, 100), (0, 1, 4, 100)]), [alone + 200; 2]);
}

#[test]
fn a_lone_flow_has_the_rate_of_its_level() {
    let tree = network(Topology::fat_tree(4, &[1, 4]).unwrap(), FLOW);
    let network = Network { flow_rates: vec![per_byte(500), per_byte(3_000)], ..tree };
    // The link is slower than the first rate, and faster than the second.
    assert_eq!(arrivals(&network, &[(0, 0, 1, 100)]), [2 * 3 + 110]);
    assert_eq!(arrivals(&network, &[(0, 0, 4, 100)]), [4 * 3 + 310]);
    // Three of them fit on one link.
    assert_eq!(arrivals(&network, &[(0, 0, 4, 100); 3]), [4 * 3 + 310; 3]);
    assert_eq!(arrivals(&network, &[(0, 0, 4, 100); 4]), [4 * 3 + 410; 4]);
}

#[test]
fn occupancy_may_be_less_than_the_time_of_a_message() {
    // Without contention 10 + 100 and a header; 40 of that are shared, after the rest.
    let network = Network { occupancy: Some(Cost::line(ps(20), per_byte(200))), ..linear(FLOW) };
    assert_eq!(arrivals(&network, &[(0, 0, 1, 100)]), [113]);
    assert_eq!(arrivals(&network, &[(0, 0, 1, 100), (0, 0, 1, 100)]), [153, 153]);
    // The occupancy is at most the time of the message.
    let network = Network { occupancy: Some(Cost::constant(ps(500))), ..linear(FLOW) };
    assert_eq!(arrivals(&network, &[(0, 0, 1, 100)]), [113]);
    assert_eq!(arrivals(&network, &[(0, 0, 1, 100), (0, 0, 1, 100)]), [223, 223]);
}

/// Frames of 100 bytes, which occupy a link for 100 ps; a message takes 13 ps more, and 3 ps more
/// for each further link.
fn framed() -> Network {
    Network { frame: Some(100), ..linear(FLOW) }
}

#[test]
fn frames_without_contention_follow_the_formula() {
    assert_eq!(arrivals(&framed(), &[(0, 0, 1, 100)]), [113]);
    assert_eq!(arrivals(&framed(), &[(0, 0, 1, 1_000)]), [1_013]);
    // Over two links a message is not shorter than its frames one after the other: each takes a
    // little less.
    assert_eq!(arrivals(&framed(), &[(0, 0, 2, 1_000)]), [1_016]);
}

#[test]
fn a_frame_is_sent_whole_and_longer_messages_take_turns() {
    // Two that fit in a frame are sent one after the other.
    assert_eq!(arrivals(&framed(), &[(0, 0, 1, 100), (0, 2, 1, 100), (0, 1, 0, 100)]), [113, 113, 113]);
    assert_eq!(arrivals(&framed(), &[(0, 1, 0, 100), (0, 2, 0, 100)])[0], 113);
    // A short one waits for one frame of the long one, and delays it by one.
    assert_eq!(arrivals(&framed(), &[(0, 1, 2, 1_000), (0, 1, 0, 100)]), [1_013, 113]);
    let star = Network { topology: Topology::star(4).unwrap(), ..framed() };
    let alone = arrivals(&star, &[(0, 0, 1, 1_000)])[0];
    let both = arrivals(&star, &[(0, 0, 1, 1_000), (0, 0, 2, 100)]);
    assert!(both[0] > alone && both[0] <= alone + 100, "{both:?} instead of {alone}");
    assert!(both[1] < 400, "{both:?}");
}

#[test]
fn messages_of_a_pair_follow_each_other() {
    assert_eq!(arrivals(&framed(), &[(0, 0, 1, 500), (0, 0, 1, 100), (700, 0, 1, 100)]), [513, 613, 813]);
}

fn bus(packet: Option<u64>) -> Network {
    let last = Piece { startup: ps(10), packet, per_byte: per_byte(1_000), ..Piece::default() };
    Network { link: Cost::new(vec![], last), ..network(Topology::bus(8).unwrap(), Switching::Packet) }
}

#[test]
fn a_bus_serves_frames_in_turn() {
    // One frame of 60 each.
    assert_eq!(arrivals(&bus(None), &[(0, 0, 1, 50), (0, 2, 3, 50), (0, 4, 5, 50)]), [60, 120, 180]);
    // Two frames of 35 each: A B C A B C.
    assert_eq!(arrivals(&bus(Some(25)), &[(0, 0, 1, 50), (0, 2, 3, 50), (0, 4, 5, 50)]), [140, 175, 210]);
    // B is injected in the middle of A's second frame: A A B A B.
    assert_eq!(arrivals(&bus(Some(25)), &[(0, 0, 1, 75), (40, 2, 3, 50)]), [140, 175]);
}

#[test]
fn k_messages_on_a_bus_take_k_times_as_long() {
    for k in 1..20 {
        let messages: Vec<_> = (0..k).map(|_| (0, 0, 1, 1_000)).collect();
        let ends = arrivals(&bus(Some(10)), &messages);
        // Each of 100 frames takes 20, and the last round ends one after the other.
        let expected: Vec<u64> = (1..=k).map(|i| (99 * k + i) * 20).collect();
        assert_eq!(ends, expected);
    }
}

#[test]
fn the_cost_of_a_bus_does_not_grow_with_its_frames() {
    let messages = [(0, 0, 1, 1 << 40), (7, 2, 3, 1 << 40), (9, 2, 3, 5)];
    let ends = arrivals(&bus(Some(1)), &messages);
    let frames = 2 * (1_u64 << 40) + 5;
    assert_eq!(ends[1], frames * 11);
    assert_eq!(ends[0], (frames - 1) * 11);
    // A B C A B C ...: the fifth frame of C is the fifteenth of all.
    assert_eq!(ends[2], 15 * 11);
}

#[test]
fn processors_of_a_node_share_its_interface() {
    let interface = Cost::line(ps(5), per_byte(500));
    let nodes = Some(Nodes { size: 4, interface, inside: Cost::constant(ps(9)) });
    let network = Network { nodes, ..network(Topology::complete(3).unwrap(), Switching::Packet) };
    // 55 at the sender's NIC, 110 on the link, 55 at the receiver's NIC.
    assert_eq!(times(&network, &[(0, 0, 4, 100)]), [(55, 220)]);
    // Both leave through one NIC, to different nodes: only that is shared.
    assert_eq!(times(&network, &[(0, 0, 4, 100), (0, 1, 8, 100)]), [(55, 220), (110, 275)]);
    // Both arrive through one NIC.
    assert_eq!(times(&network, &[(0, 0, 8, 100), (0, 4, 9, 100)]), [(55, 220), (55, 275)]);
    // Inside a node, and on one processor, there is no contention.
    assert_eq!(arrivals(&network, &[(0, 0, 4, 100), (1, 0, 1, 100), (2, 3, 3, 100)]), [220, 10, 9]);
}

#[test]
fn times_beyond_the_range_do_not_panic() {
    let costs = Cost::line(Time::from_picos(u64::MAX / 2), per_byte(2_000_000_000));
    for switching in [Switching::Packet, CUT, CIRCUIT, WORM, FLOW] {
        for topology in
            [Topology::linear(5), Topology::bus(5), Topology::fat_tree(2, &[1, u64::from(u32::MAX)])]
        {
            let network = Network {
                link: costs.clone(),
                setup: costs.clone(),
                ..network(topology.unwrap(), switching)
            };
            let messages = [(0, 0, 3, u64::MAX), (1, 0, 3, u64::MAX), (2, 0, 3, u64::MAX)];
            assert_eq!(arrivals(&network, &messages), [u64::MAX; 3]);
        }
    }
}
