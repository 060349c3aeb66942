import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import type { Opened } from "@/ipc/bindings/Opened";
import { stream } from "@/ipc/bridge";
import { useAddServer } from "@/lib/add-server";
import { openBundle } from "@/lib/bundles";
import { enterScreen } from "@/lib/enter-screen";
import { errorText } from "@/lib/error-text";
import { setGiven } from "@/lib/given";
import { showOverlay } from "@/lib/overlays";
import { wholeSentence } from "@/lib/sentence";
import { toast } from "@/lib/toasts";
import { CloseQuestion } from "./close-question";

/**
 * Opens requests from outside the page: the arguments of a start, the Inbox and To review from the tray, the question
 * of the first close. Adds nothing before the person confirms it in the dialog.
 */
export function OpenRequests() {
  const addServer = useAddServer();
  const navigate = useNavigate();
  const [closing, setClosing] = useState<{ tray: boolean } | null>(null);
  const open = useEffectEvent((opened: Opened) => {
    if (opened.kind === "rejected") {
      toast({ text: wholeSentence(opened.message), tone: "bad" });
      return;
    }
    if (opened.kind === "close_question") {
      setClosing({ tray: opened.tray });
      return;
    }
    if (opened.kind === "inbox" || opened.kind === "review") {
      showOverlay(null);
      void navigate({ to: `/${opened.kind}` }).then(enterScreen);
      return;
    }
    if (opened.kind === "bundle") {
      showOverlay(null);
      openBundle(opened.path);
      return;
    }
    const way = opened.kind === "url" ? "url" : "import";
    setGiven({ way, text: opened.kind === "url" ? opened.url : opened.text });
    showOverlay(null);
    addServer(way);
  });
  useEffect(() => {
    stream("watch_opened", {}, (opened) => open(opened)).catch((thrown: unknown) => toast({ text: errorText(thrown), tone: "bad" }));
  }, []);
  return closing && <CloseQuestion tray={closing.tray} onClose={() => setClosing(null)} />;
}
