import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Chip } from "@/components/chip";
import { type MenuItem, MoreMenu } from "@/components/menu";
import type { ProfileView } from "@/ipc/bindings/ProfileView";
import { visibleLine } from "@/lib/untrusted";

/** A profile in the list. Null: the use of none. */
export function ProfileRow({
  profile,
  isActive,
  onUse,
  items,
}: {
  profile: ProfileView | null;
  isActive: boolean;
  onUse: () => void;
  items: readonly MenuItem[];
}) {
  const { t } = useTranslation("profiles");
  const name = profile === null ? t("everything") : visibleLine(profile.name);
  return (
    <li className="flex items-center gap-2 rounded-m border border-line bg-raised px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="m-0 truncate font-[560]">{name}</p>
        <p className="m-0 text-sm wrap-any text-fg-3">{profile === null ? t("everythingText") : <Facts profile={profile} />}</p>
        {profile !== null && profile.missing.length > 0 && (
          <p className="m-0 text-sm wrap-any text-warn">
            {t("missing", { names: profile.missing.map((server) => visibleLine(server.name)).join(", ") })}
          </p>
        )}
      </div>
      {isActive ? (
        <Chip tone="ok">{t("active")}</Chip>
      ) : (
        <Button aria-label={t("useOf", { name })} onClick={onUse}>
          {t("action.use")}
        </Button>
      )}
      {items.length > 0 && <MoreMenu items={items} label={t("more", { name })} />}
    </li>
  );
}

function Facts({ profile }: { profile: ProfileView }) {
  const { t } = useTranslation("profiles");
  const facts = [
    t("fact.servers", { count: profile.servers.length }),
    ...(profile.hidden.length > 0 ? [t("fact.hidden", { count: profile.hidden.length })] : []),
    ...(profile.folders === null ? [] : [t("fact.folders", { count: profile.folders.length })]),
    ...(profile.project === null ? [] : [visibleLine(profile.project)]),
  ];
  return facts.join(" · ");
}
