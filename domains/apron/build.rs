//! Where to find libapron: in `$APRON_DIR/lib`, else where the linker looks. Nothing without the
//! feature `link`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=APRON_DIR");
    if std::env::var_os("CARGO_FEATURE_LINK").is_none() {
        return;
    }
    if let Ok(folder) = std::env::var("APRON_DIR") {
        println!("cargo:rustc-link-search=native={folder}/lib");
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}/lib");
    }
    for library in ["boxMPQ", "octMPQ", "polkaMPQ", "apron", "gmp", "m"] {
        println!("cargo:rustc-link-lib={library}");
    }
}
