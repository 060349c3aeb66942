import { useTranslation } from "react-i18next";
import type { Settings } from "@/ipc/bindings/Settings";
import { isDocumentAddress } from "./document-address";
import { Box, Section } from "./section";
import { TextSetting } from "./text-setting";

/** How Mooring identifies itself to authorization servers that load its metadata document. */
export function SignIn({ settings }: { settings: Settings }) {
  const { t } = useTranslation("settings");
  return (
    <Section id="sign_in">
      <Box>
        <TextSetting
          setting="clientDocument"
          value={settings.clientDocument}
          placeholder="https://example.com/mooring/client.json"
          part={(text) => (isDocumentAddress(text) ? { clientDocument: text.trim() } : t("sign_in.bad"))}
        />
      </Box>
    </Section>
  );
}
