import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { UntrustedText } from "@/components/their-voice";
import type { Diagnostic } from "@/ipc/bindings/Diagnostic";
import { sentence } from "@/lib/sentence";

const kinds = [
  "envelope",
  "noise",
  "missing",
  "wrong_type",
  "limit",
  "pagination",
  "unmatched",
  "handshake",
  "header",
  "http",
  "address",
] as const;

function kindOf(code: string, t: TFunction<"servers">): string {
  const kind = kinds.find((item) => item === code);
  return kind === undefined ? code : t(`diagnostics.${kind}`);
}

/** Where the server's answers violate the protocol. Usable content is shown anyway. */
export function Diagnostics({ items }: { items: readonly Diagnostic[] }) {
  const { t, i18n } = useTranslation("servers");
  return (
    <section>
      <h3 className="m-0 mb-2 font-semibold">{t("diagnostics.title")}</h3>
      <div className="rounded-m border border-line bg-sunken px-3 py-2.5">
        <p className="m-0 flex gap-2 text-fg-2">
          <Chip tone="warn">{items.length}</Chip>
          <span>{t("diagnostics.text", { count: items.length })}</span>
        </p>
        <dl className="mono selectable m-0 mt-2 flex max-h-60 flex-col gap-2 overflow-y-auto">
          {items.map((item, index) => (
            <div key={index}>
              <dt className="flex items-baseline gap-2 text-fg">
                <span className="min-w-0 flex-1 wrap-any">
                  <UntrustedText text={item.path === "" ? "/" : item.path} />
                </span>
                <Chip className="font-ui">{kindOf(item.code, t)}</Chip>
              </dt>
              <dd className="m-0 wrap-any text-fg-2">{sentence(item.message, i18n.language)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
