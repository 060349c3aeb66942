import { Link, useNavigate } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { UntrustedText } from "@/components/their-voice";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { answers } from "../actions";
import { Told } from "./told";

/** A server's own description, its instructions, and the number of its offers, each with a link to its tab. */
export function About({ server }: { server: ServerView }) {
  const { t } = useTranslation("servers");
  const navigate = useNavigate();
  const { serverTitle, serverName, serverVersion, instructions, toolCount, resourceCount, promptCount } = server;
  const title = [serverTitle, serverName].find((name): name is string => name !== null && name !== "");
  const told = instructions !== null && instructions.trim() !== "" ? instructions : null;
  const counts = [
    { tab: "tools", count: toolCount, text: t("offers.toolCount", { count: toolCount ?? 0 }) },
    { tab: "resources", count: resourceCount, text: t("offers.resourceCount", { count: resourceCount ?? 0 }) },
    { tab: "prompts", count: promptCount, text: t("offers.promptCount", { count: promptCount ?? 0 }) },
  ] as const;
  const offered = counts.filter(({ count }) => count !== null && count > 0);
  if (!answers(server) && title === undefined && told === null) return null;
  return (
    <section aria-label={t("about.title")} className="flex flex-col gap-3">
      {answers(server) && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button icon={FlaskConical} onClick={() => void navigate({ to: "/workbench", search: { server: server.id } })}>
            {t("menu.workbench")}
          </Button>
          {offered.length > 0 && (
            <ul aria-label={t("fact.offers")} className="m-0 flex list-none flex-wrap gap-x-3 gap-y-1 p-0">
              {offered.map(({ tab, text }) => (
                <li key={tab}>
                  <Link
                    to="/servers"
                    search={(now) => ({ ...now, id: server.id, tab })}
                    replace
                    className="rounded-xs text-accent no-underline tabular hover:underline"
                  >
                    {text}
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {(title !== undefined || told !== null) && (
        <Told server={server.name} instructions={told}>
          {title !== undefined && (
            <span className="block font-[580]">
              <bdi>
                <UntrustedText text={title} />
              </bdi>
              {serverVersion !== null && serverVersion !== "" && (
                <bdi className="ml-1.5 font-normal text-fg-3">
                  <UntrustedText text={serverVersion} />
                </bdi>
              )}
            </span>
          )}
        </Told>
      )}
    </section>
  );
}
