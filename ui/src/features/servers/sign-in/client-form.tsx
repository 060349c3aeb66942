import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { CopyButton } from "@/components/code-block";
import { Field } from "@/components/field";
import { Input, Textarea } from "@/components/input";
import { SecretInput } from "@/components/secret-input";
import { SegmentedControl } from "@/components/toggles";
import { UntrustedText } from "@/components/their-voice";
import type { SignInInput } from "@/ipc/bindings/SignInInput";
import type { SignInWay } from "@/ipc/bindings/SignInWay";
import type { Begun } from "./begun";

const filled = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** A manually registered client: its id, and its secret if it has one. Shows the redirect URI to register. */
export function ClientForm({ redirect, onBegin }: { redirect: string | null; onBegin: (part: Partial<SignInInput>) => void }) {
  const { t } = useTranslation("sign-in");
  const [id, setId] = useState("");
  const [secret, setSecret] = useState("");
  const [tried, setTried] = useState(false);
  return (
    <form
      aria-label={t("client.title")}
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (filled(id) === null) return;
        onBegin({ clientId: filled(id), clientSecret: filled(secret), redirect });
        setSecret("");
      }}
    >
      <ol className="m-0 flex list-decimal flex-col gap-4 pl-5 marker:font-semibold marker:text-fg-2">
        <li className="pl-1">
          <p className="m-0 font-semibold">{t("client.register")}</p>
          {redirect !== null && (
            <>
              <p className="m-0 mt-1 mb-1 text-fg-2">{t("client.redirect")}</p>
              <div className="flex items-center gap-1 rounded-s border border-line bg-sunken py-0.5 pr-0.5 pl-2.25">
                <code className="selectable min-w-0 flex-1 wrap-any">
                  <UntrustedText text={redirect} />
                </code>
                <CopyButton text={redirect} label={t("client.copyRedirect")} />
              </div>
            </>
          )}
        </li>
        <li className="pl-1">
          <p className="m-0 mb-1.5 font-semibold">{t("client.enter")}</p>
          <div className="flex flex-col gap-3">
            <Field label={t("client.id")} error={tried && filled(id) === null && t("client.needed")}>
              {(wiring) => <Input {...wiring} code value={id} onChange={(event) => setId(event.target.value)} />}
            </Field>
            <Field label={t("client.secret")} note={t("optional", { ns: "common" })} hint={t("client.secretHint")}>
              {(wiring) => <SecretInput {...wiring} code fresh value={secret} onChange={(event) => setSecret(event.target.value)} />}
            </Field>
          </div>
        </li>
        <li className="pl-1">
          <Button type="submit" look="primary">
            {t("client.submit")}
          </Button>
        </li>
      </ol>
    </form>
  );
}

/** Options that most servers don't need: one's own client, with a browser or without a person. */
export function OtherWays({
  before,
  onBegin,
}: {
  /** Retries this sign-in, which lacks its secret. */
  before: Begun | null;
  onBegin: (part: Partial<SignInInput>) => void;
}) {
  const { t } = useTranslation("sign-in");
  const [way, setWay] = useState<SignInWay>(before?.part.way ?? "browser");
  const [proof, setProof] = useState(before?.proof ?? "secret");
  const [id, setId] = useState(before?.part.clientId ?? "");
  const [secret, setSecret] = useState("");
  const [redirect, setRedirect] = useState(before?.part.redirect ?? "");
  const [tried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const asksAgain = before !== null;
  useEffect(() => {
    if (asksAgain) form.current?.querySelector<HTMLElement>("[data-proof]")?.focus();
  }, [asksAgain]);
  const proofMissing = way === "client" && filled(secret) === null;
  return (
    <form
      ref={form}
      aria-label={t("other.title")}
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (filled(id) === null || proofMissing) return;
        onBegin({
          ...before?.part,
          way,
          clientId: filled(id),
          clientSecret: filled(secret),
          redirect: way === "browser" ? filled(redirect) : null,
        });
        setSecret("");
      }}
    >
      {asksAgain && (
        <p role="status" className="m-0 font-[560]">
          {t("other.again")}
        </p>
      )}
      <SegmentedControl
        label={t("other.way")}
        value={way}
        onChange={(next) => {
          setWay(next);
          setSecret("");
        }}
        options={[
          { value: "browser", label: t("other.browser") },
          { value: "client", label: t("other.client") },
        ]}
        className="self-start"
      />
      <p className="m-0 text-fg-2">{t(`other.text.${way}`)}</p>
      <Field label={t("client.id")} error={tried && filled(id) === null && t("client.needed")}>
        {(wiring) => <Input {...wiring} code value={id} onChange={(event) => setId(event.target.value)} />}
      </Field>
      {way === "client" && (
        <SegmentedControl
          label={t("other.proof")}
          value={proof}
          onChange={(next) => {
            setProof(next);
            setSecret("");
          }}
          options={[
            { value: "secret", label: t("client.secret") },
            { value: "key", label: t("other.key") },
          ]}
          className="self-start"
        />
      )}
      {way === "client" && proof === "key" ? (
        <Field label={t("other.key")} hint={t("other.keyHint")} error={tried && proofMissing && t("client.needed")}>
          {(wiring) => <Textarea {...wiring} data-proof code rows={5} value={secret} onChange={(event) => setSecret(event.target.value)} />}
        </Field>
      ) : (
        <Field
          label={t("client.secret")}
          note={way === "browser" ? t("optional", { ns: "common" }) : undefined}
          hint={t("client.secretHint")}
          error={tried && proofMissing && t("client.needed")}
        >
          {(wiring) => <SecretInput {...wiring} data-proof code fresh value={secret} onChange={(event) => setSecret(event.target.value)} />}
        </Field>
      )}
      {way === "browser" && (
        <Field label={t("other.redirect")} note={t("optional", { ns: "common" })} hint={t("other.redirectHint")}>
          {(wiring) => <Input {...wiring} code value={redirect} onChange={(event) => setRedirect(event.target.value)} />}
        </Field>
      )}
      <div>
        <Button type="submit">{t(way === "browser" ? "client.submit" : "other.submit")}</Button>
      </div>
    </form>
  );
}
