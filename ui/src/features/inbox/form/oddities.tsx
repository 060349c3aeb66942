import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/components/icon";
import { Said } from "@/components/said";
import { UntrustedText } from "@/components/their-voice";
import type { FormOddity } from "@/ipc/bindings/FormOddity";

const ROOT = /^requestedSchema\.(properties\.)?/;

/** Parts of the server's request that no form can show: its text, and what that means for the answer. */
export function Oddities({ of }: { of: readonly FormOddity[] }) {
  const { t } = useTranslation("inbox");
  if (of.length === 0) return null;
  return (
    <div role="note" className="mt-3.5 flex gap-2 rounded-m border border-warn bg-warn-soft px-3 py-2.5">
      <Icon of={TriangleAlert} className="mt-0.75 shrink-0 text-warn" />
      <div className="min-w-0 flex-1">
        <p className="m-0 font-medium text-pretty">{t("form.oddities", { count: of.length })}</p>
        <ul className="m-0 mt-2 max-h-48 list-none space-y-2 overflow-y-auto p-0">
          {of.map((odd, index) => (
            <li key={index}>
              <code data-theirs className="selectable block border-l-2 border-line-strong pl-2.5 text-sm wrap-any">
                <bdi>
                  <UntrustedText text={`${odd.path.replace(ROOT, "")}: ${odd.asked}`} />
                </bdi>
              </code>
              <p className="m-0 text-sm wrap-any text-fg-2">
                <Said said={odd.what} />
              </p>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
