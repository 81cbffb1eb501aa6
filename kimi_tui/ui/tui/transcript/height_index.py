"""Heights of many items: sums and searches in O(log n), so that long conversations stay fast."""

from collections.abc import Iterable


class HeightIndex:
    """A growing list of heights with prefix sums (a Fenwick tree)."""

    def __init__(self, values: Iterable[int] = ()) -> None:
        self._values = list(values)
        self._build()

    def _build(self) -> None:
        self._tree = [0, *self._values]
        for index in range(1, len(self._tree)):
            parent = index + (index & -index)
            if parent < len(self._tree):
                self._tree[parent] += self._tree[index]

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        return self._values[index]

    def append(self, value: int) -> None:
        self._values.append(value)
        index = len(self._values)
        total, step = value, 1
        while step < index & -index:
            total += self._tree[index - step]
            step <<= 1
        self._tree.append(total)

    def prepend(self, values: Iterable[int]) -> None:
        """Add heights before all others."""
        self._values[:0] = values
        self._build()

    def set(self, index: int, value: int) -> None:
        """Change one height."""
        delta = value - self._values[index]
        if not delta:
            return
        self._values[index] = value
        index += 1
        while index < len(self._tree):
            self._tree[index] += delta
            index += index & -index

    def truncate(self, length: int) -> None:
        """Keep the first `length` heights."""
        del self._values[length:]
        self._tree = self._tree[: length + 1]

    def top(self, index: int) -> int:
        """Return the sum of the heights before `index`."""
        total = 0
        while index:
            total += self._tree[index]
            index -= index & -index
        return total

    @property
    def total(self) -> int:
        return self.top(len(self._values))

    def find(self, row: int) -> tuple[int, int]:
        """Return the item that contains `row`, and the row within it; for a row past the end, the item count and the
        remainder.
        """
        index, step = 0, 1 << len(self._values).bit_length()
        while step:
            after = index + step
            if after < len(self._tree) and self._tree[after] <= row:
                index = after
                row -= self._tree[after]
            step >>= 1
        return index, row
