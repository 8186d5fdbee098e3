"""JupyterLab as `cargo lab` starts it: on this machine only, and asking nothing of the network."""

import os

c = get_config()  # noqa: F821

c.ServerApp.ip = "127.0.0.1"
c.ServerApp.allow_root = True  # in containers
c.ServerApp.log_level = c.LabApp.log_level = "WARN"
c.ServerApp.kernel_websocket_connection_class = "retrysim_lab.moving_lines.Connection"
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.extension_manager = "readonly"

# For the test in a browser, which gives JupyterLab its commands.
c.LabApp.expose_app_in_browser = bool(os.environ.get("LAB_EXPOSE_APP"))
