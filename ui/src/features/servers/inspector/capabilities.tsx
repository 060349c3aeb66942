import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeBlock } from "@/components/code-block";
import { UntrustedText } from "@/components/their-voice";
import { capabilityRows } from "./capability-rows";

/** The capabilities that the server declares, one per line. The exact JSON is one click away. */
export function Capabilities({ text }: { text: string }) {
  const { t } = useTranslation("servers");
  const [raw, setRaw] = useState(false);
  const rows = capabilityRows(text);
  return (
    <section aria-labelledby="server-capabilities">
      <div className="mb-1.5 flex items-baseline gap-2">
        <h3 id="server-capabilities" className="m-0 min-w-0 flex-1 font-semibold">
          {t("capabilities.title")}
        </h3>
        <button type="button" aria-expanded={raw} onClick={() => setRaw(!raw)} className="rounded-xs text-sm text-accent hover:underline">
          {raw ? t("fact.hideRaw") : t("fact.showRaw")}
        </button>
      </div>
      {raw ? (
        <CodeBlock text={text} indent />
      ) : rows === null || rows.length === 0 ? (
        <p className="m-0 text-fg-2">{t(rows === null ? "offers.unreadable" : "offers.nothing")}</p>
      ) : (
        <dl className="m-0 grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-1.25">
          {rows.map(({ name, details, names }) => (
            <div key={name} className="contents">
              <dt className="text-fg-3">{t(`capabilities.name.${name}`)}</dt>
              <dd className="m-0 min-w-0 wrap-any text-fg-2">
                {names.length > 0 ? (
                  <ul className="mono m-0 list-none p-0">
                    {names.slice(0, 50).map((item) => (
                      <li key={item}>
                        <UntrustedText text={item.slice(0, 200)} />
                      </li>
                    ))}
                  </ul>
                ) : details.length === 0 ? (
                  t("capabilities.plain")
                ) : (
                  details.map((detail) => t(`capabilities.detail.${detail}`)).join(" · ")
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
