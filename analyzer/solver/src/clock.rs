//! Whether the clock had a say: what it cut short may come out otherwise the next time.
//!
//! Counted per thread. Whoever wants to know of a piece of work that stays in one thread compares before and after.

use std::cell::Cell;

thread_local! {
    static TIMES: Cell<u64> = const { Cell::new(0) };
}

/// Something was given up, or left out, because of the time or of a process that is not ours.
pub fn had_a_say() {
    TIMES.with(|times| times.set(times.get() + 1));
}

/// How often that was so in this thread.
pub fn times() -> u64 {
    TIMES.with(Cell::get)
}
