import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/button";
import { Input } from "@/components/input";
import { visibleLine } from "@/lib/untrusted";

/** A line of text that is masked until somebody wants to see it. */
export function SecretInput({ name, ...rest }: ComponentProps<"input"> & { name: string }) {
  const { t } = useTranslation("workbench");
  const [seen, setSeen] = useState(false);
  return (
    <div className="flex gap-1">
      <Input {...rest} type={seen ? "text" : "password"} className="max-w-80" />
      <IconButton
        icon={seen ? EyeOff : Eye}
        aria-pressed={seen}
        label={t(seen ? "form.hide" : "form.reveal", { name: visibleLine(name) })}
        onClick={() => setSeen(!seen)}
      />
    </div>
  );
}
