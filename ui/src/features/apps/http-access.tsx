import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { KeyRound, RefreshCw, TriangleAlert } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CodeBlock, CopyButton } from "@/components/code-block";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { ErrorNotice } from "@/components/error-notice";
import { Fold } from "@/components/fold";
import { Icon } from "@/components/icon";
import type { AppTokenView } from "@/ipc/bindings/AppTokenView";
import { appToken, settings } from "@/ipc/queries";
import { errorWords } from "@/lib/error-text";
import { formatAgo, formatMoment } from "@/lib/format";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { useNow } from "@/lib/use-now";
import { Fact, Facts } from "./facts";

/** The placeholder for the token in the entry. */
const PLACE = "TOKEN";

/** The entry of an app that connects over HTTP, in the most common format. */
const httpEntry = (url: string, token: string) =>
  JSON.stringify({ mcpServers: { mooring: { type: "http", url, headers: { Authorization: `Bearer ${token}` } } } }, null, 2);

/** An app's connection over HTTP: the URL and the token. A new token is shown until the person is done. */
export function HttpAccess({ id, name }: { id: string; name: string }) {
  const { t } = useTranslation("apps");
  const { data: set } = useQuery(settings());
  const saved = useQuery(appToken(id));
  const { run, busy, error } = useCommand({ failure: "shown", vault: true });
  const [shown, setShown] = useState<string | null>(null);
  const [open, setOpen] = useState<"renew" | "revoke" | null>(null);
  const section = useRef<HTMLElement>(null);
  const url = set && set.appsPort > 0 ? `http://127.0.0.1:${set.appsPort}/mcp` : null;

  const create = async () => {
    setShown(null);
    const token = await run("create_app_token", { id });
    if (token !== undefined) setShown(token);
  };
  /** The focused element is gone. */
  const stay = () => section.current?.focus();
  const revoke = async () => {
    setShown(null);
    if ((await run("revoke_app_token", { id })) !== undefined) stay();
  };
  const finish = () => {
    setShown(null);
    stay();
  };

  return (
    <section ref={section} tabIndex={-1} aria-label={t("http.title")} className="outline-none">
      <Fold title={t("http.title")} open={url !== null || Boolean(saved.data) || saved.error !== null}>
        <p className="m-0 mb-2 text-fg-2">{t("http.text")}</p>
        {set !== undefined && url === null && (
          <p className="m-0 mb-2">
            {t("http.off")}{" "}
            <Link to="/settings" search={{ setting: "appsPort" }} className="rounded-xs text-accent underline">
              {t("http.choosePort")}
            </Link>
          </p>
        )}
        {saved.error && <ErrorNotice title={t("http.failed")} {...errorWords(saved.error)} className="mb-2" />}
        {error && <ErrorNotice answers title={t("http.notDone")} {...errorWords(error)} className="mb-2" />}
        {shown !== null && <NewToken url={url} token={shown} onDone={finish} />}
        {/* A new token must be copied first. */}
        {saved.data && shown === null && <TokenFacts token={saved.data} />}
        <div className="mb-3 flex flex-wrap gap-2 empty:hidden">
          {saved.data === null && url !== null && (
            <Button icon={KeyRound} busy={busy} onClick={() => void create()}>
              {t("http.create")}
            </Button>
          )}
          {saved.data && shown === null && (
            <>
              <Button look={saved.data.vouched ? "default" : "primary"} icon={RefreshCw} busy={busy} onClick={() => setOpen("renew")}>
                {t("http.renew.action")}
              </Button>
              <Button look="danger" busy={busy} onClick={() => setOpen("revoke")}>
                {t("http.revoke.action")}
              </Button>
            </>
          )}
        </div>
        {url !== null && saved.data && shown === null && <HttpEntry url={url} />}
      </Fold>
      {open !== null && (
        <ConfirmDialog
          danger={open === "revoke"}
          title={t(`http.${open}.title`, { name: visibleLine(name) })}
          text={t(`http.${open}.text`)}
          submit={t(`http.${open}.submit`)}
          onSubmit={() => void (open === "renew" ? create() : revoke())}
          onClose={() => setOpen(null)}
        />
      )}
    </section>
  );
}

const intoFocus = (box: HTMLElement | null) => box?.focus();

function NewToken({
  url,
  token,
  onDone,
}: {
  /** Null if apps can't connect yet, so that there is no entry. */
  url: string | null;
  token: string;
  onDone: () => void;
}) {
  const { t } = useTranslation("apps");
  const entry = url === null ? null : httpEntry(url, token);
  return (
    <div ref={intoFocus} tabIndex={-1} role="status" className="mb-3 rounded-m border border-line bg-raised p-3 outline-none">
      <p className="m-0 mb-2 font-[560]">{t("http.new")}</p>
      <p className="m-0 mb-2 flex items-center gap-1">
        <span
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
          tabIndex={0}
          className="mono selectable inset-focus min-w-0 flex-1 overflow-x-auto rounded-s border border-line bg-sunken px-2.5 py-1.5 whitespace-nowrap"
        >
          {token}
        </span>
        <CopyButton text={token} label={t("http.copy")} />
      </p>
      {entry !== null && <CodeBlock text={entry} copy={false} className="mb-2" />}
      <div className="flex gap-2">
        {entry !== null && <CopyButton worded look="primary" text={entry} label={t("snippet.copy")} />}
        <Button look="ghost" onClick={onDone}>
          {t("http.done")}
        </Button>
      </div>
    </div>
  );
}

function TokenFacts({ token: { createdAt, usedAt, vouched } }: { token: AppTokenView }) {
  const { t, i18n } = useTranslation("apps");
  const now = useNow(15_000);
  return (
    <Facts className="mb-3">
      <Fact name={t("http.created")}>
        {formatMoment(createdAt, i18n.language)}
        {!vouched && (
          <span className="flex gap-1.5 text-warn">
            <Icon of={TriangleAlert} className="mt-0.75 shrink-0" />
            {t("http.old")}
          </span>
        )}
      </Fact>
      <Fact name={t("fact.used")}>
        {usedAt === null ? (
          <span className="text-fg-3">{t("never")}</span>
        ) : (
          <span title={formatMoment(usedAt, i18n.language)}>{formatAgo(usedAt, now, i18n.language)}</span>
        )}
      </Fact>
    </Facts>
  );
}

function HttpEntry({ url }: { url: string }) {
  const { t } = useTranslation("apps");
  const entry = httpEntry(url, PLACE);
  return (
    <>
      <Facts className="mb-2">
        <Fact name={t("http.url")}>
          <span className="flex items-start gap-1">
            <span className="mono selectable min-w-0 flex-1 wrap-any">{url}</span>
            <CopyButton text={url} label={t("http.copyUrl")} className="-my-0.5" />
          </span>
        </Fact>
      </Facts>
      <div className="mb-2 flex items-center gap-2">
        <span className="min-w-0 flex-1 text-fg-2">{t("http.replace", { place: PLACE })}</span>
        <CopyButton worded text={entry} />
      </div>
      <CodeBlock text={entry} copy={false} />
    </>
  );
}
