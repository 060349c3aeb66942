import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BellOff, CircleX, Hourglass, KeyRound, LockKeyhole, type LucideIcon, PencilLine, Plug, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { vaultColour, VaultMark } from "@/components/vault-mark";
import { ProfileMenu } from "@/features/profiles/profile-menu";
import { Tooltip } from "@/components/tooltip";
import type { ServerState } from "@/ipc/bindings/ServerState";
import { appInfo, journalHealth, servers, settings, vault } from "@/ipc/queries";
import { cx } from "@/lib/cx";
import { isQuiet } from "@/lib/do-not-disturb";
import { formatCount } from "@/lib/format";
import { showOverlay } from "@/lib/overlays";
import { sentence } from "@/lib/sentence";
import { shownState } from "@/lib/server-state";
import { useNow } from "@/lib/use-now";
import { type VaultWord, vaultWord } from "@/lib/vault";
import { useWaitingCount } from "@/lib/waiting";

/** The status bar: connected servers, those that need attention, and the log. Hidden if it would be empty. */
export function StatusBar() {
  const { t, i18n } = useTranslation();
  const { data: saved } = useQuery(servers());
  const list = saved ?? [];
  const { data: journal } = useQuery(journalHealth());
  const { data: info } = useQuery(appInfo());
  const waiting = useWaitingCount();
  const count = (...states: ServerState[]) => list.filter((server) => states.includes(server.state)).length;
  const ready = count("ready", "degraded", "waiting_for_you");
  const signIn = count("sign_in_needed");
  const asking = list.find((server) => server.state === "sign_in_needed");
  const locked = count("locked");
  const failed = list.find((server) => shownState(server) === "failed");
  const missing = list.filter((server) => shownState(server) === "value_missing");
  const isQuietNow = useIsQuiet();
  const word = useVaultWord(list.length > 0);
  const logged = info?.logRows ?? 0;
  // Wait until this is known. Otherwise the page would jump at each start.
  const isEmpty = saved?.length === 0 && waiting === 0 && !journal.failing && logged === 0 && !isQuietNow && word === null;
  if (isEmpty) return null;
  return (
    <footer
      aria-label={t("status.label")}
      className="col-span-full flex h-(--status-height) items-center gap-4 overflow-hidden border-t border-line bg-canvas px-3 text-xs whitespace-nowrap text-fg-3 tabular"
    >
      {list.length > 0 && (
        <Item icon={Plug} colour={ready > 0 ? "text-ok" : "text-fg-3"}>
          {t("status.ready", { ready, count: list.length })}
        </Item>
      )}
      {asking && (
        <Link to="/servers" search={{ id: asking.id, tab: "sign_in" }} className="inline-flex rounded-xs no-underline">
          <Item icon={KeyRound} colour="text-warn">
            {t("status.signIn", { count: signIn })}
          </Item>
        </Link>
      )}
      {locked > 0 && (
        <button type="button" onClick={() => showOverlay("vault")} className="inline-flex rounded-xs">
          <Item icon={LockKeyhole} colour="text-warn">
            {t("status.locked", { count: locked })}
          </Item>
        </button>
      )}
      {missing[0] && (
        <Link to="/servers" search={{ id: missing[0].id, tab: "settings" }} className="inline-flex rounded-xs no-underline">
          <Item icon={PencilLine} colour="text-warn">
            {t("status.valueMissing", { count: missing.length })}
          </Item>
        </Link>
      )}
      {waiting > 0 && (
        <Link to="/inbox" className="inline-flex rounded-xs no-underline">
          <Item icon={Hourglass} colour="text-wait">
            {t("status.waiting", { count: waiting })}
          </Item>
        </Link>
      )}
      {failed && (
        <Link to="/servers" search={{ id: failed.id }} className="inline-flex rounded-xs no-underline">
          <Item icon={CircleX} colour="text-bad">
            {t("status.failed", { count: count("failed") - missing.length })}
          </Item>
        </Link>
      )}
      <ProfileMenu />
      <span className="flex-1" />
      {journal.failing ? (
        <Tooltip side="top" text={journal.message !== null ? sentence(journal.message) : t("status.journalFailing")}>
          <Link to="/activity" className="inline-flex rounded-xs no-underline">
            <Item icon={TriangleAlert} colour="text-bad">
              {t("status.journalFailing")}
            </Item>
          </Link>
        </Tooltip>
      ) : (
        logged > 0 && (
          <Link to="/activity" className="rounded-xs text-inherit no-underline hover:text-fg">
            {t("status.journal", { count: logged, rows: formatCount(logged, i18n.language) })}
          </Link>
        )
      )}
      {isQuietNow && (
        <Link to="/settings" search={{ setting: "doNotDisturb" }} className="inline-flex rounded-xs no-underline">
          <Item icon={BellOff} colour="text-fg-2">
            {t("status.quiet")}
          </Item>
        </Link>
      )}
      {word !== null && <VaultItem word={word} />}
    </footer>
  );
}

/** Whether notifications are off now. */
function useIsQuiet(): boolean {
  const { data } = useQuery(settings());
  const now = useNow(15_000);
  return data !== undefined && isQuiet(data.doNotDisturb, now);
}

/** The vault's state. Null while it isn't known, or if nothing `used` needs the vault. */
function useVaultWord(used: boolean): VaultWord | null {
  const { data } = useQuery(vault());
  const word = data && vaultWord(data);
  return word === undefined || (word === "closed" && !used) ? null : word;
}

/** The vault's state. A click opens the vault dialog. */
function VaultItem({ word }: { word: VaultWord }) {
  const { t } = useTranslation("vault");
  return (
    <button
      type="button"
      onClick={() => showOverlay("vault")}
      className={cx("inline-flex items-center gap-1.25 rounded-xs px-1 font-medium hover:text-fg", vaultColour(word))}
    >
      <VaultMark word={word} size={12} />
      {t(`status.${word}`)}
    </button>
  );
}

function Item({ icon, colour, children }: { icon: LucideIcon; colour: string; children: string }) {
  return (
    <span className={cx("inline-flex items-center gap-1.25 font-medium", colour)}>
      <Icon of={icon} size={12} />
      {children}
    </span>
  );
}
