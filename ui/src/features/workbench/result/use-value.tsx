import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Dialog, DialogBody, DialogFooter } from "@/components/dialog";
import { Field } from "@/components/field";
import { Select } from "@/components/select";
import { UntrustedText } from "@/components/their-voice";
import { JsonAction, type JsonActionOf } from "@/lib/json-action";
import { parseJson } from "@/lib/schema/parse";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { useOpenCalls } from "../open-calls";
import { searchFor } from "../search";
import { showTab } from "../selection";
import type { Target } from "../target";
import { controlId, type Place, placesFor, putValue } from "./use-places";

/** How much of the value is shown. */
const SHOWN = 2_000;

/** A value that fits in the title. Null if it is too long or not a single value. */
function shortOf(json: string): string | null {
  const value: unknown = json.length > 60 ? null : JSON.parse(json);
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return null;
  const text = typeof value === "string" ? value.trim() : json;
  return text === "" || text.length > 32 ? null : visibleLine(text);
}

interface Source {
  readonly server: { readonly id: number };
  readonly target: Target;
}

/** Around a result: its values can be used as arguments. */
export function UseValue({ children, ...source }: Source & { children: ReactNode }) {
  const { t } = useTranslation("workbench");
  const [json, setJson] = useState<string | null>(null);
  const action = useMemo<JsonActionOf>(
    () => ({ label: (name) => (name === null ? t("use.action") : t("use.named", { name: visibleLine(name) })), act: setJson }),
    [t],
  );
  return (
    <JsonAction value={action}>
      {children}
      {json !== null && <UseDialog {...source} json={json} onClose={() => setJson(null)} />}
    </JsonAction>
  );
}

/** Focuses an argument once it is drawn and no overlay is open. */
function focusControl(id: string, times = 40): void {
  setTimeout(() => {
    const control = document.getElementById(id);
    if (control === null || document.querySelector("[role=dialog]") !== null) return times > 0 ? focusControl(id, times - 1) : undefined;
    control.scrollIntoView({ block: "center" });
    (control.matches("input, textarea, button") ? control : control.querySelector<HTMLElement>("input, textarea, button"))?.focus();
  }, 40);
}

const labelOf = ({ target, server }: Place) => `${visibleLine(target.name)} · ${visibleLine(server.name)}`;

/** Asks which argument of which call to use a value for. */
function UseDialog({ server, target, json, onClose }: Source & { json: string; onClose: () => void }) {
  const { t } = useTranslation(["workbench", "common"]);
  const client = useQueryClient();
  const navigate = useNavigate();
  const calls = useOpenCalls();
  const [places] = useState(() => placesFor(client, calls, server.id, target));
  const [chosen, setChosen] = useState(places[0]?.key);
  const [wanted, setWanted] = useState<string | null>(null);
  const place = places.find(({ key }) => key === chosen);
  const name = wanted !== null && place?.names.includes(wanted) ? wanted : place?.names[0];
  const short = shortOf(json);
  const put = (event: FormEvent) => {
    event.preventDefault();
    const parsed = parseJson(json);
    if (place === undefined || name === undefined || !parsed.ok) return;
    if (!putValue(place, name, parsed.node)) return void toast({ text: t("use.broken"), tone: "bad" });
    onClose();
    showTab("arguments");
    void navigate({ to: "/workbench", search: searchFor(place.server.id, place.target) });
    focusControl(controlId(place, name));
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="s"
      title={short === null ? t("use.title") : t("use.titleOf", { value: short })}
      bare
    >
      <form onSubmit={put} className="contents">
        <DialogBody>
          <div className="flex flex-col gap-3">
            {short === null && (
              <div>
                <p className="m-0 mb-1 font-[560]">{t("use.value")}</p>
                <pre
                  data-theirs
                  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
                  tabIndex={0}
                  aria-label={t("use.value")}
                  className="selectable inset-focus m-0 max-h-24 overflow-auto rounded-m border border-line bg-sunken px-2.5 py-1.5 whitespace-pre-wrap wrap-any"
                >
                  <UntrustedText text={json.length > SHOWN ? `${json.slice(0, SHOWN)}…` : json} />
                </pre>
              </div>
            )}
            {place === undefined || name === undefined ? (
              <p className="m-0 text-fg-2">{t("use.none")}</p>
            ) : (
              <>
                <Field label={t("use.call")}>
                  {(wiring) => (
                    <Select
                      {...wiring}
                      value={place.key}
                      options={places.map((one) => ({ value: one.key, label: labelOf(one) }))}
                      onChange={setChosen}
                      className="w-full"
                    />
                  )}
                </Field>
                <Field label={t("use.argument")}>
                  {(wiring) => (
                    <Select
                      {...wiring}
                      value={name}
                      options={place.names.map((one) => ({ value: one, label: visibleLine(one) }))}
                      onChange={setWanted}
                      className="w-full"
                    />
                  )}
                </Field>
              </>
            )}
          </div>
        </DialogBody>
        <DialogFooter>
          <span className="flex-1" />
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" look="primary" disabled={name === undefined}>
            {t("use.submit")}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
