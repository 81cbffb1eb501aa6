"use strict";
// What textual-serve's script, which draws the terminal, does not do: the title, why it ended, the keyboard's focus.
{
  let title = "";
  let called = false;
  let open = false;

  const showTitle = () => {
    document.title = (called ? "● " : "") + (title || document.title.replace(/^● /, ""));
  };

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
      if (text) document.getElementById("why").textContent = text;
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

  const chinese = {
    starting: "正在启动",
    why: "会话已结束。",
    again: "继续此会话",
  };

  document.addEventListener("DOMContentLoaded", () => {
    if (/^zh\b/.test(navigator.language)) {
      document.documentElement.lang = "zh";
      for (const [id, text] of Object.entries(chinese)) document.getElementById(id).textContent = text;
    }
    document.getElementById("again").addEventListener("click", () => location.reload());
  });
}
