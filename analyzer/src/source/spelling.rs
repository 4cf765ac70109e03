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

/// The same for paths: a name that lacks its beginning means the whole one, if there is only one.
pub fn closest_path<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let ending = format!("::{name}");
    let longer: Vec<&str> = candidates.iter().copied().filter(|path| path.ends_with(&ending)).collect();
    match longer.as_slice() {
        [only] => Some(only),
        _ => closest(name, candidates.iter().copied()).or_else(|| {
            let near = closest(last_of(name), candidates.iter().copied().map(last_of))?;
            candidates.iter().copied().find(|path| last_of(path) == near)
        }),
    }
}

fn last_of(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
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

    #[test]
    fn paths_are_found_by_their_end() {
        let known = ["Stack::push", "queue::push", "Stack::pop", "main"];
        assert_eq!(closest_path("pop", known), Some("Stack::pop"));
        assert_eq!(closest_path("Stack::pusch", known), Some("Stack::push"));
        assert_eq!(closest_path("Heap::popp", known), Some("Stack::pop"));
        assert_eq!(closest_path("maine", known), Some("main"));
        assert_eq!(closest_path("unrelated", known), None);
    }
}
