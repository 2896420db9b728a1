//! A program on a machine where messages do not get in each other's way: ranks run ahead of each other, and no queue of events is needed.
