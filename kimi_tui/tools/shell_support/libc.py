"""C library calls for the programs that start a command.

They use the extension module behind `ctypes`: importing `ctypes` takes longer than all else that such a program loads.
"""

# pyright: reportPrivateUsage=false, reportMissingTypeArgument=false
import _ctypes
import os

_RTLD_NOW = 2


class _Word(_ctypes._SimpleCData):
    _type_ = "L"


class _Status(_ctypes._SimpleCData):
    _type_ = "i"


class _Byte(_ctypes._SimpleCData):
    _type_ = "c"


class _Function(_ctypes.CFuncPtr):
    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = _Status


class Memory:
    """A copy of some bytes at an address that stays as long as this object."""

    def __init__(self, content: bytes) -> None:
        self._bytes = (_Byte * len(content))(*content)
        self.address = _ctypes.addressof(self._bytes)


def call(name: str, *arguments: int) -> int:
    """Call a function of the C library, with words or addresses; negative words are allowed.

    Raises OSError if it returns a negative number, and AttributeError if there is no such function.
    """
    try:
        program = _ctypes.dlopen(None, _RTLD_NOW)  # pyright: ignore[reportArgumentType]
        function = _Function(_ctypes.dlsym(program, name))
    except OSError as error:
        raise AttributeError(name) from error
    result = int(function(*map(_Word, arguments)))
    if result < 0:
        code = _ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
