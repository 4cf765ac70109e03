//! What a misspelt name may have meant.

/// The candidate at the smallest edit distance, if it is small.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= 1 + name.len() / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_proposed_and_far_ones_are_not() {
        assert_eq!(closest("cuont", ["count", "limit"]), Some("count"));
        assert_eq!(closest("coun", ["count", "limit"]), Some("count"));
        assert_eq!(closest("presure", ["Pressure", "pressure"]), Some("pressure"));
        assert_eq!(closest("x", ["counter"]), None);
    }
}
