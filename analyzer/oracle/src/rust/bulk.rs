//! Files as large as one likes: functions of about 30 lines in the manner of everyday code, to measure what linting
//! costs. Guards, loops, arrays, structures, options, matches and casts, most of them careful, some of them not.
//! And files of many calls: chains, diamonds and webs.

use std::fmt::Write;

use crate::rng::Rng;

/// What a file is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Functions that stand alone or call small helpers.
    Plain,
    /// Each function calls the next one twice: as many paths as there are powers of two.
    Diamond,
    /// Each function calls up to three later ones.
    Web,
}

const COMMON: &str = "\
#[derive(Clone, Copy)]
pub struct Config {
    pub width: u32,
    pub height: u32,
    pub depth: u8,
    pub enabled: bool,
}

#[derive(Clone, Copy)]
pub enum Command {
    Stop,
    Move(i16),
    Resize(u16, u16),
    Blend { from: u8, to: u8 },
}

fn scaled(value: u32, percent: u32) -> u32 {
    let percent = percent.min(100);
    value / 100 * percent + value % 100 * percent / 100
}

fn checked_ratio(part: u32, whole: u32) -> Option<u32> {
    if whole == 0 {
        None
    } else {
        Some(part / whole)
    }
}

";

/// Lines of one function, its braces included.
const LINES: usize = 30;

pub fn file(seed: u64, count: usize, shape: Shape) -> String {
    let mut text = String::from(COMMON);
    for index in 0..count {
        let mut rng = Rng::new(seed, index as u64);
        match shape {
            Shape::Plain => plain(&mut text, &mut rng, index),
            Shape::Diamond => diamond(&mut text, &mut rng, index, count),
            Shape::Web => web(&mut text, &mut rng, index, count),
        }
    }
    text
}

fn plain(text: &mut String, rng: &mut Rng, index: usize) {
    let parameters =
        "a: i32, b: u32, index: usize, data: [u8; 8], config: Config, command: Command, maybe: Option<u16>";
    let mut lines = vec![
        format!("pub fn plain_{index}({parameters}) -> u32 {{"),
        format!("    let mut total: u32 = {};", rng.range(0, 9)),
    ];
    let mut number = 0;
    loop {
        let fragment = fragment(rng, number);
        if lines.len() + fragment.len() + 2 > LINES {
            break;
        }
        lines.extend(fragment.into_iter().map(|line| format!("    {line}")));
        number += 1;
    }
    lines.push("    total".into());
    lines.push("}".into());
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    text.push('\n');
}

/// A few lines that read parameters and change `total`.
fn fragment(rng: &mut Rng, n: usize) -> Vec<String> {
    let small = rng.range(2, 20);
    let large = rng.range(100, 4000);
    let lines: &[&str] = match rng.below(18) {
        0 => &["if b > @L {", "    return total;", "}", "total += b * @S;"],
        1 => &[
            "let mut sum_@n: u32 = 0;",
            "for item in data {",
            "    sum_@n += u32::from(item);",
            "}",
            "total = total.wrapping_add(sum_@n);",
        ],
        2 => &[
            "let mut at_@n = 0;",
            "while at_@n < data.len() {",
            "    if data[at_@n] == @S {",
            "        break;",
            "    }",
            "    at_@n += 1;",
            "}",
            "total = total.saturating_add(at_@n as u32);",
        ],
        3 => &[
            "let step_@n = match command {",
            "    Command::Stop => 0,",
            "    Command::Move(by) => i32::from(by) + @S,",
            "    Command::Resize(w, h) => i32::from(w / 2) + i32::from(h / 2),",
            "    Command::Blend { from, to } => i32::from(from) - i32::from(to),",
            "};",
            "total = total.wrapping_add(step_@n as u32);",
        ],
        4 => &["if index < data.len() {", "    total ^= u32::from(data[index]);", "}"],
        5 => &["total = total.max(u32::from(data[index & 7]));"],
        6 => &[
            "if let Some(value) = maybe {",
            "    total = total.saturating_add(u32::from(value) / @S);",
            "} else {",
            "    total = total.saturating_sub(1);",
            "}",
        ],
        7 => &[
            "let ratio_@n = match checked_ratio(config.width, config.height) {",
            "    Some(ratio) => ratio,",
            "    None => return total,",
            "};",
            "total ^= ratio_@n;",
        ],
        8 => &[
            "let area_@n = u64::from(config.width) * u64::from(config.height);",
            "if area_@n > @L {",
            "    total = total.wrapping_mul(31);",
            "}",
        ],
        9 => &["let shift_@n = u32::from(config.depth) % 32;", "total = total.wrapping_add(1 << shift_@n);"],
        10 => &[
            "let mut rest_@n = b % @L;",
            "while rest_@n > 0 {",
            "    total ^= rest_@n;",
            "    rest_@n /= 2;",
            "}",
        ],
        11 => &[
            "let limited_@n = a.clamp(-@L, @L);",
            "let moved_@n = limited_@n * @S + 1;",
            "if moved_@n < 0 && config.enabled {",
            "    total = total.wrapping_sub(moved_@n.unsigned_abs());",
            "}",
        ],
        12 => &[
            "let mut table_@n = [0u32; 6];",
            "for slot in 0..6 {",
            "    table_@n[slot] = b / (slot as u32 + 1);",
            "}",
            "total = total.wrapping_add(table_@n[index % 6]);",
        ],
        13 => &["total = total.wrapping_add(scaled(config.width, @S));"],
        14 => &[
            "let next_@n = match b.checked_add(@S) {",
            "    Some(next) => next,",
            "    None => @L,",
            "};",
            "debug_assert!(next_@n >= @S);",
            "total = total.wrapping_add(next_@n);",
        ],
        15 => &[
            "if a > 0 {",
            "    total = total.wrapping_add(a as u32 % @S);",
            "} else if a < -@L {",
            "    total = total.wrapping_add((-(a + 1)) as u32);",
            "}",
        ],
        16 => &[
            "let mut low_@n = 0u32;",
            "let mut high_@n = @L;",
            "while low_@n < high_@n {",
            "    let middle = low_@n + (high_@n - low_@n) / 2;",
            "    if middle < b { low_@n = middle + 1; } else { high_@n = middle; }",
            "}",
            "total ^= low_@n;",
        ],
        _ => careless(rng),
    };
    let fill = |line: &&str| {
        line.replace("@n", &n.to_string()).replace("@S", &small.to_string()).replace("@L", &large.to_string())
    };
    lines.iter().map(fill).collect()
}

/// What reviews find.
fn careless(rng: &mut Rng) -> &'static [&'static str] {
    match rng.below(6) {
        0 => &["total += config.width * config.height;"],
        1 => &["total = total.wrapping_add(b / (config.width - @S));"],
        2 => &["let byte_@n = data[index];", "total ^= u32::from(byte_@n);"],
        3 => &["let word_@n = maybe.unwrap();", "total ^= u32::from(word_@n);"],
        4 => &["total ^= 1 << config.depth;"],
        _ => &["if config.enabled {", "    assert!(a != @L, \"not this one\");", "}"],
    }
}

fn diamond(text: &mut String, rng: &mut Rng, index: usize, count: usize) {
    let (limit, divisor) = (rng.range(50, 900), rng.range(2, 9));
    let visible = if index == 0 { "pub " } else { "" };
    let _ = writeln!(text, "{visible}fn diamond_{index}(x: u32, y: u32) -> u32 {{");
    if index + 1 < count {
        let next = index + 1;
        let _ = writeln!(text, "    let near = x.min({limit});");
        let _ = writeln!(text, "    let left = diamond_{next}(near, y / {divisor});");
        let _ = writeln!(text, "    let right = diamond_{next}(y % {limit}, near);");
        let _ = writeln!(text, "    if left > {limit} {{ left - {limit} }} else {{ right / {divisor} }}");
    } else {
        let _ = writeln!(text, "    x / (y + 1)");
    }
    text.push_str("}\n\n");
}

fn web(text: &mut String, rng: &mut Rng, index: usize, count: usize) {
    let (limit, divisor) = (rng.range(50, 900), rng.range(2, 9));
    let visible = if index == 0 { "pub " } else { "" };
    let _ = writeln!(text, "{visible}fn web_{index}(x: u32, data: [u8; 4]) -> u32 {{");
    let _ = writeln!(text, "    if x > {limit} {{");
    let _ = writeln!(text, "        return x % {limit} + u32::from(data[(x & 3) as usize]);");
    let _ = writeln!(text, "    }}");
    let _ = writeln!(text, "    let mut total = x * {divisor};");
    for _ in 0..3 {
        let callee = index + 1 + rng.below(6);
        if callee < count {
            let _ = writeln!(text, "    total ^= web_{callee}(total / {divisor}, data);");
        }
    }
    let _ = writeln!(text, "    if total > {limit} {{ total - {limit} }} else {{ total }}");
    text.push_str("}\n\n");
}
