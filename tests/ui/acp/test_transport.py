"""The lines of a client, as the SDK gets them."""

import os

import pytest

from kimi_tui.ui.acp.transport import StdioTransport
from kimi_tui.ui.stdio import LineReader, LineWriter


@pytest.mark.parametrize("error", ['"no"', "5", "[1]", '{"code": "x", "message": [1]}'])
async def test_an_answer_with_an_error_of_any_form_is_an_error_and_no_result(error):
    source, client = os.pipe()
    transport = StdioTransport(LineReader(source), LineWriter(os.open(os.devnull, os.O_WRONLY)))
    os.write(client, f'{{"id": 1, "result": {{"outcome": "yes"}}, "error": {error}}}\n'.encode())
    os.close(client)
    received = await transport.receive()
    assert received is not None
    assert "result" not in received
    assert isinstance(received["error"]["code"], int)
    assert isinstance(received["error"]["message"], str)
    assert await transport.receive() is None
    os.close(source)
