//! Programs of any size: many functions with loops, branches and inputs over fifty globals.

use std::fmt::Write;

const GLOBALS: u64 = 50;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// About `lines` lines of C-; the same text for the same number.
pub fn program(lines: usize) -> String {
    let mut random = Random(0x5DEE_CE66_D1CE_4E5B);
    let mut text = String::new();
    for global in 0..GLOBALS {
        writeln!(text, "int g{global} = {};", random.below(10)).expect("a string takes it");
    }
    let mut functions = 0;
    while text.lines().count() + functions + 3 < lines {
        function(&mut text, functions, &mut random);
        functions += 1;
    }
    text.push_str("void main() {\n    int r = 0;\n");
    for function in 0..functions {
        writeln!(text, "    r = f{function}(r);").expect("a string takes it");
    }
    text.push_str("}\n");
    text
}

fn function(text: &mut String, number: usize, random: &mut Random) {
    let bound = 5 + random.below(200);
    let _ =
        write!(text, "int f{number}(int n) {{\n    int i = 0;\n    int s = 0;\n    while (i < {bound}) {{\n");
    for _ in 0..3 + random.below(6) {
        statement(text, random);
    }
    text.push_str(
        "        i = i + 1;\n    }\n    if (s > 100) {\n        s = 100;\n    }\n    return s;\n}\n",
    );
}

fn statement(text: &mut String, random: &mut Random) {
    let (one, other) = (random.below(GLOBALS), random.below(GLOBALS));
    let _ = match random.below(5) {
        0 => writeln!(text, "        g{one} = {};", random.below(50)),
        1 => writeln!(
            text,
            "        if (g{one} > {}) {{\n            s = s + 1;\n        }} else {{\n            g{other} = g{other} + 1;\n        }}",
            random.below(40)
        ),
        2 => writeln!(text, "        s = s + g{one};"),
        3 => writeln!(
            text,
            "        if (i % {} == 0) {{\n            g{other} = i;\n        }}",
            2 + random.below(4)
        ),
        _ => writeln!(text, "        g{one} = nondet(0, {});", 1 + random.below(20)),
    };
}
