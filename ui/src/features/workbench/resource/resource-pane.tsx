import { useTranslation } from "react-i18next";
import type { ResourceView } from "@/ipc/bindings/ResourceView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { visibleLine } from "@/lib/untrusted";
import { CopyButton } from "@/components/code-block";
import { ItemHeader } from "../item-header";
import { ServerBanner } from "../server-banner";
import type { Target } from "../target";
import { useReadOnOpen } from "./auto-read";
import { ResourceFacts } from "./resource-facts";
import { Subscription } from "./subscription";

/** The main pane: a resource and its subscription. A linked resource may not be in the server's list. */
export function ResourcePane({ server, target, resource }: { server: ServerView; target: Target; resource: ResourceView | null }) {
  const { t } = useTranslation("workbench");
  useReadOnOpen(server, target, resource?.size ?? null);
  return (
    <section aria-label={t("tab.about")} className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 pt-3 pb-5">
      {resource === null ? (
        <Unlisted uri={target.name} />
      ) : (
        <ItemHeader
          server={server}
          kind="resource"
          item={{ ...resource, name: resource.name === "" ? resource.uri : resource.name }}
          copy={resource.uri}
        >
          <ResourceFacts uri={resource.uri} mime={resource.mimeType} size={resource.size} annotations={resource.annotations} />
        </ItemHeader>
      )}
      <ServerBanner server={server} />
      <Subscription server={server} target={target} />
    </section>
  );
}

function Unlisted({ uri }: { uri: string }) {
  const { t } = useTranslation("workbench");
  return (
    <header className="flex flex-col gap-2">
      <div className="group/item flex min-h-7 items-center gap-1">
        <h2 className="mono selectable m-0 min-w-0 text-md font-semibold wrap-any">
          <bdi>{visibleLine(uri)}</bdi>
        </h2>
        <CopyButton
          text={uri}
          label={t("copyOf.resource")}
          className="shrink-0 opacity-0 group-focus-within/item:opacity-100 group-hover/item:opacity-100"
        />
      </div>
      <p className="m-0 text-fg-2">{t("resource.unlisted")}</p>
    </header>
  );
}
