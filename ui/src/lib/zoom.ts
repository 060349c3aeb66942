// The zoom of the window, in steps. The host zooms the window, as the settings say.
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { settings } from "@/ipc/queries";
import { dismissToast, toast } from "./toasts";
import { useSaveSettings } from "./use-save-settings";

/** In percent. */
export const zooms = [80, 90, 100, 110, 120, 130, 140, 150, 175, 200] as const;
const USUAL_ZOOM = 100;

/** The next larger or smaller zoom, or the default for 0. Unchanged at the ends. */
export function zoomStep(percent: number, by: -1 | 0 | 1): number {
  if (by === 0) return USUAL_ZOOM;
  return (by > 0 ? zooms.find((zoom) => zoom > percent) : zooms.findLast((zoom) => zoom < percent)) ?? percent;
}

/** Zooms by a step, with a message that can undo it. Each message replaces the last. */
export function useZoom(): (by: -1 | 0 | 1) => void {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { save } = useSaveSettings();
  const last = useRef(0);
  return (by) => {
    const now = client.getQueryData(settings().queryKey)?.zoomPercent;
    if (now === undefined) return;
    const zoomPercent = zoomStep(now, by);
    if (zoomPercent === now) return;
    void save({ zoomPercent }, (undo) => {
      dismissToast(last.current);
      last.current = toast({ text: t("zoom", { percent: zoomPercent }), action: { label: t("undo"), run: undo } });
    });
  };
}
