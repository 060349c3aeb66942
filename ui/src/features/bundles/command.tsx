import { useTranslation } from "react-i18next";
import { TheirVoice } from "@/components/their-voice";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import { formatList } from "@/lib/format";
import { shownLinesOf } from "@/lib/server-address";
import { visibleLine } from "@/lib/untrusted";

/** What a bundle's server starts: the whole command line, one argument on a line, and its variables. */
export function Command({ server, title, by }: { server: ServerInput; title: string; by: string }) {
  const { t, i18n } = useTranslation("bundles");
  const plain = Object.entries(server.env).map(([name, value]) => `${name}=${value}`);
  const variables = [...plain, ...server.secrets.map(({ name }) => name)].map(visibleLine);
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className="m-0 mb-1.5 font-semibold">{title}</h3>
      <TheirVoice server={by} code>
        {shownLinesOf(server)}
      </TheirVoice>
      {variables.length > 0 && (
        <p className="m-0 text-sm wrap-any text-fg-3">
          {t("variables", { count: variables.length, names: formatList(variables, i18n.language) })}
        </p>
      )}
    </section>
  );
}
