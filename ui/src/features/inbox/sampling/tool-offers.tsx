import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Fold } from "@/components/fold";
import { Icon } from "@/components/icon";
import { LongText } from "@/components/long-text";
import { Quoted } from "@/components/their-voice";
import { cx } from "@/lib/cx";
import { readTool } from "./blocks";
import { LongJson } from "./long-json";

/** The tools offered to the model, with everything that the model learns about them. They run on the server. */
export function ToolOffers({ tools, choice }: { tools: readonly string[]; choice: string | null }) {
  const { t } = useTranslation("inbox");
  if (tools.length === 0) return null;
  const known = choice === "required" || choice === "none" || choice === "auto" ? choice : null;
  return (
    <div className="mt-3">
      <Fold title={t("sampling.tools")} count={tools.length} hint={t("sampling.toolsHint")}>
        <ul aria-label={t("sampling.tools")} className="m-0 list-none divide-y divide-line rounded-m border border-line bg-sunken p-0">
          {tools.map((raw, index) => (
            <Offer key={index} raw={raw} />
          ))}
        </ul>
        {known !== null && <p className="m-0 mt-1 text-sm text-fg-3">{t(`sampling.toolChoice.${known}`)}</p>}
      </Fold>
    </div>
  );
}

/** A tool: its name and its whole description in the server's frame, and its schema one click away. */
function Offer({ raw }: { raw: string }) {
  const { t } = useTranslation("inbox");
  const [open, setOpen] = useState(false);
  const id = useId();
  const tool = readTool(raw);
  if (tool === null)
    return (
      <li className="px-3 py-1.5">
        <Json text={raw} />
      </li>
    );
  const { name, description, schema } = tool;
  return (
    <li className="px-3 py-1.5 wrap-any">
      <span id={id}>
        <Quoted text={name} />
      </span>
      {description !== null && (
        <div data-theirs className="text-sm text-fg-2">
          <LongText text={description} inline />
        </div>
      )}
      {schema !== null && (
        <>
          <button
            type="button"
            aria-expanded={open}
            aria-describedby={id}
            onClick={() => setOpen(!open)}
            className="mt-0.5 flex items-center gap-1 rounded-xs pr-1 text-sm font-medium text-fg-3 hover:text-fg"
          >
            <Icon of={ChevronRight} size={12} className={cx("shrink-0 transition-transform", open && "rotate-90")} />
            {t("sampling.inputSchema")}
          </button>
          {open && <Json text={schema} />}
        </>
      )}
    </li>
  );
}

function Json({ text }: { text: string }) {
  return (
    <pre
      data-theirs
      className="selectable m-0 mt-1 rounded-s border border-line bg-surface px-2.5 py-2 leading-[19px] whitespace-pre-wrap wrap-any"
    >
      <LongJson text={text} />
    </pre>
  );
}
