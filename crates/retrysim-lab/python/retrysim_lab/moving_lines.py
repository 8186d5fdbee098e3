"""Lines of progress that move.

The evcxr kernel passes on whole lines only. A line that begins with a carriage return and ends with an ellipsis is
one that the next line overwrites; without its newline, JupyterLab does that by itself.
"""

import json

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

CONTENT = 4  # signature, header, parent header, metadata, content


class Connection(ZMQChannelsWebsocketConnection):
    """What stands between a kernel and a browser."""

    def handle_outgoing_message(self, stream, outgoing_msg):
        identities, parts = self.session.feed_identities(outgoing_msg)
        if b'"\\r' in parts[CONTENT]:
            content = json.loads(parts[CONTENT])
            content["text"] = content.get("text", "").replace("…\n", "…")
            parts[CONTENT] = json.dumps(content).encode()
            parts[0] = self.session.sign(parts[1 : CONTENT + 1])
            outgoing_msg = [*identities, b"<IDS|MSG>", *parts]
        super().handle_outgoing_message(stream, outgoing_msg)
