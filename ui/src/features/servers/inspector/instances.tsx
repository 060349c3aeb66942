import { useQueryClient } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { useId, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Icon } from "@/components/icon";
import { Select } from "@/components/select";
import type { InstanceRule } from "@/ipc/bindings/InstanceRule";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { servers } from "@/ipc/queries";
import { shownAtOnce, useCommand } from "@/lib/use-command";
import { InstanceList } from "./instance-list";

const rules = ["automatic", "shared", "per_app", "per_roots"] as const satisfies readonly InstanceRule[];

/** Which callers get their own instance of a server, and the additional instances. */
export function Instances({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  const id = useId();
  const section = useRef<HTMLElement>(null);
  const client = useQueryClient();
  const { run } = useCommand();
  const { instanceRule, asksForRoots, asksApps, instances, singleUser } = server;
  const automatic = (asksApps && (asksForRoots ? "asked_both" : "asked_apps")) || (asksForRoots && "asked") || "automatic";
  const choose = (rule: InstanceRule) => {
    const { failed } = shownAtOnce<ServerView[]>(client, servers().queryKey, (list) =>
      list.map((one) => (one.id === server.id ? { ...one, instanceRule: rule } : one)),
    );
    void run("set_instance_rule", { id: server.id, rule }, { failed });
  };
  /** The pressed button is gone, so the focus stays here. */
  const stay = () => section.current?.focus();
  return (
    <section ref={section} tabIndex={-1} aria-labelledby={`${id}-title`} className="outline-none">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3 id={`${id}-title`} className="m-0 font-semibold">
          {t("instances.title")}
        </h3>
        <span className="min-w-0 flex-1 text-sm text-fg-3 tabular">
          {instances.length > 0 && t("instances.count", { count: instances.length })}
        </span>
        <Select
          aria-labelledby={`${id}-title`}
          aria-describedby={`${id}-hint`}
          value={instanceRule}
          options={rules.map((rule) => ({ value: rule, label: t(`instances.rule.${rule}`) }))}
          onChange={choose}
          className="max-w-full"
        />
      </div>
      <p id={`${id}-hint`} className="m-0 mt-1 text-fg-2">
        {t(`instances.hint.${instanceRule === "automatic" ? automatic : instanceRule}`)}
      </p>
      {singleUser !== null && (instanceRule === "automatic" || instanceRule === "shared") && (
        <div className="mt-3 flex gap-2 rounded-m border border-line bg-sunken p-3">
          <Icon of={Users} className="mt-0.75 shrink-0 text-info" />
          <div className="min-w-0 flex-1">
            <p className="m-0 font-[580]">{t("instances.proposal.title")}</p>
            <p className="mt-0.5 mb-2.5 text-fg-2">{t(`instances.proposal.${singleUser}`)}</p>
            <Button
              onClick={() => {
                stay();
                choose("per_app");
              }}
            >
              {t("instances.proposal.submit")}
            </Button>
          </div>
        </div>
      )}
      {instances.length > 0 && <InstanceList server={server} onLast={stay} />}
    </section>
  );
}
