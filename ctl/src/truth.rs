//! Kleene's three truth values.
//!
//! Two different orders live on them and are never mixed up: the *truth order* False < Maybe < True, in
//! which the connectives are minimum and maximum, and the *information order* Maybe ⊑ False, Maybe ⊑ True,
//! in which a finer analysis moves upwards. That is why the type has no `Ord`.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    False,
    Maybe,
    True,
}

use Truth::{False, Maybe, True};

impl Truth {
    pub const ALL: [Truth; 3] = [False, Maybe, True];

    pub fn from_bool(value: bool) -> Truth {
        if value { True } else { False }
    }

    pub fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (False, _) | (_, False) => False,
            (True, True) => True,
            _ => Maybe,
        }
    }

    pub fn or(self, other: Truth) -> Truth {
        match (self, other) {
            (True, _) | (_, True) => True,
            (False, False) => False,
            _ => Maybe,
        }
    }

    #[allow(clippy::should_implement_trait)] // read beside `and` and `or`; `!` would hide the logic
    pub fn not(self) -> Truth {
        match self {
            False => True,
            Maybe => Maybe,
            True => False,
        }
    }

    pub fn implies(self, other: Truth) -> Truth {
        self.not().or(other)
    }

    pub fn iff(self, other: Truth) -> Truth {
        self.implies(other).and(other.implies(self))
    }

    pub fn is_definite(self) -> bool {
        self != Maybe
    }

    /// The definite value, `None` for Maybe.
    pub fn to_bool(self) -> Option<bool> {
        match self {
            False => Some(false),
            Maybe => None,
            True => Some(true),
        }
    }

    /// `a ≤ b` in the truth order False < Maybe < True.
    pub fn truth_leq(a: Truth, b: Truth) -> bool {
        a == False || b == True || a == b
    }

    /// `a ⊑ b` in the information order: `b` says at least as much as `a`.
    pub fn information_leq(a: Truth, b: Truth) -> bool {
        a == Maybe || a == b
    }

    /// What two sound answers say together; `None` means they contradict each other, which is a bug
    /// of whoever produced them.
    pub fn information_join(a: Truth, b: Truth) -> Option<Truth> {
        match (a, b) {
            (Maybe, other) | (other, Maybe) => Some(other),
            _ if a == b => Some(a),
            _ => None,
        }
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Truth {
        Truth::from_bool(value)
    }
}

impl From<Option<bool>> for Truth {
    fn from(value: Option<bool>) -> Truth {
        value.map_or(Maybe, Truth::from_bool)
    }
}

impl From<Truth> for Option<bool> {
    fn from(value: Truth) -> Option<bool> {
        value.to_bool()
    }
}

impl fmt::Display for Truth {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            False => "False",
            Maybe => "Maybe",
            True => "True",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every connective is the best answer over all ways to resolve each Maybe.
    #[test]
    fn connectives_are_kleenes() {
        fn resolutions(value: Truth) -> Vec<bool> {
            value.to_bool().map_or(vec![false, true], |known| vec![known])
        }
        type Binary = (fn(Truth, Truth) -> Truth, fn(bool, bool) -> bool);
        let connectives: [Binary; 4] = [
            (Truth::and, |a, b| a && b),
            (Truth::or, |a, b| a || b),
            (Truth::implies, |a, b| !a || b),
            (Truth::iff, |a, b| a == b),
        ];
        for (three_valued, two_valued) in connectives {
            for a in Truth::ALL {
                for b in Truth::ALL {
                    let mut seen: Vec<bool> = resolutions(a)
                        .iter()
                        .flat_map(|x| resolutions(b).into_iter().map(move |y| two_valued(*x, y)))
                        .collect();
                    seen.sort_unstable();
                    seen.dedup();
                    let expected = if seen.len() == 2 { Maybe } else { Truth::from_bool(seen[0]) };
                    assert_eq!(three_valued(a, b), expected, "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn orders_and_joins_agree() {
        for a in Truth::ALL {
            for b in Truth::ALL {
                assert_eq!(Truth::truth_leq(a, b), a.and(b) == a);
                assert_eq!(Truth::information_leq(a, b), Truth::information_join(a, b) == Some(b));
                assert_eq!(Truth::information_join(a, b), Truth::information_join(b, a));
            }
        }
        assert_eq!(Truth::information_join(True, False), None);
        assert!(!Truth::truth_leq(Maybe, False) && Truth::truth_leq(Maybe, True));
    }

    #[test]
    fn conversions_round_trip() {
        for value in Truth::ALL {
            assert_eq!(Truth::from(value.to_bool()), value);
        }
        assert_eq!(format!("{True} {False} {Maybe}"), "True False Maybe");
        assert_eq!(Truth::from(true), True);
    }
}
