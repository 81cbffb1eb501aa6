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
    """Sends the composer's messages. Messages sent without an engine, or while they are `held` for another one, wait in
    `pending_before_start`; with `start_failed`, when no engine will start automatically, they return to the composer.

    `show_toast` shows a short notification, `on_failure` reports an internal error, `on_turn_end` is called when a turn
    ends.
    """

    def __init__(
        self,
        main_screen: MainScreen,
        *,
        show_toast: Callable[[str, bool], None],
        on_failure: Callable[[str], None],
        on_turn_end: Callable[[], None],
    ) -> None:
        self._main_screen, self._show_toast, self._on_failure, self._on_turn_end = (
            main_screen,
            show_toast,
            on_failure,
            on_turn_end,
        )
        self._engine: Engine | None = None
        self._turns: TurnQueue | None = None
        self._pending_steers: PendingSteers | None = None
        self.pending_before_start: list[UserInput] = []
        self.start_failed = self.held = False

    def attach(self, engine: "Engine") -> None:
        from kimi_tui.ui.tui.session.pending_steers import PendingSteers
        from kimi_tui.ui.tui.session.turn_queue import TurnQueue

        self._engine, self._pending_steers = engine, PendingSteers()
        self._turns = TurnQueue(
            engine,
            on_change=self.show_queue,
            on_refused=self._refused,
            on_failure=self._on_failure,
            on_turn_end=self._on_turn_end,
            on_abort=self._queue_back,
        )

    async def detach(self) -> None:
        """Interrupt all work and wait until it has ended."""
        turns, pending = self._turns, self._pending_steers
        self._engine = self._turns = self._pending_steers = None
        if turns is not None and pending is not None and self._main_screen.composer.is_attached:
            self._restore_to_composer((*pending.take(), *turns.pop_all()))
            self._main_screen.composer.show_queue(())
        if turns is not None:
            await turns.aclose()

    def image_warning(self) -> str | None:
        """Why the model cannot see an image; None if it can, or if that is not known yet."""
        if self._engine is None or self._engine.accepts_images:
            return None
        text = _("{model} does not accept images; if it does, add image_in to its capabilities in the configuration")
        return text.format(model=self._engine.model_name)

    def submit(self, content: "UserInput") -> None:
        """Send the prompt to the engine, or keep it until there is an engine."""
        if self._turns is None and self.start_failed:
            self._restore_to_composer((content,))
            self._show_toast(_("not sent: the session could not start; open another one with /new or /sessions"), True)
            return
        if self._main_screen.panes_ready:
            self._main_screen.clear_search()
            self._main_screen.transcript.follow = True
        if self._turns is None or self.held:
            self.pending_before_start.append(content)
            self._show_pending()
        elif self._model_accepts(content):
            self._turns.submit(content)

    def is_for_model(self, content: "UserInput") -> bool:
        """Whether the model gets the content: neither a slash command nor a shell line."""
        return self._turns is None or self._turns.is_for_model(content)

    def steer(self, content: "UserInput") -> None:
        """Steer the running turn; without a text, with the oldest queued message."""
        from kimi_tui.wire.parts import encodable

        turns, pending = self._turns, self._pending_steers
        queue = turns.queue if turns is not None else []
        user_input = content or (queue[0] if queue else "")
        if content and not self._model_accepts(content):
            return
        if turns is None or pending is None or self.held or not turns.steer(content or None):
            if content:
                self.submit(content)
            elif turns is not None and queue and not turns.can_steer_queued:
                self._show_toast(_("a shell command waits for the end of the turn"), False)
            else:
                self._show_toast(_("no running turn to steer"), False)
        elif user_input:
            self._main_screen.clear_search()
            pending.add(encodable(user_input))
            self.show_queue()

    def _model_accepts(self, content: "UserInput") -> bool:
        """Whether the model accepts all of the content; if not, report it and put the message back to edit."""

        if isinstance(content, str) or (why := self.image_warning()) is None:
            return True
        self._show_toast(why, True)
        self._restore_to_composer((content,))
        return False

    def take_pending(self) -> "list[UserInput]":
        """Remove and return the messages that were sent before there was an engine."""
        pending, self.pending_before_start = self.pending_before_start, []
        return pending

    def take_back(self) -> None:
        """Take the last queued message back for editing."""
        from kimi_tui.wire.parts import text_of

        if self._turns is None or self.pending_before_start:
            last = self.pending_before_start.pop() if self.pending_before_start else None
            self._show_pending()
        else:
            last = self._turns.pop_last()
        if last is not None:
            self._main_screen.composer.take_back(text_of(last))

    def _show_pending(self) -> None:
        from kimi_tui.wire.parts import text_of

        texts = [text_of(content) for content in self.pending_before_start]
        self._main_screen.composer.show_queue(texts, can_steer=False)

    @property
    def running(self) -> bool:
        """Whether a prompt is being processed, including the time before and after its turn."""
        return self._turns is not None and self._turns.running

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
        if (pending := self._pending_steers) is None:
            return
        before = pending.texts
        for _at, message in messages:
            self._restore_to_composer(pending.on_wire(message))
        if pending.texts != before:
            self.show_queue()

    def show_queue(self) -> None:
        from kimi_tui.wire.parts import text_of

        if self._turns is not None and self._pending_steers is not None and self._main_screen.is_running:
            queue = [text_of(content) for content in self._turns.queue]
            steered, can_steer = self._pending_steers.texts, self._turns.can_steer_queued
            self._main_screen.composer.show_queue(queue, steered, can_steer=can_steer)

    def _refused(self, content: "UserInput", why: str) -> None:
        if why and self._engine is not None and self._engine.busy:
            self._show_toast(why, True)
        if self._turns is None or not self._turns.is_command(content):  # the next one would be appended to it
            self._restore_to_composer((content,))

    def _restore_to_composer(self, messages: "Sequence[UserInput]") -> None:
        """Put undelivered messages before the current draft for editing.

        Steering messages are returned later than queued ones and go before them, in the order of delivery.
        """
        from kimi_tui.wire.parts import text_of

        if messages:
            self._main_screen.composer.put_before([text_of(content) for content in messages])
