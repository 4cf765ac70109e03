//! A turnstile: two coins open it, and what is paid too much is kept for the next visitor.

#[derive(Clone, Copy, PartialEq)]
enum Gate {
    Locked,
    Open { credit: u8 },
}

struct Turnstile {
    gate: Gate,
    takings: u8,
}

impl Turnstile {
    fn pay(&mut self, coins: u8) {
        self.takings += coins;
        self.gate = match self.gate {
            Gate::Locked if coins >= 2 => Gate::Open { credit: coins - 2 },
            Gate::Open { credit } => Gate::Open { credit: credit.saturating_add(coins) },
            locked => locked,
        };
    }

    fn pass(&mut self) {
        if let Gate::Open { credit } = self.gate {
            self.gate = if credit < 2 { Gate::Locked } else { Gate::Open { credit: credit - 2 } };
        }
    }
}

pub fn visit(first: u8, second: u8) -> u8 {
    let mut turnstile = Turnstile { gate: Gate::Locked, takings: 0 };
    turnstile.pay(first);
    turnstile.pay(second);
    turnstile.pass();
    turnstile.takings
}
