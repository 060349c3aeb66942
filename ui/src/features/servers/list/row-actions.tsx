import { CircleStop, FlaskConical, Play, RefreshCw } from "lucide-react";
import { useNavigate } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { cx } from "@/lib/cx";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { visibleLine } from "@/lib/untrusted";
import { running, type ServerActions } from "../actions";

interface RowActionsProps {
  server: ServerView;
  /** Whether the pointer is on the row. Otherwise they appear on focus. */
  shown: boolean;
  focusable: boolean;
  actions: ServerActions;
}

/** A server's actions in its row: on hover, and on focus within the row. */
export function RowActions({ server, shown, focusable, actions }: RowActionsProps) {
  const { t } = useTranslation("servers");
  const navigate = useNavigate();
  const name = visibleLine(server.name);
  const up = running(server);
  const tabIndex = focusable ? 0 : -1;
  const act = (run: () => unknown) => (event: MouseEvent) => {
    event.stopPropagation();
    // The second click of a double click would press the button that replaced this one.
    if (event.detail <= 1) void run();
  };
  return (
    <span
      onDoubleClick={(event) => event.stopPropagation()}
      className={cx(
        "absolute inset-y-0 right-2 my-auto h-7.5 items-center gap-0.5 rounded-s border border-line bg-raised px-0.5 shadow-float",
        shown ? "flex" : "sr-only focus-within:not-sr-only focus-within:absolute focus-within:flex",
      )}
    >
      {up ? (
        <IconButton
          small
          tabIndex={tabIndex}
          icon={CircleStop}
          label={t("row.stop", { name })}
          onClick={act(() => actions.stop(server.id))}
        />
      ) : (
        <IconButton small tabIndex={tabIndex} icon={Play} label={t("row.start", { name })} onClick={act(() => actions.start(server.id))} />
      )}
      <IconButton
        small
        tabIndex={tabIndex}
        icon={RefreshCw}
        label={t("row.restart", { name })}
        onClick={act(() => actions.restart(server.id))}
      />
      <IconButton
        small
        tabIndex={tabIndex}
        icon={FlaskConical}
        label={t("row.workbench", { name })}
        onClick={act(() => navigate({ to: "/workbench", search: { server: server.id } }))}
      />
    </span>
  );
}
