import { useEffect, useEffectEvent } from "react";
import type { Opened } from "@/ipc/bindings/Opened";
import { stream } from "@/ipc/bridge";
import { useAddServer } from "@/lib/add-server";
import { errorText } from "@/lib/error-text";
import { setGiven } from "@/lib/given";
import { showOverlay } from "@/lib/overlays";
import { wholeSentence } from "@/lib/sentence";
import { toast } from "@/lib/toasts";

/** Opens what a start of the application was given: nothing is added before the person says so in the dialog. */
export function OpenRequests() {
  const addServer = useAddServer();
  const open = useEffectEvent((opened: Opened) => {
    if (opened.kind === "rejected") {
      toast({ text: wholeSentence(opened.message), tone: "bad" });
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
  return null;
}
