"""First-start setup: theme and model. The user can change both later."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.widgets import Static

from kimi_tui.config.kimi_import import KimiCliImport
from kimi_tui.config.yaml_editor import KeyPath, Value
from kimi_tui.i18n import UserText
from kimi_tui.llm.key_check import KeyCheck
from kimi_tui.llm.local_servers import LocalServer
from kimi_tui.paths import shown
from kimi_tui.ui.tui.i18n.catalog import N_, _, n_
from kimi_tui.ui.tui.i18n.translate import translate, translate_lines
from kimi_tui.ui.tui.screens.custom_server import OTHER, CustomServerForm, TryKey, custom_server_item
from kimi_tui.ui.tui.screens.models import FindServers, local_choice, server_name
from kimi_tui.ui.tui.text.sanitize import sanitize
from kimi_tui.ui.tui.widgets.key_bar import BarKey
from kimi_tui.ui.tui.widgets.modal_card import ModalCard
from kimi_tui.ui.tui.widgets.pick_list import ItemList, ListItem
from kimi_tui.ui.tui.widgets.pick_prompt import PickPrompt
from kimi_tui.ui.tui.widgets.text_prompt import TextPrompt


@dataclass(frozen=True, slots=True)
class Service:
    """A model service that needs an API key. `size` is the context size of `model` in tokens; `sees`: `model`
    accepts images."""

    name: str
    title: str
    type: str
    base_url: str
    model: str
    size: int
    sees: bool = False


SERVICES: tuple[Service, ...] = (
    Service("kimi", "Kimi", "kimi", "https://api.moonshot.ai/v1", "kimi-k2-turbo-preview", 262_144),
    Service("kimi-cn", N_("Kimi (China)"), "kimi", "https://api.moonshot.cn/v1", "kimi-k2-turbo-preview", 262_144),
    Service(
        "kimi-code", "Kimi for Coding", "kimi", "https://api.kimi.com/coding/v1", "kimi-for-coding", 262_144, sees=True
    ),
    Service("openai", "OpenAI", "openai_responses", "https://api.openai.com/v1", "gpt-5", 400_000, True),
    Service("anthropic", "Anthropic", "anthropic", "", "claude-sonnet-4-5", 200_000, True),
    Service("gemini", "Gemini", "google_genai", "", "gemini-2.5-pro", 1_000_000, True),
)


@dataclass(frozen=True, slots=True)
class SetupResult:
    """The theme, the configuration changes and the model; or the demo.

    `takeover` is the configuration imported from Kimi CLI.
    """

    theme: str
    changes: Mapping[KeyPath, Value] = field(default_factory=dict[KeyPath, Value])
    model: str = ""
    demo: bool = False
    takeover: KimiCliImport | None = None


def provider_settings_changes(service: Service, key: str, model: str) -> dict[KeyPath, Value]:
    """The configuration changes for a service with that key."""
    changes: dict[KeyPath, Value] = {("providers", service.name, "type"): service.type}
    if service.base_url:
        changes["providers", service.name, "base_url"] = service.base_url
    changes["providers", service.name, "api_key"] = key
    changes["models", model, "provider"] = service.name
    changes["models", model, "model"] = model
    changes["models", model, "max_context_size"] = service.size
    if service.sees and model == service.model:
        changes["models", model, "capabilities"] = ["image_in"]
    changes["default_model",] = model
    return changes


class SetupWizard(ModalCard[SetupResult]):
    """Two steps: the theme, previewed at once, then the model."""

    CSS = """
    SetupWizard > #frame { padding: 0 2; }
    SetupWizard #about { height: auto; margin-bottom: 1; }
    SetupWizard.-low #about { margin-bottom: 0; }
    SetupWizard ItemList { height: auto; margin-bottom: 1; }
    """
    title_text: ClassVar[str] = N_("welcome to kimi-tui")
    leave_word = N_("later")
    rows_beside = 6

    def __init__(
        self,
        themes: Mapping[str, str],
        theme: str,
        *,
        use_theme: Callable[[str], object],
        find: FindServers,
        try_key: TryKey,
        takeover: KimiCliImport | None = None,
        has_demo: bool = True,
    ) -> None:
        super().__init__()
        self._themes, self._theme, self._use_theme = themes, theme, use_theme
        self._find, self._try_key = find, try_key
        self._takeover, self._has_demo = takeover, has_demo
        self._before = theme
        self._step = "theme"
        self._servers: Sequence[LocalServer] | None = None

    def body(self) -> ComposeResult:
        yield Static("", id="about", markup=False)
        yield ItemList(id="ways")

    def keys(self) -> Sequence[BarKey]:
        if self._step == "theme":
            return (BarKey("↑ ↓", _("preview")), BarKey("Enter", _("select"), "take"))
        return (BarKey("Enter", _("select"), "take"), BarKey("←", _("back to the theme"), "theme"))

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one(ItemList).focus()
        self._ask_theme()
        self.run_worker(self._look, group="look")

    async def _look(self) -> None:
        self._servers = await self._find()
        if self._step == "model":
            self._ask_model()

    @property
    def forwards_text(self) -> bool:
        return True

    # Steps

    def _show_text(self, text: UserText) -> None:
        self.query_one("#about", Static).update(sanitize(text))

    def _ask_theme(self) -> None:
        self._step = "theme"
        self._show_text(_("1 of 2 · Theme (the cursor previews it)"))
        self.query_one(ItemList).show(
            [
                ListItem(name, translate(title), sign="●" if name == self._before else "○", role="accent")
                for name, title in self._themes.items()
            ],
            key=self._theme,
        )
        self.show_keys()

    def _ask_model(self) -> None:
        before = self._step
        self._step = "model"
        self._show_text(_("2 of 2 · Choose a model (change it later with /setup)"))
        picks = [ListItem("", _("with your API key"))]
        picks += [
            ListItem(f"service:{one.name}", _(one.title), right=one.model, sign="○", role="accent") for one in SERVICES
        ]
        picks += [custom_server_item(), ListItem("", _("on this machine"))]
        found = [(server, model) for server in self._servers or () for model in server.models]
        for server, model in found:
            picks.append(
                ListItem(f"local:{server.base_url}:{model}", model, right=server_name(server), sign="○", role="accent")
            )
        for server in self._servers or ():
            if not server.models:
                right = _("it has no model yet; load one, then search again")
                picks.append(ListItem("again", server_name(server), right=right, sign="○", role="muted", dimmed=True))
        if not self._servers:
            words = _("no server found (Ollama, LM Studio, vLLM, llama.cpp)")
            if self._servers is None:
                words = _("searching…")
            picks.append(ListItem("again", _("Search again"), right=words, sign="?", role="muted", dimmed=True))
        if self._takeover is not None:
            picks += [ListItem("", _("from Kimi CLI")), self._takeover_pick(self._takeover)]
        if self._has_demo:
            picks.append(ListItem("", _("without a model")))
            picks.append(
                ListItem(
                    "demo", _("Watch the demo"), right=_("a real flow with real tools and a scripted model"), sign="▶"
                )
            )
        self.query_one(ItemList).show(picks, top=before == "theme")
        self.show_keys()

    def _takeover_pick(self, takeover: KimiCliImport) -> ListItem:
        if takeover.trouble:
            title = _("{file} cannot be imported", file=shown(takeover.file))
            return ListItem("trouble", title, detail=translate_lines(takeover.trouble), sign="✗", role="error")
        words = n_("{count} model", "{count} models", len(takeover.models))
        if default := takeover.default_model:
            words = _("{models}, default {model}", models=words, model=default)
        if takeover.logins:
            words = _("{models}, without {names} (OAuth logins)", models=words, names=", ".join(takeover.logins))
        words = _("{models}, hooks and MCP servers; the file is not changed", models=words)
        title = _("Import {file}", file=shown(takeover.file))
        return ListItem("takeover", title, detail=words, sign="○", role="accent")

    # Choices

    def on_item_list_moved(self, event: ItemList.Moved) -> None:
        if self._step == "theme" and event.key in self._themes:
            self._theme = event.key
            self._use_theme(event.key)

    def on_item_list_chosen(self, event: ItemList.Chosen) -> None:
        if self._step == "theme":
            self._ask_model()
            return
        kind, _colon, rest = event.key.partition(":")
        match kind:
            case "service":
                self._ask_key(next(one for one in SERVICES if one.name == rest))
            case _ if event.key == OTHER:
                CustomServerForm(
                    self,
                    self._try_key,
                    lambda changes, model: self._done({**changes, ("default_model",): model}, model),
                ).ask()
            case "local":
                self._take_local(event.key)
            case "takeover" if self._takeover is not None:
                found = self._takeover
                self.dismiss(SetupResult(self._theme, found.changes, found.default_model, takeover=found))
            case "demo":
                self.dismiss(SetupResult(self._theme, demo=True))
            case "again":
                self._servers = None
                self._ask_model()
                self.run_worker(self._look, group="look", exclusive=True)
            case _:
                pass

    def action_take(self) -> None:
        self.query_one(ItemList).action_choose()

    def action_theme(self) -> None:
        self._ask_theme()

    def key_left(self) -> None:
        if self._step == "model":
            self._ask_theme()

    def _take_local(self, key: str) -> None:
        for server in self._servers or ():
            for model in server.models:
                if key == f"local:{server.base_url}:{model}":
                    choice = local_choice(server, model)
                    self._done({**choice.changes, ("default_model",): choice.name}, choice.name)
                    return

    def _ask_key(self, service: Service, *, trouble: str = "", value: str = "") -> None:
        def got_key(key: str | None) -> None:
            if key:
                self.run_worker(partial(self._try, service, key), group="look", exclusive=True)

        about = _(
            "Paste the API key. It is stored in your system's keyring, or in config.yaml (readable only by "
            "you) if there is none, and sent only to this service."
        )
        title = _("{service}: API key", service=_(service.title))
        prompt = TextPrompt(title, about=about, trouble=trouble, value=value, secret=True)
        self.app.push_screen(prompt, got_key)

    async def _try(self, service: Service, key: str) -> None:
        """Check the key with the service; ask again for a wrong one."""
        name = _(service.title)
        self.set_status(_("checking the key with {service}…", service=name))
        trial = await self._try_key(service.type, service.base_url, key)
        self.set_status("")
        if not self.is_current:
            return
        if trial.verdict == "refused":
            trouble = _(
                "{service} rejected this key ({cause}). Try another one.", service=name, cause=translate(trial.cause)
            )
            self._ask_key(service, trouble=trouble, value=key)
        else:
            self._ask_which(service, key, trial)

    def _ask_which(self, service: Service, key: str, trial: KeyCheck) -> None:
        def got(model: str | None) -> None:
            if model:
                self._done(provider_settings_changes(service, key, model), model)

        title = _("{service}: model", service=_(service.title))
        if trial.models:
            usual = service.model if service.model in trial.models else trial.models[0]
            self.app.push_screen(PickPrompt(title, trial.models, usual), got)
            return
        about = _("Model name, as the service spells it.")
        trouble = _("The key could not be checked: {cause}.", cause=translate(trial.cause)) if trial.cause else ""
        self.app.push_screen(TextPrompt(title, about=about, trouble=trouble, value=service.model), got)

    def _done(self, changes: Mapping[KeyPath, Value], model: str) -> None:
        self.dismiss(SetupResult(self._theme, changes, model))

    def action_leave(self) -> None:
        if self._theme != self._before:
            self._use_theme(self._before)
        self.dismiss(None)
