import { Link } from "@tanstack/react-router";
import { Cloud, HardDrive } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "@/components/chip";
import { ErrorNotice } from "@/components/error-notice";
import { Icon } from "@/components/icon";
import { Select } from "@/components/select";
import { UntrustedText } from "@/components/their-voice";
import type { SamplingReview } from "@/ipc/bindings/SamplingReview";
import type { SamplingRoute } from "@/ipc/bindings/SamplingRoute";
import { formatList } from "@/lib/format";
import { wholeSentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { leadIn } from "@/lib/lead-in";
import { Part } from "../detail/part";
import { readBlock } from "./blocks";
import { dollars } from "./money";

const same = (a: SamplingRoute, b: SamplingRoute) => a.provider === b.provider && a.model === b.model;

const PARTS = ["text", "image", "audio", "tools", "unknown"] as const;

/** What a model must support to answer the request. */
function partsOf({ messages, tools }: SamplingReview): (typeof PARTS)[number][] {
  const kinds = new Set<string>(messages.flatMap(({ content }) => content.map((raw) => readBlock(raw).kind)));
  const hasTools = tools.length > 0 || kinds.has("tool_use") || kinds.has("tool_result");
  return PARTS.filter((part) => (part === "tools" ? hasTools : kinds.has(part)));
}

/** The model that gets the request, its place, why it was chosen, and its maximum cost. */
export function RouteChoice({
  review,
  route,
  disabled,
  onChange,
  children,
}: {
  review: SamplingReview;
  route: SamplingRoute | null;
  disabled: boolean;
  onChange: (route: SamplingRoute) => void;
  /** How much of it is used. */
  children: ReactNode;
}) {
  const { t, i18n } = useTranslation("inbox");
  const nameOf = ({ provider, model, providerName }: SamplingRoute) =>
    provider === null ? t("sampling.practice") : visibleLine(`${model} · ${providerName}`);
  if (route === null) {
    return (
      <Part title={t("sampling.where")}>
        <ErrorNotice
          tone="warn"
          title={t("sampling.noModel")}
          why={t("sampling.noModelWhy", {
            parts: formatList(
              partsOf(review).map((part) => t(`sampling.part.${part}`)),
              i18n.language,
            ),
          })}
          next={t("sampling.noModelNext")}
        >
          <Link to="/models" preload={false} className="rounded-xs font-medium text-accent no-underline hover:underline">
            {t("sampling.toModels")}
          </Link>
        </ErrorNotice>
        {children}
      </Part>
    );
  }
  const at = review.models.findIndex((model) => same(model, route));
  return (
    <Part
      title={t("sampling.where")}
      after={
        review.models.length < 2 ? (
          <b className="min-w-0 font-[580] wrap-any">{nameOf(route)}</b>
        ) : (
          <Select
            label={t("sampling.model")}
            value={at === -1 ? undefined : String(at)}
            placeholder={nameOf(route)}
            disabled={disabled}
            options={review.models.map((model, index) => ({ value: String(index), label: nameOf(model) }))}
            onChange={(next) => {
              const model = review.models[Number(next)];
              if (model) onChange(model);
            }}
            className="max-w-full min-w-60"
          />
        )
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        {route.host === null ? (
          <Chip tone="ok">
            <Icon of={HardDrive} size={12} />
            {t("sampling.stays")}
          </Chip>
        ) : (
          <Chip tone="info" className="h-auto! min-h-5 whitespace-normal!">
            <Icon of={Cloud} size={12} className="shrink-0" />
            {t("sampling.goesTo")}{" "}
            <span className="min-w-0 font-mono wrap-any">
              <UntrustedText text={route.host} />
            </span>
          </Chip>
        )}
        <span className="text-fg-2 tabular">
          {route.cost === null
            ? t("sampling.costUnknown")
            : route.cost === 0
              ? t("sampling.free")
              : t("sampling.cost", { cost: dollars(route.cost, i18n.language) })}
        </span>
      </div>
      <p className="m-0 mt-1.5 text-sm text-fg-3">
        {leadIn(t("sampling.why"))}
        {wholeSentence(route.reason, i18n.language)}
      </p>
      {children}
    </Part>
  );
}
