import { Check } from "lucide-react";
import { createContext, type ReactNode, use, useId } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { cx } from "@/lib/cx";
import { type SectionId, type SettingId, sections, settingOf, settingTexts } from "@/lib/settings-index";

/** The settings that the search found, and the one that a link opened. */
export const Sought = createContext<{ found: ReadonlySet<SettingId> | null; linked: SettingId | undefined }>({
  found: null,
  linked: undefined,
});

/** Focuses a setting's control. */
export function focusSetting(id: SettingId): void {
  document
    .querySelector<HTMLElement>(
      `[data-setting="${id}"] [data-control] :is(input, [role="radio"][aria-checked="true"], button:not([tabindex="-1"]))`,
    )
    ?.focus();
}

/** A section of the settings with its heading. */
export function Section({ id, children }: { id: SectionId; children: ReactNode }) {
  const { t } = useTranslation(settingTexts);
  const { found } = use(Sought);
  const section = sections.find((known) => known.id === id);
  if (!section) return null;
  return (
    <section aria-label={t(section.title)} id={id} className="flex flex-col gap-2.5">
      <div>
        <h2 className="m-0 text-lg font-[620] tracking-[-.01em]">{t(section.title)}</h2>
        {section.text !== undefined && found === null && <p className="mt-0.5 mb-0 text-fg-2">{t(section.text)}</p>}
      </div>
      {children}
    </section>
  );
}

/** Settings in a frame. Hidden if the search found none of them. */
export function Box({ children }: { children: ReactNode }) {
  return <div className="rounded-m border border-line empty:hidden">{children}</div>;
}

/** Everything about a setting. Hidden if the search only found others, and marked if a link opened it. */
export function SettingArea({ setting, className, children }: { setting: SettingId; className?: string; children: ReactNode }) {
  const { found, linked } = use(Sought);
  if (found !== null && !found.has(setting)) return null;
  return (
    <div
      data-setting={setting}
      className={cx("scroll-mt-4 border-b border-line last:border-0", linked === setting && "bg-selected", className)}
    >
      {children}
    </div>
  );
}

/** Confirms that a setting was saved, with an undo button. */
export function Saved({ setting, undo }: { setting: SettingId; undo: (() => void) | null }) {
  const { t } = useTranslation(settingTexts);
  return (
    <span role="status" className="inline-flex items-center gap-1 text-sm text-fg-3 empty:hidden">
      {undo && (
        <>
          <Icon of={Check} size={12} className="text-ok" />
          {t("settings:saved")}
          <button
            type="button"
            aria-label={t("settings:undo", { setting: t(settingOf(setting).label) })}
            onClick={() => {
              undo();
              focusSetting(setting);
            }}
            className="rounded-xs px-1 text-accent hover:underline"
          >
            {t("common:undo")}
          </button>
        </>
      )}
    </span>
  );
}

/** A setting or fact: its name and a hint on the left, the control or value on the right. */
export function Row({
  setting,
  problem,
  undo = null,
  group = false,
  children,
}: {
  setting: SettingId;
  /** Why it could not be saved. */
  problem?: string | null;
  /** Undoes the change. Null before a change. */
  undo?: (() => void) | null;
  /** Whether there are several controls, which one label can't name. */
  group?: boolean;
  children: ReactNode | ((names: { id: string; "aria-labelledby": string }) => ReactNode);
}) {
  const { t } = useTranslation(settingTexts);
  const id = useId();
  const { label, hint } = settingOf(setting);
  const name = { id: `${id}-name`, className: "font-[540]" };
  return (
    <SettingArea setting={setting} className="flex min-h-12 flex-wrap items-center gap-x-6 gap-y-1.5 px-4 py-2">
      <div data-name-cell className="min-w-40 flex-1">
        <div className="flex flex-wrap items-center gap-x-2">
          {typeof children === "function" && !group ? (
            <label htmlFor={id} {...name}>
              {t(label)}
            </label>
          ) : (
            <span {...name}>{t(label)}</span>
          )}
          <Saved setting={setting} undo={undo} />
        </div>
        {hint !== undefined && <p className="m-0 text-sm text-fg-3">{t(hint)}</p>}
        {problem && (
          <p role="alert" className="m-0 text-sm wrap-any text-bad">
            {problem}
          </p>
        )}
      </div>
      <div data-control className="ml-auto flex max-w-full min-w-0 shrink-0 flex-col items-end @min-[720px]:max-w-[60%]">
        {typeof children === "function" ? children({ id, "aria-labelledby": `${id}-name` }) : children}
      </div>
    </SettingArea>
  );
}
