"""Submits, queues and steers user input."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kimi_tui.ui.tui.i18n.catalog import _
from kimi_tui.ui.tui.main_screen.screen import MainScreen

if TYPE_CHECKING:
    from kimi_tui.ui.tui.engine_protocol import Engine
    from kimi_tui.ui.tui.session.pending_steers import PendingSteers
    from kimi_tui.ui.tui.session.turn_queue import TurnQueue
    from kimi_tui.ui.tui.state.view_clock import Timed
    from kimi_tui.wire.parts import UserInput


class PromptController:
    """Sends the composer's messages. Messages sent before there is an engine wait in `pending_before_start`.

    `tell` shows a short notification, `failed` reports an internal error, `ended` is called when a turn ends.
    """

    def __init__(
        self,
        home: MainScreen,
        *,
        tell: Callable[[str, bool], None],
        failed: Callable[[str], None],
        ended: Callable[[], None],
    ) -> None:
        self._home, self._tell, self._failed, self._ended = home, tell, failed, ended
        self._engine: Engine | None = None
        self._turns: TurnQueue | None = None
        self._meanwhile: PendingSteers | None = None
        self.pending_before_start: list[UserInput] = []

    def attach(self, engine: "Engine") -> None:
        from kimi_tui.ui.tui.session.pending_steers import PendingSteers
        from kimi_tui.ui.tui.session.turn_queue import TurnQueue

        self._engine, self._meanwhile = engine, PendingSteers()
        self._turns = TurnQueue(
            engine,
            changed=self.show_queue,
            refused=self._refused,
            failed=self._failed,
            ended=self._ended,
            broken=self._queue_back,
        )

    async def detach(self) -> None:
        """Interrupt everything and wait until it has ended."""
        turns, meanwhile = self._turns, self._meanwhile
        self._engine = self._turns = self._meanwhile = None
        if turns is not None and meanwhile is not None and self._home.composer.is_attached:
            self._restore_to_composer((*meanwhile.take(), *turns.pop_all()))
            self._home.composer.show_queue(())
        if turns is not None:
            await turns.aclose()

    def image_warning(self) -> str | None:
        """Why the model cannot see an image; None if it can, or if that is not known yet."""
        if self._engine is None or self._engine.accepts_images:
            return None
        words = _("{model} takes no pictures; if it does, add image_in to its capabilities in the configuration")
        return words.format(model=self._engine.model_name)

    def submit(self, content: "UserInput") -> None:
        """Send the prompt to the engine, or keep it until there is an engine."""
        if self._home.panes_ready:
            self._home.transcript.follow = True
        if self._turns is None:
            self.pending_before_start.append(content)
            self._show_pending()
        elif self._model_accepts(content):
            self._turns.submit(content)

    def steer(self, content: "UserInput") -> None:
        """Steer the running turn; without a text, with the oldest queued message."""
        from kimi_tui.wire.parts import encodable, text_of

        turns, meanwhile = self._turns, self._meanwhile
        queue = turns.queue if turns is not None else []
        said = content or (queue[0] if queue else "")
        if content and not self._model_accepts(content):
            return
        if text_of(content).startswith("!") or turns is None or meanwhile is None or not turns.steer(content or None):
            if content:
                self.submit(content)
            else:
                self._tell(_("no turn is running that could be steered"), False)
        elif said:
            meanwhile.add(encodable(said))
            self.show_queue()

    def _model_accepts(self, content: "UserInput") -> bool:
        """Whether the model accepts all of the content; if not, report it and put the message back to edit."""

        if isinstance(content, str) or (why := self.image_warning()) is None:
            return True
        self._tell(why, True)
        self._restore_to_composer((content,))
        return False

    def take_back(self) -> None:
        """Take the last queued message back for editing."""
        from kimi_tui.wire.parts import text_of

        if self._turns is not None:
            last = self._turns.pop_last()
        else:
            last = self.pending_before_start.pop() if self.pending_before_start else None
            self._show_pending()
        if last is not None:
            self._home.composer.put_back(text_of(last))

    def _show_pending(self) -> None:
        from kimi_tui.wire.parts import text_of

        self._home.composer.show_queue([text_of(one) for one in self.pending_before_start], can_steer=False)

    def interrupt(self) -> None:
        """Interrupt the running turn. Queued messages return to the composer."""
        if self._engine is not None:
            self._queue_back()
            self._engine.cancel()

    def _queue_back(self) -> None:
        if self._turns is not None:
            self._restore_to_composer(self._turns.pop_all())

    def on_wire(self, messages: "Sequence[Timed]") -> None:
        """Track steering messages: delivered, or returned if the turn ended first."""
        if (meanwhile := self._meanwhile) is None:
            return
        before = meanwhile.texts
        for _at, message in messages:
            self._restore_to_composer(meanwhile.on_wire(message))
        if meanwhile.texts != before:
            self.show_queue()

    def show_queue(self) -> None:
        from kimi_tui.wire.parts import text_of

        if self._turns is not None and self._meanwhile is not None and self._home.is_running:
            queue = [text_of(content) for content in self._turns.queue]
            self._home.composer.show_queue(queue, self._meanwhile.texts)

    def _refused(self, content: "UserInput", why: str) -> None:
        if self._engine is not None and self._engine.busy:
            self._tell(why, True)
        if self._turns is None or not self._turns.is_command(content):  # the next one would be appended to it
            self._restore_to_composer((content,))

    def _restore_to_composer(self, messages: "Sequence[UserInput]") -> None:
        """Put undelivered messages before the current draft for editing.

        Steering messages are returned later than queued ones and go before them, in the order of delivery.
        """
        from kimi_tui.wire.parts import text_of

        if messages:
            self._home.composer.put_before([text_of(content) for content in messages])
