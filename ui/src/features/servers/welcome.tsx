import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ClipboardPaste, Library, type LucideIcon, Plus, Sailboat } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Kbd } from "@/components/kbd";
import { Spinner } from "@/components/spinner";
import { YourApps } from "@/features/apps/take-over/your-apps";
import { Chip } from "@/components/chip";
import { appsWithOwn } from "@/features/apps/take-over/offers";
import { appInfo, apps } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { useServerActions } from "./actions";
import { RightsNote } from "./form/rights-note";
import type { AddWay } from "./search";

/** Shown without servers: those of other apps, and three ways to add the first one. */
export function Welcome({ onAdd }: { onAdd: (way: AddWay) => void }) {
  const { t } = useTranslation("servers");
  const navigate = useNavigate();
  const { data: info } = useQuery(appInfo());
  const { data: known } = useQuery(apps());
  const { busy, addDemo } = useServerActions();
  const hasDemo = info?.demoServer !== false;
  // If apps have servers, those come first.
  const startsWithDemo = hasDemo && known !== undefined && appsWithOwn(known).length === 0;
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center overflow-y-auto p-8 *:shrink-0 before:flex-1 after:flex-1">
      <h2 className="m-0 text-xl font-[620] tracking-[-.015em]">{t("welcome.title")}</h2>
      <p className="mt-1.5 mb-5 max-w-130 text-center text-balance text-fg-2">{t("welcome.text")}</p>
      <YourApps />
      <div className="grid w-full max-w-190 grid-cols-3 gap-3">
        <Card
          icon={Sailboat}
          title={t("welcome.demo.title")}
          text={t(hasDemo ? "welcome.demo.text" : "welcome.demo.missing")}
          after={busy && <Spinner />}
          start={startsWithDemo}
          disabled={busy || !hasDemo}
          onClick={() => void addDemo()}
        />
        <Card icon={ClipboardPaste} title={t("welcome.paste.title")} text={t("welcome.paste.text")} onClick={() => onAdd("import")} />
        <Card
          icon={Plus}
          title={t("welcome.add.title")}
          text={t("welcome.add.text")}
          after={<Kbd keys="n" />}
          onClick={() => onAdd("command")}
        />
      </div>
      <Button className="mt-4" icon={Library} onClick={() => void navigate({ to: "/catalog" })}>
        {t("browse", { ns: "catalog" })}
      </Button>
      <RightsNote transport="stdio" className="mt-6 max-w-190" />
    </div>
  );
}

function Card({
  icon: Shape,
  title,
  text,
  after,
  start = false,
  disabled = false,
  onClick,
}: {
  icon: LucideIcon;
  title: string;
  text: string;
  after?: ReactNode;
  /** Whether it is marked as the recommended start. */
  start?: boolean;
  disabled?: boolean;
  onClick: () => void;
}) {
  const { t } = useTranslation("servers");
  return (
    <button
      type="button"
      disabled={disabled}
      onClick={onClick}
      className={cx(
        "relative flex flex-col rounded-l border bg-raised p-4 text-left transition-colors enabled:hover:bg-hover disabled:opacity-60",
        start ? "border-accent" : "border-line enabled:hover:border-line-strong",
      )}
    >
      <span className="mb-3 flex w-full items-center justify-between text-accent">
        <Shape size={20} aria-hidden />
        {after}
      </span>
      <span className="text-lg font-[600]">{title}</span>
      <span className="mt-1 text-fg-2">{text}</span>
      {/* Last in the DOM, so that its name is announced first. */}
      {start && !disabled && (
        <span className="absolute top-4 right-4">
          <Chip className="bg-accent-soft text-accent">{t("welcome.demo.start")}</Chip>
        </span>
      )}
    </button>
  );
}
