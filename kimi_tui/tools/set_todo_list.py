"""SetTodoList: the agent's todo list, shown to the user."""

from collections.abc import Callable, Iterable

from pydantic import Field

from kimi_tui.tools.core.tool import Params, Tool, ok
from kimi_tui.wire.display import TodoBlock, TodoItem, TodoStatus
from kimi_tui.wire.parts import ToolReturnValue

_MAX_TITLE = 2_000
_MAX_TODOS = 500


class TodoList:
    """The list of one session; `on_change` is called after each update."""

    def __init__(self, items: Iterable[TodoItem] = (), *, on_change: Callable[[], None] | None = None) -> None:
        self._items = tuple(items)
        self.on_change = on_change

    @property
    def items(self) -> tuple[TodoItem, ...]:
        return self._items

    def set(self, items: Iterable[TodoItem]) -> None:
        self._items = tuple(items)
        if self.on_change is not None:
            self.on_change()


class Todo(Params):
    title: str = Field(description="What is to be done, in a few words.", min_length=1, max_length=_MAX_TITLE)
    status: TodoStatus = Field(default="pending", description="How far it is.")


class SetTodoListParams(Params):
    todos: list[Todo] | None = Field(
        default=None,
        max_length=_MAX_TODOS,
        description="The whole new list; an empty one clears it; null only asks for the list as it is.",
    )


class SetTodoList(Tool[SetTodoListParams]):
    name = "SetTodoList"
    params = SetTodoListParams
    read_only = True

    def __init__(self, todos: TodoList) -> None:
        self._todos = todos

    async def call(self, params: SetTodoListParams) -> ToolReturnValue:
        if params.todos is None:
            if not self._todos.items:
                return ok(message="The todo list is empty.")
            lines = "\n".join(f"- [{item.status}] {item.title}" for item in self._todos.items)
            return ok(lines, "The todo list as it is.", display=(TodoBlock(items=self._todos.items),))
        items = tuple(TodoItem(title=todo.title, status=todo.status) for todo in params.todos)
        self._todos.set(items)
        return ok(message="Todo list updated", display=(TodoBlock(items=items),))
