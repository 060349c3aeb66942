import { CircleCheck, LockKeyhole, Pencil, Trash2, TriangleAlert } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Chip } from "@/components/chip";
import { Icon } from "@/components/icon";
import { UntrustedText } from "@/components/their-voice";
import type { ProviderView } from "@/ipc/bindings/ProviderView";
import { formatAgo } from "@/lib/format";
import { wholeSentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { useNow } from "@/lib/use-now";
import type { ModelActions } from "../actions";
import { Part } from "../section";
import { presetOf, presets } from "./presets";
import { RemoveProviderDialog } from "./remove-provider-dialog";

/** The person's providers, and the built-in practice model. */
export function ProviderList({
  providers,
  none,
  onEdit,
  actions,
}: {
  providers: readonly ProviderView[];
  /** Shown while the person has added none. */
  none: ReactNode;
  onEdit: (provider: ProviderView) => void;
  actions: ModelActions;
}) {
  const { t } = useTranslation("models");
  const now = useNow(30_000);
  const [removing, setRemoving] = useState<ProviderView | null>(null);
  return (
    <Part title={t("providers.title")} text={t("providers.text")}>
      {providers.length === 0 && <div className="border-b border-line">{none}</div>}
      <ul aria-label={t("providers.title")} className="m-0 list-none p-0">
        {providers.map((provider) => (
          <ProviderRow
            key={provider.id}
            provider={provider}
            now={now}
            onEdit={() => onEdit(provider)}
            onRemove={() => setRemoving(provider)}
          />
        ))}
        <li className="flex items-start gap-3 px-4 py-2.5">
          <div className="min-w-0 flex-1">
            <p className="m-0 font-[560]">{t("practice.name")}</p>
            <p className="m-0 text-fg-2">{t("practice.text")}</p>
          </div>
          <Chip tone="ok">
            <Icon of={CircleCheck} size={12} />
            {t("practice.always")}
          </Chip>
        </li>
      </ul>
      {removing !== null && (
        <RemoveProviderDialog
          provider={removing}
          onRemove={() => void actions.removeProvider(removing.id)}
          onClose={() => setRemoving(null)}
        />
      )}
    </Part>
  );
}

/** The preset that it was created from. */
const presetFor = ({ kind, baseUrl }: ProviderView) => presets[presetOf(kind, baseUrl) ?? ""];

/** Whether it is a local program that refuses connections, so it isn't running. */
const isNotRunning = (provider: ProviderView): boolean =>
  provider.problem?.code === "the connection was refused" && presetFor(provider)?.local === true;

const nameOfProgram = (provider: ProviderView): string => presetFor(provider)?.name ?? visibleLine(provider.name);

function ProviderRow({
  provider,
  now,
  onEdit,
  onRemove,
}: {
  provider: ProviderView;
  now: number;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const { t, i18n } = useTranslation("models");
  const name = visibleLine(provider.name);
  return (
    <li className="flex items-start gap-3 border-b border-line px-4 py-2.5">
      <div data-name-cell className="min-w-0 flex-1">
        <p className="m-0 flex min-w-0 flex-wrap items-center gap-1.5">
          <bdi className="min-w-0 font-[560] wrap-any">{name}</bdi>
          {name !== t(`kind.${provider.kind}`) && <Chip>{t(`kind.${provider.kind}`)}</Chip>}
          {provider.hasKey && (
            <Chip>
              <Icon of={LockKeyhole} size={12} />
              {t("providers.key")}
            </Chip>
          )}
        </p>
        <p className="mono selectable m-0 wrap-any text-fg-3">
          <UntrustedText text={provider.baseUrl} />
        </p>
        {provider.models.length === 0 ? (
          <p className="m-0 mt-0.5 text-warn">{t("providers.noModels")}</p>
        ) : (
          <p className="m-0 mt-0.5 wrap-any text-fg-2">
            {provider.models.map((model, index) => (
              <span key={model.id}>
                {index > 0 && " · "}
                <bdi className="mono">{visibleLine(model.id)}</bdi>
              </span>
            ))}
          </p>
        )}
        {provider.problem !== null ? (
          <p className="m-0 mt-0.5 flex gap-1.5 wrap-any text-warn">
            <Icon of={TriangleAlert} className="mt-0.75 shrink-0" />
            {isNotRunning(provider)
              ? t("providers.notRunning", { name: nameOfProgram(provider) })
              : wholeSentence(provider.problem, i18n.language)}
          </p>
        ) : (
          <p className="m-0 mt-0.5 text-sm text-fg-3">
            {provider.usedAt === null
              ? t("providers.unused")
              : t("providers.used", { ago: formatAgo(provider.usedAt, now, i18n.language) })}
          </p>
        )}
      </div>
      <IconButton icon={Pencil} label={t("providers.edit", { name })} onClick={onEdit} />
      <IconButton icon={Trash2} label={t("providers.remove", { name })} onClick={onRemove} />
    </li>
  );
}
