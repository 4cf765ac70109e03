//! What made up calls are drawn from: numbers that are given, then others.

/// Numbers without an end that look like nothing in particular, and are the same every time.
#[derive(Clone, Debug, Hash)]
pub struct Random {
    state: u64,
}

impl Random {
    /// By a name: what other functions there are changes nothing.
    pub fn named(name: &str) -> Self {
        let mut state = 0xcbf2_9ce4_8422_2325_u64;
        for byte in name.bytes() {
            state = (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        Self { state }
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    pub fn fork(&mut self) -> Self {
        Self { state: self.next() }
    }
}

/// One run's choices.
#[derive(Clone, Debug)]
pub struct Draws {
    given: Vec<u32>,
    random: Random,
    pub taken: Vec<u32>,
}

impl Default for Draws {
    fn default() -> Self {
        Self::new(Vec::new(), Random { state: 0 })
    }
}

impl Draws {
    pub fn new(given: Vec<u32>, random: Random) -> Self {
        Self { given, random, taken: Vec::new() }
    }

    pub fn draw(&mut self) -> u32 {
        let drawn = match self.given.get(self.taken.len()) {
            Some(drawn) => *drawn,
            None => self.random.next() as u32,
        };
        self.taken.push(drawn);
        drawn
    }

    /// One of so many.
    pub fn below(&mut self, count: usize) -> usize {
        self.draw() as usize % count.max(1)
    }

    pub fn wide(&mut self) -> u128 {
        (0..4).fold(0, |wide, _| wide << 32 | u128::from(self.draw()))
    }
}

/// Choices to begin with: something new, or what was kept with a few changes.
pub fn varied(kept: &[Vec<u32>], random: &mut Random) -> Vec<u32> {
    if kept.is_empty() || random.below(4) == 0 {
        return Vec::new();
    }
    // The last ones have come furthest.
    let newest = random.below(2) == 0;
    let at = if newest { kept.len() - 1 - random.below(kept.len().min(3)) } else { random.below(kept.len()) };
    let mut draws = kept[at].clone();
    for _ in 0..=random.below(3) {
        if draws.is_empty() {
            break;
        }
        let place = random.below(draws.len());
        match random.below(6) {
            0 => draws.truncate(place),
            1 => draws[place] = draws[place].wrapping_add(1),
            2 => draws[place] = draws[place].wrapping_sub(1),
            3 => draws.insert(place, random.next() as u32),
            4 => drop(draws.remove(place)),
            _ => draws[place] = random.next() as u32,
        }
    }
    draws
}
