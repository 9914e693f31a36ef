"""A connection that another thread can end, through a proxy where the environment names one."""

import base64
import http.client
import socket
import ssl
import threading
import urllib.parse
import urllib.request
from typing import Any


class _Abortable:
    """abort() ends what is under way in the thread that uses the connection. Any thread."""

    sock: Any

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._lock = threading.Lock()
        self._aborted = False
        self._socket: Any = None

    def connect(self) -> None:
        super().connect()  # type: ignore[misc]
        with self._lock:
            # The connection forgets its socket while an answer is still read from it.
            self._socket = self.sock
            if self._aborted:
                raise TimeoutError

    def abort(self) -> None:
        with self._lock:
            self._aborted = True
            if self._socket is None:
                return
            try:
                # TLS' own shutdown would talk to the other side.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
            except OSError:
                pass  # it has ended by itself


class _Plain(_Abortable, http.client.HTTPConnection):
    pass


class _Secure(_Abortable, http.client.HTTPSConnection):
    pass


def connection_to(
    url: str, timeout_s: float | None
) -> tuple[_Plain | _Secure, str, dict[str, str]]:
    """An unopened connection, the target for its request and headers for a proxy.
    Raises ValueError."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(
            f"{url!r} is no address of an endpoint: it begins with http:// or https://"
        )
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    target = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
    proxy = _proxy_for(parts.scheme, parts.hostname)
    if proxy is None:
        return _made(secure, parts.hostname, port, timeout_s), target, {}
    headers = _proxy_headers(proxy)
    connection = _made(secure, str(proxy.hostname), proxy.port or 80, timeout_s)
    if not secure:
        return connection, url, headers
    connection.set_tunnel(parts.hostname, port, headers)
    return connection, target, {}


def _made(secure: bool, host: str, port: int, timeout_s: float | None) -> _Plain | _Secure:
    if secure:
        return _Secure(host, port, timeout=timeout_s, context=ssl.create_default_context())
    return _Plain(host, port, timeout=timeout_s)


def _proxy_for(scheme: str, host: str) -> urllib.parse.SplitResult | None:
    proxy = urllib.request.getproxies().get(scheme)
    if not proxy or urllib.request.proxy_bypass(host):
        return None
    return urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}")


def _proxy_headers(proxy: urllib.parse.SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    user = urllib.parse.unquote(proxy.username)
    pair = f"{user}:{urllib.parse.unquote(proxy.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
