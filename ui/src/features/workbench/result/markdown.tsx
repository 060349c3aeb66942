import { lazy, type ReactNode, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { SegmentedControl } from "@/components/toggles";
import { formatBytes } from "@/lib/format";
import { MAX_RENDERED, useTextLook } from "@/lib/markdown";

const View = lazy(() => import("@/components/markdown-view").then((module) => ({ default: module.MarkdownView })));

/** Switches between rendered Markdown and its source, for the whole window. */
export function MarkdownSwitch() {
  const { t } = useTranslation("workbench");
  const [look, setLook] = useTextLook();
  return (
    <SegmentedControl
      label={t("result.view")}
      value={look}
      options={[
        { value: "rendered", label: t("markdown.rendered") },
        { value: "source", label: t("markdown.source") },
      ]}
      onChange={setLook}
      className="h-6! text-xs"
    />
  );
}

/** A Markdown text in the chosen form. The children show its source. */
export function Markdown({ text, children }: { text: string; children: ReactNode }) {
  const { t, i18n } = useTranslation("workbench");
  const [look] = useTextLook();
  if (look === "source") return children;
  if (text.length > MAX_RENDERED)
    return (
      <>
        <p className="m-0 border-b border-line px-3 py-1.5 text-sm text-fg-3">
          {t("markdown.long", { size: formatBytes(MAX_RENDERED, i18n.language) })}
        </p>
        {children}
      </>
    );
  return (
    <Suspense fallback={children}>
      <View text={text} source={children} />
    </Suspense>
  );
}
