"""A server on this machine that speaks OpenAI's chat completions and says what a script tells."""

import contextlib
import http.server
import json
import threading


@contextlib.contextmanager
def openai_server(script):
    """Serve the script's lines, a text or the arguments of execute_python; gives the base URL."""
    lines = iter(script)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            data = json.dumps({"choices": [{"message": _message(next(lines))}]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _message(line):
    if isinstance(line, str):
        return {"role": "assistant", "content": line}
    function = {"name": "execute_python", "arguments": json.dumps(line)}
    call = {"id": "call-1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}
