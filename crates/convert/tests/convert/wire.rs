//! A strict reader of Perfetto's protocol buffers, with the fields and types of the published
//! definitions
//! (<https://github.com/google/perfetto/blob/main/protos/perfetto/trace/perfetto_trace.proto>); any
//! other field is an error.

use std::fmt::Write as _;

/// Types of fields.
#[derive(Clone, Copy)]
enum Type {
    Number,
    Fixed,
    Text,
    Message(&'static str),
}

use Type::{Fixed, Message, Number, Text};

type Fields = &'static [(u64, &'static str, Type)];

const INTERNED: Fields = &[(1, "iid", Number), (2, "name", Text)];

/// Returns the fields of a message type.
fn fields(message: &str) -> Fields {
    match message {
        "Trace" => &[(1, "packet", Message("TracePacket"))],
        "TracePacket" => &[
            (8, "timestamp", Number),
            (10, "trusted_packet_sequence_id", Number),
            (11, "track_event", Message("TrackEvent")),
            (12, "interned_data", Message("InternedData")),
            (13, "sequence_flags", Number),
            (60, "track_descriptor", Message("TrackDescriptor")),
        ],
        "TrackDescriptor" => &[
            (1, "uuid", Number),
            (2, "name", Text),
            (3, "process", Message("ProcessDescriptor")),
            (4, "thread", Message("ThreadDescriptor")),
            (8, "counter", Message("CounterDescriptor")),
        ],
        "ProcessDescriptor" => &[(1, "pid", Number), (6, "process_name", Text), (8, "process_labels", Text)],
        "ThreadDescriptor" => &[(1, "pid", Number), (2, "tid", Number), (5, "thread_name", Text)],
        "CounterDescriptor" => &[(3, "unit", Number)],
        "TrackEvent" => &[
            (3, "category_iids", Number),
            (4, "debug_annotations", Message("DebugAnnotation")),
            (9, "type", Number),
            (10, "name_iid", Number),
            (11, "track_uuid", Number),
            (30, "counter_value", Number),
            (47, "flow_ids", Fixed),
            (48, "terminating_flow_ids", Fixed),
        ],
        "DebugAnnotation" => {
            &[(1, "name_iid", Number), (3, "uint_value", Number), (17, "string_value_iid", Number)]
        }
        "InternedData" => &[
            (1, "event_categories", Message("EventCategory")),
            (2, "event_names", Message("EventName")),
            (3, "debug_annotation_names", Message("DebugAnnotationName")),
            (29, "debug_annotation_string_values", Message("InternedString")),
        ],
        "EventCategory" | "EventName" | "DebugAnnotationName" | "InternedString" => INTERNED,
        other => panic!("no message {other}"),
    }
}

/// A field with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub name: &'static str,
    pub value: Value,
}

/// Value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Number(u64),
    Text(String),
    Message(Vec<Field>),
}

/// Parses a trace; returns its packets.
pub fn trace(bytes: &[u8]) -> Vec<Vec<Field>> {
    let packets = message(bytes, "Trace").into_iter();
    packets
        .map(|field| if let Value::Message(packet) = field.value { packet } else { panic!("no packet") })
        .collect()
}

fn message(mut bytes: &[u8], kind: &str) -> Vec<Field> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let known = fields(kind).iter().find(|(number, ..)| *number == tag >> 3);
        let (_, name, form) = known.unwrap_or_else(|| panic!("{kind} has no field {}", tag >> 3));
        let value = match (form, tag & 7) {
            (Number, 0) => Value::Number(varint(&mut bytes)),
            (Fixed, 1) => {
                let (word, rest) = bytes.split_first_chunk().expect("eight bytes");
                bytes = rest;
                Value::Number(u64::from_le_bytes(*word))
            }
            (Text, 2) => Value::Text(String::from_utf8(take(&mut bytes).to_vec()).expect("UTF-8")),
            (Message(kind), 2) => Value::Message(message(take(&mut bytes), kind)),
            (_, wire) => panic!("{kind}.{name} has wire type {wire}"),
        };
        found.push(Field { name, value });
    }
    found
}

fn take<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let length = varint(bytes) as usize;
    let (head, rest) = bytes.split_at(length);
    *bytes = rest;
    head
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().expect("a number has an end");
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return value;
        }
    }
    panic!("a number of more than 64 bits")
}

/// Returns the number in a field, if present.
pub fn number(fields: &[Field], name: &str) -> Option<u64> {
    fields.iter().find(|field| field.name == name).map(|field| match &field.value {
        Value::Number(value) => *value,
        other => panic!("{name} is {other:?}"),
    })
}

/// Returns all nested messages with this name.
pub fn inner<'a>(fields: &'a [Field], name: &'a str) -> impl Iterator<Item = &'a [Field]> {
    fields.iter().filter(move |field| field.name == name).map(|field| match &field.value {
        Value::Message(fields) => &fields[..],
        other => panic!("{} is {other:?}", field.name),
    })
}

/// Returns the packets as text, one per line.
pub fn text(packets: &[Vec<Field>]) -> String {
    let mut text = String::new();
    for packet in packets {
        put(packet, &mut text);
        text.push('\n');
    }
    text
}

fn put(fields: &[Field], text: &mut String) {
    for (place, Field { name, value }) in fields.iter().enumerate() {
        let space = if place == 0 { "" } else { " " };
        let _ = write!(text, "{space}{name}");
        match value {
            Value::Number(value) => {
                let _ = write!(text, "={value}");
            }
            Value::Text(value) => {
                let _ = write!(text, "={value:?}");
            }
            Value::Message(fields) => {
                text.push('{');
                put(fields, text);
                text.push('}');
            }
        }
    }
}
