import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { SquareArrowOutUpRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { ErrorNotice } from "@/components/error-notice";
import { UntrustedText } from "@/components/their-voice";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { TemplateView } from "@/ipc/bindings/TemplateView";
import { expansion } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { errorWords } from "@/lib/error-text";
import { formatList } from "@/lib/format";
import { quotedLine } from "@/lib/untrusted";
import { gapsOf, TextForm } from "../args/text-form";
import { recordOf, useTexts } from "../args/texts";
import { WithheldNotice } from "../args/withheld-notice";
import { GapBar } from "../gap-bar";
import { ItemHeader } from "../item-header";
import { BelowTexts } from "../run-actions";
import { ServerBanner } from "../server-banner";
import type { Target } from "../target";
import { fillText, useVariables } from "../variables/variables";
import { ResourceFacts } from "./resource-facts";
import { templateFields } from "./template-fields";

/** The main pane: a template, its variables, and the resulting URI. */
export function TemplatePane({ server, target, template }: { server: ServerView; target: Target; template: TemplateView }) {
  const { t } = useTranslation("workbench");
  const fields = templateFields(template);
  return (
    <section aria-label={t("tab.arguments")} className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 pt-3 pb-5">
        <ItemHeader
          server={server}
          kind="template"
          item={{ ...template, name: template.name === "" ? template.uriTemplate : template.name }}
          copy={template.uriTemplate}
        >
          <ResourceFacts pattern={template.uriTemplate} mime={template.mimeType} size={null} annotations={template.annotations} />
        </ItemHeader>
        <ServerBanner server={server} />
        <WithheldNotice server={server.id} target={target} />
        {fields.length === 0 ? (
          <p className="m-0 text-fg-2">{t("template.noVariables")}</p>
        ) : (
          <TextForm server={server} target={target} fields={fields} reference={{ kind: "template", uriTemplate: template.uriTemplate }} />
        )}
        <Preview server={server} target={target} template={template} />
        <BelowTexts server={server} target={target} fields={fields} />
      </div>
      <GapBar server={server} target={target} fields={fields} />
    </section>
  );
}

/** The URI that would be read with the current values. */
function Preview({ server, target, template }: { server: ServerView; target: Target; template: TemplateView }) {
  const { t, i18n } = useTranslation("workbench");
  const navigate = useNavigate();
  const fields = templateFields(template);
  const { values } = useTexts(server.id, target);
  const variables = useVariables();
  const filled = new Map([...values].map(([name, value]) => [name, fillText(value, variables)]));
  const { data, error } = useQuery({
    ...expansion(
      template.uriTemplate,
      recordOf(
        filled,
        fields.map((field) => field.name),
      ),
    ),
    placeholderData: keepPreviousData,
  });
  const gaps = gapsOf(fields, values);
  if (error !== null)
    return <ErrorNotice tone="warn" title={t("template.invalid")} {...errorWords(error)} next={t("template.invalidNext")} />;
  return (
    <section aria-label={t("template.preview")}>
      <div className="flex min-h-6 items-center gap-1.5">
        <h3 className="m-0 text-md font-[560]">{t("template.preview")}</h3>
        {gaps.length > 0 && (
          <span className="min-w-0 truncate text-fg-3">
            {t("template.without", { names: formatList(gaps.map(quotedLine), i18n.language) })}
          </span>
        )}
        <span className="flex-1" />
        {data !== undefined && gaps.length === 0 && (
          <>
            <IconButton
              small
              icon={SquareArrowOutUpRight}
              label={t("template.open")}
              onClick={() => void navigate({ to: "/workbench", search: { server: server.id, resource: data } })}
            />
            <CopyButton text={data} label={t("result.copyAddress")} />
          </>
        )}
      </div>
      <output
        aria-live="off"
        className={cx(
          "mono selectable mt-0.5 block min-h-7.5 rounded-s border border-line bg-sunken px-2.25 py-1.25 leading-[19px] wrap-any",
          gaps.length > 0 ? "text-fg-3" : "text-fg",
        )}
      >
        <UntrustedText text={data ?? ""} />
      </output>
    </section>
  );
}
