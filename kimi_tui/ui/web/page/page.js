"use strict";
// What textual-serve's script, which draws the terminal, does not do: the title, why it ended, the keyboard's focus.
{
  let title = "";
  let called = false;
  let open = false;

  const showTitle = () => {
    document.title = (called ? "● " : "") + (title || document.title.replace(/^● /, ""));
  };

  const chinese = {
    starting: "正在启动",
    why: "会话已结束。",
    again: "继续此会话",
    "`kimi-tui web` has ended.": "`kimi-tui web` 已结束。",
    "The page sent more keys than the app could take.": "页面发送的按键超出了应用的处理能力。",
    "This session was opened in another tab.": "此会话已在另一个标签页中打开。",
  };
  const isChinese = /^zh\b/.test(navigator.language);
  const inWords = (text) => (isChinese && chinese[text]) || text;

  const told = {
    title(text) {
      title = text;
      showTitle();
    },
    notice() {
      called = !document.hasFocus();
      showTitle();
    },
    background(colour) {
      document.documentElement.style.setProperty("--ground", colour);
    },
    foreground(colour) {
      document.documentElement.style.setProperty("--ink", colour);
    },
    ended(text) {
      if (text) document.getElementById("why").textContent = inWords(text);
    },
    over(text) {
      this.ended(text);
      document.getElementById("again").hidden = true; // nobody would answer
    },
  };

  window.WebSocket = class extends window.WebSocket {
    constructor(...parts) {
      super(...parts);
      this.addEventListener("open", () => {
        open = true;
        document.querySelector(".xterm-helper-textarea")?.focus();
      });
      this.addEventListener("close", () => {
        open = false;
        document.getElementById("again").focus();
      });
      this.addEventListener("message", ({ data }) => {
        if (typeof data !== "string") return;
        const [kind, text] = JSON.parse(data);
        told[kind]?.(text);
      });
    }
  };

  window.addEventListener("focus", () => {
    called = false;
    showTitle();
    document.querySelector(".xterm-helper-textarea")?.focus();
  });

  // Ctrl+W deletes a word in a terminal, and closes a tab.
  window.addEventListener("beforeunload", (event) => {
    if (open) event.preventDefault();
  });

  document.addEventListener("DOMContentLoaded", () => {
    if (isChinese) {
      document.documentElement.lang = "zh";
      for (const id of ["starting", "why", "again"]) document.getElementById(id).textContent = chinese[id];
    }
    document.getElementById("again").addEventListener("click", () => location.reload());
  });
}
