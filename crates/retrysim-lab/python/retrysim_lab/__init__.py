"""The Python side of `cargo lab`: what JupyterLab and notebooks need beside the kernel."""
