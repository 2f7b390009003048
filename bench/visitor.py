"""A reader without a browser: speaks to the server as a page does, and draws nothing."""

from __future__ import annotations

import html
import json
import re
import socket
import time
from typing import Any

from bokeh.protocol import Protocol
from bokeh.protocol.receiver import Receiver
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

SESSION = re.compile(r'<script type="application/json" id="session">(.*?)</script>', re.DOTALL)


class Visitor:
    """One session with one figure."""

    def __init__(self, slug: str, wire: WebSocketClientConnection):
        self.slug = slug
        self.wire = wire
        wire.stream.set_nodelay(True)  # as browsers do: a message is three frames, and none is to wait for the last
        self.receiver = Receiver(Protocol())
        self.model = ""  # id of the wire
        self.seq = self.said = 0

    @classmethod
    async def arrive(cls, server: str, slug: str) -> Visitor:
        """Open the page of a figure; it is ready when its first answer is here."""
        page = await AsyncHTTPClient().fetch(f"{server}/{slug}", request_timeout=60)
        (content,) = SESSION.findall(page.body.decode())
        token = json.loads(html.unescape(content))["wire"]["token"]
        request = HTTPRequest(f"{server.replace('http', 'ws', 1)}/{slug}/ws", headers={"Origin": server})
        visitor = cls(slug, await websocket_connect(request, subprotocols=["bokeh", token], max_message_size=2**26))
        await visitor._hear("ACK")
        await visitor._say("PULL-DOC-REQ")
        document = (await visitor._hear("PULL-DOC-REPLY"))["doc"]
        visitor.model = next(
            root["id"] for root in document["roots"] if root.get("attributes", {}).get("name") == "wire"
        )
        await visitor.ask({"everything": True})
        return visitor

    async def ask(self, wish: dict[str, Any]) -> float:
        """Send a wish as the gate does; seconds until its answer."""
        self.seq += 1
        up = json.dumps({"seq": self.seq, "figures": {self.slug: wish}})
        change = {"kind": "ModelChanged", "model": {"id": self.model}, "attr": "up", "new": up}
        begun = time.perf_counter()
        await self._say("PATCH-DOC", {"events": [change]})
        while True:
            content = await self._hear("PATCH-DOC")
            if any(event.get("attr") == "down" for event in content["events"]):
                return time.perf_counter() - begun

    async def _say(self, kind: str, content: dict[str, Any] | None = None) -> None:
        self.said += 1
        for part in ({"msgid": str(self.said), "msgtype": kind}, {}, content or {}):  # header, metadata, content
            await self.wire.write_message(json.dumps(part))

    async def _hear(self, kind: str) -> dict[str, Any]:
        """Content of the next message of this kind; others are passed over."""
        while True:
            self._acknowledge()
            fragment = await self.wire.read_message()
            if fragment is None:
                raise ConnectionError(f"{self.slug}: the server closed the connection")
            message = await self.receiver.consume(fragment)
            if message is None:
                continue
            if message.msgtype == "ERROR":
                raise RuntimeError(f"{self.slug}: {message.content.get('text')}")
            if message.msgtype == kind:
                return message.content

    def _acknowledge(self) -> None:
        """At once, as a browser's connection does here: the server sends the second frame of a message after that."""
        if hasattr(socket, "TCP_QUICKACK"):  # Linux; holds for a while only
            self.wire.stream.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    def leave(self) -> None:
        self.wire.close()
