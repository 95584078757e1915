"""The loader, ended in the middle."""

import pytest

from demo.loader import load_demo

PASSWORD = "seven swans a-swimming"


class Killed(BaseException):
    """Nobody catches it: like the end of the process, as far as the loader is concerned."""


def killed_at(line: str) -> None:
    """Load the demo and end with the first line of progress that contains this."""

    def say(said: str) -> None:
        if line in said:
            raise Killed

    with pytest.raises(Killed):
        load_demo(password=PASSWORD, say=say)
