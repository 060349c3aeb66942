import { Link, useNavigate, useRouterState } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Kbd } from "@/components/kbd";
import { enterScreen } from "@/lib/enter-screen";
import { ariaKeys } from "@/lib/platform";
import { useShortcut } from "@/lib/shortcuts";

const look =
  "inset-focus inline-flex h-full items-center gap-1.5 px-2.5 whitespace-nowrap text-fg-2 no-underline transition-colors hover:text-fg data-[status=active]:bg-selected data-[status=active]:font-[560] data-[status=active]:text-fg";

/** The two tabs of the Inbox: waiting questions, and decisions. */
export function InboxTabs() {
  const { t } = useTranslation("inbox");
  const navigate = useNavigate();
  const decided = useRouterState({ select: (state) => state.location.pathname === "/inbox/decisions" });
  useShortcut("d", () => void navigate({ to: decided ? "/inbox" : "/inbox/decisions" }).then(enterScreen));
  const keys = { "aria-keyshortcuts": ariaKeys("d") };
  return (
    <nav
      aria-label={t("tabs.label")}
      className="inline-flex h-7.5 shrink-0 items-stretch overflow-hidden rounded-s border border-line-strong bg-raised"
    >
      <Link to="/inbox" activeOptions={{ exact: true, includeSearch: false }} className={look} {...(decided && keys)}>
        {t("tabs.waiting")}
        {decided && <Kbd keys="d" />}
      </Link>
      <Link to="/inbox/decisions" activeOptions={{ exact: true, includeSearch: false }} className={look} {...(!decided && keys)}>
        {t("decisions.title")}
        {!decided && <Kbd keys="d" />}
      </Link>
    </nav>
  );
}
