import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ErrorNotice } from "@/components/error-notice";
import { Select } from "@/components/select";
import type { Settings } from "@/ipc/bindings/Settings";
import { networkProblem } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { showOverlay } from "@/lib/overlays";
import { sentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import { useCommand } from "@/lib/use-command";
import { useSetting } from "@/lib/use-save-settings";
import { Certificates } from "./certificates";
import { proxyAddress } from "./proxy-address";
import { Box, Row, Section } from "./section";
import { TextSetting } from "./text-setting";

/** The proxy for requests, and additional trusted certificates. */
export function Network({ settings }: { settings: Settings }) {
  return (
    <Section id="network">
      <Doubt />
      <Box>
        <Proxy proxy={settings.proxy} />
      </Box>
      <Box>
        <Certificates />
      </Box>
      <Box>
        <TextSetting
          setting="catalogUrl"
          value={settings.catalogUrl}
          placeholder="https://registry.modelcontextprotocol.io"
          part={(text) => ({ catalogUrl: text.trim() })}
        />
      </Box>
    </Section>
  );
}

/** Reports that the database has other settings than those in force, and resolves it. */
function Doubt() {
  const { t, i18n } = useTranslation("settings");
  const { data: problem } = useQuery(networkProblem());
  const { run, busy } = useCommand();
  if (!problem) return null;
  const said = problem.stored.map((line) => visibleLine(sentence(line, i18n.language))).join(" · ");
  const settle = (take: boolean) => void run("settle_network", { hash: problem.hash, take });
  return (
    <ErrorNotice
      tone={problem.doubt === "locked" ? "warn" : "changed"}
      title={sentence(problem.message, i18n.language)}
      why={said === "" ? null : t("network.stored", { said })}
    >
      {problem.doubt === "locked" ? (
        <Button onClick={() => showOverlay("vault")}>{t("network.unlock")}</Button>
      ) : (
        <>
          <Button busy={busy} onClick={() => settle(false)}>
            {t("network.keep")}
          </Button>
          <Button look="danger" busy={busy} onClick={() => settle(true)}>
            {t("network.take")}
          </Button>
        </>
      )}
    </ErrorNotice>
  );
}

const kindOf = (proxy: Settings["proxy"]) => (typeof proxy === "string" ? proxy : "custom");

/** The proxy. A custom one takes effect once its URL is entered. */
function Proxy({ proxy }: { proxy: Settings["proxy"] }) {
  const { t } = useTranslation("settings");
  const { save, undo, error } = useSetting();
  const [entering, setEntering] = useState(false);
  const kind = entering ? "custom" : kindOf(proxy);
  const { url, except } = typeof proxy === "string" ? { url: "", except: "" } : proxy.custom;
  const choose = (next: typeof kind) => {
    setEntering(next === "custom");
    if (next !== "custom" && next !== proxy) void save({ proxy: next });
  };
  return (
    <>
      <Row setting="proxy" undo={undo} problem={error && errorText(error)}>
        {(names) => (
          <Select
            {...names}
            value={kind}
            options={[
              { value: "system", label: t("network.proxy.system") },
              { value: "direct", label: t("network.proxy.direct") },
              { value: "custom", label: t("network.proxy.custom") },
            ]}
            onChange={choose}
            className="w-52"
          />
        )}
      </Row>
      {kind === "custom" && (
        <>
          <TextSetting
            setting="proxy"
            texts={{ label: "settings:network.proxy.url", hint: "settings:network.proxy.urlHint" }}
            value={url}
            placeholder="http://proxy.example.com:3128"
            part={(text) => {
              const address = proxyAddress(text);
              return address === null ? t("network.badUrl") : { proxy: { custom: { url: address, except } } };
            }}
          />
          {url !== "" && (
            <TextSetting
              setting="proxy"
              texts={{ label: "settings:network.proxy.except", hint: "settings:network.proxy.exceptHint" }}
              value={except}
              placeholder="intranet.example.com, .corp.example, 10.0.0.0/8"
              part={(text) => ({ proxy: { custom: { url, except: text.trim() } } })}
            />
          )}
        </>
      )}
    </>
  );
}
