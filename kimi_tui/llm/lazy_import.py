"""Deferred package imports: a package is loaded on the first access to one of its attributes.

An SDK imports the types of all its services: of openai's 500 modules a chat needs 150, of anthropic's 3,000 it needs
200. `importlib.util.LazyLoader` does not work here: it loads a package as soon as a module inside it is imported.
"""

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any

_reading = RLock()


@contextmanager
def defer_imports(*packages: str) -> Generator[None]:
    """Within the block, imports defer `packages` (full names) and all packages below them.

    Use it in one thread at a time: two threads that load parts of one SDK could deadlock. A package that cannot be
    loaded raises its error on the first attribute access.
    """
    finder = _Finder(packages)
    with _reading:
        sys.meta_path.insert(0, finder)
        try:
            yield
        finally:
            sys.meta_path.remove(finder)


class _Unread(ModuleType):
    """A package that is loaded on the first access to an attribute that it does not have yet."""

    def __getattr__(self, name: str) -> Any:
        with _reading:
            spec = self.__spec__
            if spec is not None and isinstance(spec.loader, _PutOff) and not name.startswith("__"):
                # Set before loading: modules that the package imports may access it, as any half loaded package.
                spec.loader, put_off = spec.loader.real, spec.loader
                try:
                    spec.loader.exec_module(self)
                except BaseException:
                    spec.loader = put_off
                    raise
                object.__setattr__(self, "__class__", ModuleType)
        return object.__getattribute__(self, name)


class _PutOff(Loader):
    def __init__(self, real: Loader) -> None:
        self.real = real

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Unread(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the load is deferred."""


class _Finder(MetaPathFinder):
    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = packages

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not any(fullname == package or fullname.startswith(f"{package}.") for package in self._packages):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None and spec.submodule_search_locations is not None:
            spec.loader = _PutOff(spec.loader)
        return spec
