//! Targets by their triple, as far as `cfg` can ask.

use crate::frontend::rust::Target;

/// A triple whose parts are understood; checked where arguments are read.
pub fn triple(text: &str) -> Result<String, String> {
    of_triple(text).map(|_| text.to_string())
}

/// The named target, or the machine this runs on.
pub fn described(triple: Option<&str>) -> Target {
    triple.and_then(|triple| of_triple(triple).ok()).unwrap_or_else(host)
}

fn host() -> Target {
    let env = match () {
        () if cfg!(target_env = "gnu") => "gnu",
        () if cfg!(target_env = "musl") => "musl",
        () if cfg!(target_env = "msvc") => "msvc",
        () => "",
    };
    let (vendor, os) = match std::env::consts::OS {
        "macos" => ("apple", "darwin"),
        "windows" => ("pc", "windows"),
        os => ("unknown", os),
    };
    let parts = [std::env::consts::ARCH, vendor, os, env];
    let name = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    of_triple(&name).unwrap_or_default()
}

/// Name in triples, `target_arch`, bits of a pointer, and whether the least significant byte comes first.
const ARCHITECTURES: &[(&str, &str, u32, bool)] = &[
    ("x86_64", "x86_64", 64, true),
    ("i586", "x86", 32, true),
    ("i686", "x86", 32, true),
    ("aarch64", "aarch64", 64, true),
    ("arm64", "aarch64", 64, true),
    ("arm", "arm", 32, true),
    ("armv5te", "arm", 32, true),
    ("armv7", "arm", 32, true),
    ("armv7a", "arm", 32, true),
    ("armv7r", "arm", 32, true),
    ("thumbv6m", "arm", 32, true),
    ("thumbv7m", "arm", 32, true),
    ("thumbv7em", "arm", 32, true),
    ("thumbv7neon", "arm", 32, true),
    ("thumbv8m.base", "arm", 32, true),
    ("thumbv8m.main", "arm", 32, true),
    ("wasm32", "wasm32", 32, true),
    ("wasm64", "wasm64", 64, true),
    ("riscv32i", "riscv32", 32, true),
    ("riscv32im", "riscv32", 32, true),
    ("riscv32imac", "riscv32", 32, true),
    ("riscv32imc", "riscv32", 32, true),
    ("riscv32gc", "riscv32", 32, true),
    ("riscv64gc", "riscv64", 64, true),
    ("riscv64imac", "riscv64", 64, true),
    ("powerpc", "powerpc", 32, false),
    ("powerpc64", "powerpc64", 64, false),
    ("powerpc64le", "powerpc64", 64, true),
    ("s390x", "s390x", 64, false),
    ("mips", "mips", 32, false),
    ("mipsel", "mips", 32, true),
    ("mips64", "mips64", 64, false),
    ("mips64el", "mips64", 64, true),
    ("sparc64", "sparc64", 64, false),
    ("loongarch64", "loongarch64", 64, true),
    ("avr", "avr", 16, true),
    ("msp430", "msp430", 16, true),
];

/// Name in triples, `target_os`, `target_family`.
const SYSTEMS: &[(&str, &str, &str)] = &[
    ("linux", "linux", "unix"),
    ("android", "android", "unix"),
    ("androideabi", "android", "unix"),
    ("darwin", "macos", "unix"),
    ("macos", "macos", "unix"),
    ("ios", "ios", "unix"),
    ("tvos", "tvos", "unix"),
    ("watchos", "watchos", "unix"),
    ("freebsd", "freebsd", "unix"),
    ("netbsd", "netbsd", "unix"),
    ("openbsd", "openbsd", "unix"),
    ("dragonfly", "dragonfly", "unix"),
    ("illumos", "illumos", "unix"),
    ("solaris", "solaris", "unix"),
    ("emscripten", "emscripten", "unix"),
    ("redox", "redox", "unix"),
    ("windows", "windows", "windows"),
    ("uefi", "uefi", ""),
    ("wasi", "wasi", "wasm"),
    ("wasip1", "wasi", "wasm"),
    ("wasip2", "wasi", "wasm"),
    ("none", "none", ""),
];

fn of_triple(text: &str) -> Result<Target, String> {
    let parts: Vec<&str> = text.split('-').collect();
    let wrong = |what: &str| format!("`{text}` is no target that is known here: {what}");
    let [architecture, rest @ ..] = parts.as_slice() else { return Err(wrong("it has no parts")) };
    let Some((_, arch, pointer_width, little)) = ARCHITECTURES.iter().find(|known| known.0 == *architecture)
    else {
        return Err(wrong(&format!("there is no architecture `{architecture}`")));
    };
    let known = rest.iter().enumerate().rev().find_map(|(at, part)| {
        // `unknown-none-elf` has no vendor, `wasm32-unknown-unknown` no system.
        SYSTEMS.iter().find(|(name, ..)| name == part).map(|found| (at, found))
    });
    let (os, family, env, vendor) = match known {
        Some((at, (_, os, family))) => {
            let vendor = if at == 0 { "unknown" } else { rest[0] };
            let env = rest.get(at + 1).copied().or_else(|| rest[at].strip_prefix("wasi"));
            (*os, *family, env.unwrap_or(""), vendor)
        }
        None if rest.len() == 2 && rest[1] == "unknown" => ("unknown", "", "", rest[0]),
        None => return Err(wrong("its system is not known")),
    };
    let family = if arch.starts_with("wasm") && family.is_empty() { "wasm" } else { family };
    Ok(Target {
        name: text.into(),
        arch: (*arch).into(),
        os: os.into(),
        family: family.into(),
        env: environment(env).into(),
        abi: abi(env).into(),
        vendor: vendor.into(),
        pointer_width: *pointer_width,
        little_endian: *little,
    })
}

/// `target_env` of the last part of a triple.
fn environment(part: &str) -> &str {
    match part {
        "gnueabi" | "gnueabihf" | "gnux32" | "gnuspe" => "gnu",
        "musleabi" | "musleabihf" => "musl",
        "gnu" | "musl" | "msvc" | "sgx" | "newlib" | "uclibc" | "p1" | "p2" => part,
        _ => "",
    }
}

fn abi(part: &str) -> &str {
    match part {
        "gnueabi" | "musleabi" | "eabi" => "eabi",
        "gnueabihf" | "musleabihf" | "eabihf" => "eabihf",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(triple: &str) -> (String, String, String, String, u32, bool) {
        let Target { arch, os, family, env, pointer_width, little_endian, .. } =
            of_triple(triple).expect("a target");
        (arch, os, family, env, pointer_width, little_endian)
    }

    #[test]
    fn common_targets_are_what_rustc_says() {
        let expected = |arch: &str, os: &str, family: &str, env: &str, width, little| {
            (arch.into(), os.into(), family.into(), env.into(), width, little)
        };
        let linux = expected("x86_64", "linux", "unix", "gnu", 64, true);
        assert_eq!(parts("x86_64-unknown-linux-gnu"), linux);
        assert_eq!(parts("i686-pc-windows-msvc"), expected("x86", "windows", "windows", "msvc", 32, true));
        assert_eq!(parts("aarch64-apple-darwin"), expected("aarch64", "macos", "unix", "", 64, true));
        assert_eq!(parts("armv7-unknown-linux-gnueabihf"), expected("arm", "linux", "unix", "gnu", 32, true));
        assert_eq!(parts("thumbv7em-none-eabihf"), expected("arm", "none", "", "", 32, true));
        assert_eq!(parts("wasm32-unknown-unknown"), expected("wasm32", "unknown", "wasm", "", 32, true));
        assert_eq!(parts("wasm32-wasip1"), expected("wasm32", "wasi", "wasm", "p1", 32, true));
        assert_eq!(parts("s390x-unknown-linux-gnu"), expected("s390x", "linux", "unix", "gnu", 64, false));
        assert!(of_triple("x86-65-linux").is_err() && of_triple("").is_err());
    }

    #[test]
    fn this_machine_is_known() {
        let host = host();
        assert_eq!((host.arch.as_str(), host.os.as_str()), (std::env::consts::ARCH, std::env::consts::OS));
    }
}
