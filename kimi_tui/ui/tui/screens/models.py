"""Model picker: models of the configuration, and of local servers, which are searched on demand."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from kimi_tui.config.model_selection import choose_model
from kimi_tui.config.schema import Config, ProviderConfig
from kimi_tui.config.yaml_editor import KeyPath, Value
from kimi_tui.errors import KimiTuiError
from kimi_tui.formats import token_count
from kimi_tui.llm.key_check import KeyCheck
from kimi_tui.llm.local_servers import LocalServer
from kimi_tui.secret_store import resolve
from kimi_tui.ui.tui.i18n.catalog import N_, _
from kimi_tui.ui.tui.i18n.translate import translate
from kimi_tui.ui.tui.screens.custom_server import OTHER, CustomServerForm, TryKey, custom_server_item
from kimi_tui.ui.tui.widgets.filtered_list import FilteredList
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.modal_card import ModalCard
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem

LOOK = "\0look"  # no name of a model
_NAMES = {"ollama": "Ollama", "lm_studio": "LM Studio", "vllm": "vLLM", "llama_cpp": "llama.cpp"}
FindServers = Callable[[], Awaitable[Sequence[LocalServer]]]


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model to use from now on. `changes` add it to the configuration; `keep` makes it the default."""

    name: str
    changes: Mapping[KeyPath, Value]
    keep: bool = False


def server_name(server: LocalServer) -> str:
    return _NAMES.get(server.kind, server.kind)


def local_choice(server: LocalServer, model: str) -> ModelChoice:
    """Return the choice of a model of a local server, with the configuration changes that add both."""
    provider = f"local-{server.kind.replace('_', '-')}"
    changes: dict[KeyPath, Value] = {
        ("providers", provider, "type"): "openai_legacy",
        ("providers", provider, "base_url"): server.base_url,
        ("models", model, "provider"): provider,
        ("models", model, "model"): model,
    }
    if (size := server.sizes.get(model)) is not None:
        changes["models", model, "max_context_size"] = size
    return ModelChoice(model, changes)


class ModelPicker(ModalCard[ModelChoice]):
    """Lists the models. Returns the model to use from the next turn on."""

    CSS = """
    ModelPicker #models { height: auto; }
    ModelPicker ItemList { height: auto; margin-bottom: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "keep", "Use, and keep as the default", show=False, priority=True),
        Binding("ctrl+o", "look", "Look on this machine", show=False, priority=True),
    ]
    title_text = N_("model")
    rows_beside = 7

    def __init__(self, config: Config, in_use: str, *, find: FindServers, try_key: TryKey) -> None:
        super().__init__()
        self._config, self._in_use, self._find, self._try_key = config, in_use, find, try_key
        self._local: dict[str, ModelChoice] = {}
        self._servers: Sequence[LocalServer] | None = None
        self._looking = False
        self._rejected = ""
        """The last chosen model whose key was rejected."""

    def body(self) -> ComposeResult:
        yield FilteredList(_("model or provider"), id="models")

    def keys(self) -> Sequence[BarKey]:
        return (
            BarKey("Enter", _("use"), "use"),
            BarKey("Ctrl+S", _("and set as default"), "keep"),
            BarKey("Ctrl+O", _("search this machine"), "look"),
        )

    def on_mount(self) -> None:
        super().on_mount()
        self._show(self._in_use)
        self.query_one(FilteredList).focus_line()

    def _show(self, key: str | None = None) -> None:
        config = self._config
        picks: list[ListItem] = []
        if config.models:
            picks.append(ListItem("", _("configured")))
        for name, model in config.models.items():
            size = _("{count} tokens", count=token_count(model.max_context_size))
            here = name == self._in_use
            default = " · " + _("default") if name == config.default_model else ""
            picks.append(
                ListItem(
                    name,
                    model.display_name or name,
                    right=f"{model.provider} · {size}{default}",
                    sign="●" if here else "○",
                    role="accent" if here else "muted",
                )
            )
        picks.append(ListItem("", _("on this machine")))
        for server in self._servers or ():
            for model in server.models:
                choice = local_choice(server, model)
                key_of = f"local:{choice.name}@{server.base_url}"
                self._local[key_of] = choice
                picks.append(ListItem(key_of, model, right=server_name(server), sign="○", role="muted"))
        if not self._local:
            words = _("Find local servers") if self._servers is None else _("No server found; search again")
            picks.append(
                ListItem(
                    LOOK,
                    _("Searching…") if self._looking else words,
                    right="Ollama, LM Studio, vLLM, llama.cpp",
                    sign="?",
                    role="accent",
                )
            )
        picks += [ListItem("", _("elsewhere")), custom_server_item()]
        self.query_one(FilteredList).show(picks, key=key)

    def on_item_list_chosen(self, event: ItemList.Chosen) -> None:
        self._take(event.key, keep=False)

    def action_use(self) -> None:
        self.query_one(ItemList).action_choose()

    def action_keep(self) -> None:
        self._take(self.query_one(ItemList).key, keep=True)

    def _take(self, key: str, *, keep: bool) -> None:
        if key == LOOK:
            self.action_look()
        elif key == OTHER:
            CustomServerForm(
                self, self._try_key, lambda changes, name: self.dismiss(ModelChoice(name, changes, keep))
            ).ask()
        elif choice := self._local.get(key):
            self.dismiss(ModelChoice(choice.name, choice.changes, keep))
        elif key and key not in (self._in_use, self._rejected) and (provider := self._keyed_provider(key)) is not None:
            self.run_worker(partial(self._try, key, provider, keep=keep), group="look", exclusive=True)
        elif key:
            self.dismiss(ModelChoice(key, {}, keep))

    def _keyed_provider(self, name: str) -> ProviderConfig | None:
        """The model's provider, if its key can be checked: one with other headers may not need the key."""
        try:
            provider = choose_model(self._config, name).provider
        except KimiTuiError:
            return None  # the switch itself reports it
        return provider if provider.api_key.get_secret_value() and not provider.custom_headers else None

    async def _try(self, name: str, provider: ProviderConfig, *, keep: bool) -> None:
        """Use the model unless its service rejects the key; chosen once more, it is used all the same."""
        service = self._config.models[name].provider
        self.set_status(_("checking the key of {name}…", name=service))
        try:
            secret = await asyncio.to_thread(resolve, provider.api_key.get_secret_value())
        except KimiTuiError as error:
            check = KeyCheck("refused", str(error))
        else:
            check = await self._try_key(provider.type, provider.base_url, secret)
        self.set_status("")
        if not self.is_current:
            return
        if check.verdict == "refused":
            self._rejected = name
            cause = translate(check.cause)
            self.set_status(
                _("{name} rejected the key ({cause}); press Enter to use it anyway", name=service, cause=cause)
            )
        else:
            self.dismiss(ModelChoice(name, {}, keep))

    def action_look(self) -> None:
        if not self._looking:
            self._looking = True
            self._show()
            self.run_worker(self._look, group="look", exclusive=True)

    async def _look(self) -> None:
        try:
            self._servers = await self._find()
        finally:
            self._looking = False
        self._local.clear()
        self._show(next(iter(self._local), None))
        self._show(next(iter(self._local), LOOK))
