//! Field numbers from Perfetto's published definitions
//! (<https://github.com/google/perfetto/blob/main/protos/perfetto/trace/perfetto_trace.proto>).

/// Fields of `Trace`.
pub mod trace {
    pub const PACKET: u32 = 1;
}

/// Fields of `TracePacket`.
pub mod packet {
    pub const TIMESTAMP: u32 = 8;
    pub const TRUSTED_PACKET_SEQUENCE_ID: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED_DATA: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const TRACK_DESCRIPTOR: u32 = 60;
    /// Values of `SEQUENCE_FLAGS`.
    pub const INCREMENTAL_STATE_CLEARED: u64 = 1;
    pub const NEEDS_INCREMENTAL_STATE: u64 = 2;
}

/// Fields of `TrackDescriptor`, `ProcessDescriptor`, `ThreadDescriptor` and `CounterDescriptor`.
pub mod track {
    pub const UUID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const PROCESS: u32 = 3;
    pub const THREAD: u32 = 4;
    pub const COUNTER: u32 = 8;
    pub const PROCESS_PID: u32 = 1;
    pub const PROCESS_NAME: u32 = 6;
    pub const PROCESS_LABELS: u32 = 8;
    pub const THREAD_PID: u32 = 1;
    pub const THREAD_TID: u32 = 2;
    pub const THREAD_NAME: u32 = 5;
    pub const COUNTER_UNIT: u32 = 3;
    pub const UNIT_COUNT: u64 = 2;
    pub const UNIT_SIZE_BYTES: u64 = 3;
}

/// Fields of `TrackEvent` and `DebugAnnotation`.
pub mod event {
    pub const CATEGORY_IIDS: u32 = 3;
    pub const DEBUG_ANNOTATIONS: u32 = 4;
    pub const TYPE: u32 = 9;
    pub const NAME_IID: u32 = 10;
    pub const TRACK_UUID: u32 = 11;
    pub const COUNTER_VALUE: u32 = 30;
    pub const FLOW_IDS: u32 = 47;
    pub const TERMINATING_FLOW_IDS: u32 = 48;
    pub const SLICE_BEGIN: u64 = 1;
    pub const SLICE_END: u64 = 2;
    pub const INSTANT: u64 = 3;
    pub const COUNTER: u64 = 4;
    pub const ANNOTATION_NAME_IID: u32 = 1;
    pub const ANNOTATION_UINT: u32 = 3;
    pub const ANNOTATION_STRING_IID: u32 = 17;
}

/// Fields of `InternedData`; its entries have a number (iid) and a name.
pub mod interned {
    pub const EVENT_CATEGORIES: u32 = 1;
    pub const EVENT_NAMES: u32 = 2;
    pub const ANNOTATION_NAMES: u32 = 3;
    pub const ANNOTATION_STRINGS: u32 = 29;
    pub const IID: u32 = 1;
    pub const NAME: u32 = 2;
}
