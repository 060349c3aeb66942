import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Input } from "@/components/input";
import type { Settings } from "@/ipc/bindings/Settings";
import { errorText } from "@/lib/error-text";
import { useSetting } from "@/lib/use-save-settings";
import { isDocumentAddress } from "./document-address";
import { Box, Saved, Section, SettingArea } from "./section";

/** Who Mooring is to authorization servers that read it at an address. Saved when it is left or confirmed with Enter. */
export function SignIn({ settings }: { settings: Settings }) {
  const { t } = useTranslation("settings");
  const id = useId();
  const { save, undo, error, clear } = useSetting();
  const [typed, setTyped] = useState<string | null>(null);
  const refused = error && errorText(error);
  const shown = typed ?? settings.clientDocument;
  const good = isDocumentAddress(shown);
  const problem = good ? refused : t("signIn.bad");

  const commit = async () => {
    if (typed === null || !good) return;
    const clientDocument = typed.trim();
    if (clientDocument === settings.clientDocument || (await save({ clientDocument })) !== undefined) setTyped(null);
  };

  return (
    <Section id="sign_in">
      <Box>
        <SettingArea setting="clientDocument" className="px-4 py-3">
          <div className="flex items-center gap-x-2">
            <label htmlFor={id} className="font-[540]">
              {t("signIn.label")}
            </label>
            <Saved setting="clientDocument" undo={undo} />
          </div>
          <div data-control>
            <Input
              id={id}
              code
              inputMode="url"
              placeholder="https://example.com/mooring/client.json"
              value={shown}
              aria-invalid={problem !== null || undefined}
              aria-describedby={`${id}-note`}
              onChange={(event) => {
                setTyped(event.target.value);
                clear();
              }}
              onBlur={() => void commit()}
              onKeyDown={(event) => {
                if (event.key === "Enter") void commit();
                if (event.key !== "Escape") return;
                setTyped(null);
                clear();
              }}
              className="mt-1"
            />
          </div>
          <p
            id={`${id}-note`}
            role={problem === null ? undefined : "alert"}
            className={problem === null ? "m-0 mt-1 text-sm text-fg-3" : "m-0 mt-1 text-sm text-bad"}
          >
            {problem ?? t("signIn.hint")}
          </p>
        </SettingArea>
      </Box>
    </Section>
  );
}
