//! The evcxr kernel: installed under `.lab`, and told where the library is.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use serde_json::json;

use crate::{
    folder::Folder,
    library::Library,
    step::{is_done, output, run, step, write},
};

const VERSION: &str = "0.22.0";

/// Separates compiler flags, so that they may hold blanks.
const SEPARATOR: &str = "\u{1f}";

/// Installs evcxr_jupyter.
///
/// Without optimisation: what takes time in a cell is rustc, and this builds in a fifth of the time.
pub fn install(folder: &Folder) -> Result<()> {
    let mark = folder.lab("evcxr/version");
    if is_done(&mark, VERSION) {
        return Ok(());
    }
    step(&format!("evcxr_jupyter {VERSION} in .lab/evcxr (about two minutes)"), || {
        let build = folder.lab("evcxr/build");
        let mut cargo = Command::new(cargo());
        cargo.args(["install", "evcxr_jupyter", "--version", &format!("={VERSION}")]);
        cargo.args(["--locked", "--debug", "--force", "--no-track", "--quiet", "--root"]);
        cargo.arg(folder.lab("evcxr")).current_dir(folder.root());
        // What was compiled before an interruption is used; nothing else is left of it.
        cargo.env("CARGO_TARGET_DIR", &build).env("CARGO_PROFILE_DEV_DEBUG", "0");
        cargo.env("CARGO_PROFILE_DEV_INCREMENTAL", "false");
        run(&mut cargo)?;
        fs::remove_dir_all(&build).with_context(|| format!("{} can't be removed", build.display()))?;
        write(&mark, VERSION)
    })
}

/// The cargo that this program was started by.
pub fn cargo() -> std::ffi::OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Writes the kernel's configuration.
pub fn configure(folder: &Folder, library: &Library, sources: Option<&Path>) -> Result<()> {
    // evcxr keeps its files beside the specification and rewrites all of them unless it finds its version.
    output(evcxr(folder).arg("--install"))?;
    write(&folder.lab("jupyter/kernels/rust/kernel.json"), &specification(folder, sources)?)?;
    let stub = sources.map(|_| stub(folder)).transpose()?;
    write(&folder.lab("evcxr/config/evcxr.toml"), &configuration(library, stub.as_deref()))
}

fn evcxr(folder: &Folder) -> Command {
    let mut evcxr = Command::new(folder.lab("evcxr/bin/evcxr_jupyter"));
    evcxr.env("JUPYTER_PATH", folder.lab("jupyter"));
    evcxr
}

/// The kernel is evcxr's stock kernel by name, so that notebooks open with anyone's.
///
/// An interrupt is a signal that the kernel itself ignores: the process in which cells run handles it, stops
/// its simulation, and keeps its variables. evcxr's own way would end that process.
fn specification(folder: &Folder, sources: Option<&Path>) -> Result<String> {
    // rust-analyzer, which is part of evcxr, would download sources of the standard library if it found none.
    // It takes a folder that holds `core` for them.
    let none = folder.lab("evcxr/no-sources");
    fs::create_dir_all(none.join("core")).context(".lab can't be written")?;
    let start = r#"trap "" INT; exec "$0" --control_file "$1" >>"$LAB_LOG" 2>&1"#;
    let mut environment = json!({
        "EVCXR_CONFIG_DIR": folder.lab("evcxr/config"),
        "RUST_SRC_PATH": sources.unwrap_or(&none),
        "RETRYSIM_OUT": folder.out(),
        "RETRYSIM_PROGRAM": folder.retrysim(),
        "LAB_LOG": folder.lab("kernel.log"),
    });
    // Cells need the compiler that made the library, wherever the notebook lies.
    if let Ok(toolchain) = env::var("RUSTUP_TOOLCHAIN") {
        environment["RUSTUP_TOOLCHAIN"] = toolchain.into();
    }
    let specification = json!({
        "argv": ["/bin/sh", "-c", start, folder.lab("evcxr/bin/evcxr_jupyter"), "{connection_file}"],
        "display_name": "Rust (retrysim)",
        "language": "rust",
        "interrupt_mode": "signal",
        "env": environment,
    });
    Ok(serde_json::to_string_pretty(&specification)?)
}

/// A crate that cargo, and so rust-analyzer, knows: the library to cells, signatures to rust-analyzer.
fn stub(folder: &Folder) -> Result<PathBuf> {
    let stub = folder.lab("evcxr/stub");
    let manifest =
        "[package]\nname = \"retrysim_stub\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
    write(&stub.join("Cargo.toml"), manifest)?;
    write(&stub.join("src/lib.rs"), include_str!("../stub/lib.rs"))?;
    Ok(stub)
}

/// What evcxr does before the first cell: it learns how to link, and what every cell sees.
fn configuration(library: &Library, stub: Option<&Path>) -> String {
    let folder = library.folder.display();
    let flags = [
        "-Cprefer-dynamic".into(),
        format!("-Ldependency={folder}"),
        "--extern".into(),
        format!("retrysim_nb={folder}/{}", library.file),
        format!("-Clink-arg=-Wl,-rpath,{folder}"),
        format!("-Clink-arg=-Wl,-rpath,{}", library.standard.display()),
    ];
    let mut prelude = format!(":build_env CARGO_ENCODED_RUSTFLAGS={}\n", flags.join(SEPARATOR));
    let mut uses = "use retrysim_nb::prelude::*;\n";
    if let Some(stub) = stub {
        prelude += &format!(":dep retrysim_stub = {{ path = {} }}\n", json!(stub));
        uses = "use retrysim_nb::prelude::*;\nuse retrysim_stub::prelude::*;\n";
    }
    // Named, since a glob leaves it open which of two macros is meant.
    prelude += "use retrysim_nb::eprintln;\n";
    prelude += uses;
    // evcxr learns what `?` is from the first one that it meets, and shows the value of that cell badly.
    prelude += "Ok::<(), std::fmt::Error>(retrysim_nb::session::begin())?;\n";
    // Cells are compiled as they are: optimising takes longer than they run. JSON strings are TOML strings.
    format!("[evcxr]\nopt_level = \"0\"\nprelude = {}\n", json!(prelude))
}
