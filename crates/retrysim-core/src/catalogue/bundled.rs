//! The entries that come with the library, a file for each family.

macro_rules! bundle {
    ($($name:literal),* $(,)?) => {
        &[$((concat!($name, ".toml"), include_str!(concat!("../../data/policies/", $name, ".toml")))),*]
    };
}

/// Name and TOML text of each file.
pub(super) const FILES: &[(&str, &str)] = bundle!(
    "aws",
    "grpc",
    "proxies",
    "finagle",
    "aws_article",
    "google",
    "azure",
    "dotnet_jvm",
    "python",
    "javascript",
    "go",
    "rust",
    "queues",
    "networks",
);
