//! A program on the time-ordered engine: where links, processors or wild cards make it matter who comes first.
